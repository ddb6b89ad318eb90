package check_test

import (
	"context"
	"iter"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/check"
)

func contextWith(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

// counted returns a reader of links that cancels the run after a number of pages.
func counted(count *int64, most int64, cancel func()) func(*fetch.Document) iter.Seq2[check.Link, error] {
	return func(d *fetch.Document) iter.Seq2[check.Link, error] {
		if *count++; *count == most {
			cancel()
		}
		return check.Links(d)
	}
}
