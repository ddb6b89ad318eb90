package fetch_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func TestEntries(t *testing.T) {
	listing := probe{run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
		return fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
			for _, title := range []string{"one", "two", "three"} {
				if !yield(fetch.Entry{Title: title, Size: -1}, nil) {
					return
				}
			}
			yield(fetch.Entry{}, fetch.Errorf(fetch.ErrTruncated, "the end is missing"))
		}), nil
	}, plan: local}
	text := probe{run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
		return fetch.NewDocument(nil), nil
	}, plan: local}
	c := fetch.New(scheme("list", listing), scheme("text", text))
	defer c.Close()
	titles, err := collect(c.Entries(t.Context(), uri.MustParse("list:x"), nil), 9)
	if strings.Join(titles, " ") != "one two three" || fetch.KindOf(err) != fetch.ErrTruncated {
		t.Errorf("got %q, %v, want one two three and a truncated list", titles, err)
	}
	if titles, err := collect(c.Entries(t.Context(), uri.MustParse("list:x"), nil), 2); len(titles) != 2 || err != nil {
		t.Errorf("a loop that is left: %q, %v", titles, err)
	}
	if _, err := collect(c.Entries(t.Context(), uri.MustParse("text:x"), nil), 9); fetch.KindOf(err) != fetch.ErrUnsupported {
		t.Errorf("a document: %v", err)
	}
}

// local plans nothing that is contacted.
func local(uri.URI, *fetch.Options) (*fetch.Plan, error) { return &fetch.Plan{}, nil }

func collect(entries iter.Seq2[fetch.Entry, error], most int) (titles []string, err error) {
	for e, err := range entries {
		if err != nil {
			return titles, err
		}
		if titles = append(titles, e.Title); len(titles) == most {
			break
		}
	}
	return titles, nil
}
