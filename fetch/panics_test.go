package fetch_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A panic anywhere in a handler fails only its own request.
func TestPanics(t *testing.T) {
	for _, where := range []string{"Plan", "Run", "Read", "Close", "Entries"} {
		h := giving("text")
		run := h.run
		h.plan = func(uri.URI, *fetch.Options) (*fetch.Plan, error) {
			if where == "Plan" {
				panic("ouch")
			}
			return &fetch.Plan{}, nil
		}
		h.run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			if where == "Run" {
				panic("ouch")
			}
			d, err := run(ctx, p, env)
			d.Body = panicky{where}
			d.Entries = func(yield func(fetch.Entry, error) bool) {
				if yield(fetch.Entry{Kind: fetch.KindFile}, nil) && where == "Entries" {
					panic("ouch")
				}
			}
			return d, err
		}
		d, err := fetch.New(scheme("a", h)).Get(t.Context(), uri.MustParse("a:x"), nil)
		if d != nil && where == "Entries" {
			for _, e := range d.Entries {
				err = errors.Join(err, e)
			}
		} else if d != nil {
			_, err = io.ReadAll(d.Body)
		}
		if d != nil {
			err = errors.Join(err, d.Body.Close())
		}
		if where == "Close" {
			if err != nil {
				t.Errorf("Close: %v", err)
			}
			continue
		}
		want := fetch.ErrProtocol
		if where == "Plan" {
			want = fetch.ErrRefusedURL
		}
		wantKind(t, err, want)
	}
}

type panicky struct{ where string }

func (p panicky) Read([]byte) (int, error) {
	if p.where == "Read" {
		panic("ouch")
	}
	return 0, io.EOF
}

func (p panicky) Close() error {
	if p.where == "Close" {
		panic("ouch")
	}
	return nil
}
