package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/fetch"
	"example.org/deref/fetch/check"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

// maxSuggested bounds the dead links for which copies are looked for.
const maxSuggested = 10_000

// suggestions finds archived copies of dead links.
type suggestions struct {
	archives []archive
	dead     []*check.Result
	close    []io.Closer
}

// An archive is one --suggest.
type archive struct {
	name string
	find func(context.Context, uri.URI) (check.Copy, error)
}

// suggestions opens the archives of --suggest: files, and URIs of TimeGates. It wraps Done of o to collect the dead links.
func (f *fixFlags) suggestions(c *fetch.Client, o *check.Options) (*suggestions, error) {
	s := &suggestions{}
	if len(f.suggest) == 0 {
		return s, nil
	}
	for _, name := range f.suggest {
		if err := s.open(c, name); err != nil {
			s.end()
			return nil, err
		}
	}
	done := o.Done
	o.Done = func(r *check.Result) {
		if r.IsDead() && len(s.dead) < maxSuggested {
			s.dead = append(s.dead, r)
		}
		done(r)
	}
	return s, nil
}

func (s *suggestions) open(c *fetch.Client, name string) error {
	if _, err := os.Stat(name); err != nil && strings.Contains(name, "://") {
		gate := &check.TimeGate{Client: c, Base: name}
		s.archives = append(s.archives, archive{name, gate.Find})
		return nil
	}
	from, err := warc.OpenArchive(c.Schemes, name)
	if err != nil {
		return err
	}
	local := fetch.New(from.Schemes()...)
	s.close = append(s.close, local, from)
	s.archives = append(s.archives, archive{name, (&check.LocalArchive{Client: local}).Find})
	return nil
}

// end closes the archives.
func (s *suggestions) end() {
	for _, c := range s.close {
		c.Close()
	}
}

// print prints the first copy of each dead link, by the names that name returns. An archive that cannot be reached is reported once, and not asked again.
func (s *suggestions) print(ctx context.Context, a *app.App, w io.Writer, name func(uri.URI) string) {
	failed := map[string]bool{}
	for _, r := range s.dead {
		for _, in := range s.archives {
			if failed[in.name] || ctx.Err() != nil {
				continue
			}
			copied, err := in.find(ctx, r.URI)
			if err == nil {
				at := "in " + in.name
				if copied.URI.String() != r.URI.WithoutFragment().String() {
					at = name(copied.URI)
				}
				if !copied.Time.IsZero() {
					at += " of " + copied.Time.UTC().Format(time.DateOnly)
				}
				fmt.Fprintf(w, "%-13s %s -> %s\n", "archived", render.Escape(name(r.URI)), render.Escape(at))
				break
			}
			if kind := fetch.KindOf(err); kind != fetch.ErrNotFound && kind != fetch.ErrRefusedURL {
				failed[in.name] = true
				a.Warn(fmt.Errorf("--suggest %s: %w", in.name, err))
			}
		}
	}
}
