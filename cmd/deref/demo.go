package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/tofu"
	"example.org/deref/schemes"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// A sight is one document of the demonstration: where it is, and what it must be.
type sight struct {
	uri    string
	want   []byte
	search bool // of its first hit

	options *fetch.Options
}

func demoCommand(*pflag.FlagSet) func(context.Context, *app, []string) error {
	return func(ctx context.Context, a *app, _ []string) error {
		ctx, stop := interruptible(ctx)
		defer stop()
		site := testdata.Site()
		list, err := startLocals(site, 0, nil)
		if err != nil {
			return fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		defer stopLocals(list)
		sights, done, err := sightsOf(site, list)
		if err != nil {
			return fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		defer done()
		letters, err := mailSights(site)
		if err != nil {
			return fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		c := fetch.New(schemes.All(mailOf(list))...)
		defer c.Close()
		c.FirstUse = new(tofu.Store).Check // the servers are our own
		return errors.Join(showSights(a, ctx, c, append(sights, letters...)), showSend(a, ctx), showChain(a, ctx, site, list))
	}
}

// showSights dereferences each sight and prints its row.
func showSights(a *app, ctx context.Context, c *fetch.Client, sights []sight) error {
	var first error
	good := 0
	t := tabwriter.NewWriter(a.out(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SCHEME\tURI\tBYTES\tTIME\tFIRST COMMANDS")
	for _, s := range sights {
		u, err := uri.Parse(s.uri)
		if err != nil {
			return err
		}
		start := time.Now()
		n, err := visit(ctx, c, u, s)
		took := time.Since(start).Round(100 * time.Microsecond)
		if err != nil {
			fmt.Fprintf(t, "%s\t%s\t-\t%s\t%s: %s\n", u.Scheme(), short(c.Schemes.Redact(u)), took, class(err), render.Escape(err.Error()))
			first = cmp.Or(first, err)
			continue
		}
		good++
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\n", u.Scheme(), short(c.Schemes.Redact(u)), n, took, firstCommands(c, u, s.options))
	}
	t.Flush()
	fmt.Fprintf(a.out(), "%d of %d documents are what the site holds\n", good, len(sights))
	return asPrinted(first)
}

// visit dereferences u, or the first hit of that search, and compares.
func visit(ctx context.Context, c *fetch.Client, u uri.URI, s sight) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if s.search {
		hit, err := firstHit(ctx, c, u)
		if err != nil {
			return 0, err
		}
		u = hit
	}
	d, err := c.Get(ctx, u, s.options)
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil {
		return 0, err
	}
	got, err := io.ReadAll(d.Body)
	if err != nil && !errors.Is(err, fetch.ErrInteractive) { // of a session, the first screen is all that there is
		return 0, err
	}
	if !bytes.Equal(got, s.want) {
		return 0, fetch.Errorf(fetch.ErrChanged, "%d octets came that are not the %d of the site", len(got), len(s.want))
	}
	return len(got), nil
}

// firstHit searches.
func firstHit(ctx context.Context, c *fetch.Client, u uri.URI) (uri.URI, error) {
	d, err := c.Get(ctx, u, nil)
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil {
		return u, err
	}
	e, err := render.Link(render.Links(d, nil), 1)
	return e.URI, err
}

func firstCommands(c *fetch.Client, u uri.URI, o *fetch.Options) string {
	p, err := c.Plan(u, o)
	if err != nil {
		return ""
	}
	words := []string{}
	for _, s := range p.When("") {
		if words = append(words, render.Escape(short(render.Step(s)))); len(words) == 4 {
			break
		}
	}
	return strings.Join(words, " · ")
}

func short(s string) string {
	const most = 60
	if len(s) > most {
		return s[:most-3] + "..."
	}
	return s
}

// sightsOf lists the documents of the servers, and those that need none.
func sightsOf(site fs.FS, list []running) (sights []sight, done func(), err error) {
	for _, r := range list {
		for _, t := range r.tries {
			want, err := fs.ReadFile(site, t.file)
			if err != nil {
				return nil, nil, err
			}
			if t.as != nil {
				want = t.as(want)
			}
			if t.crlf {
				want = bytes.ReplaceAll(want, []byte("\n"), []byte("\r\n"))
			}
			sights = append(sights, sight{uri: r.url + t.path, want: want, search: t.search})
		}
	}
	dir, err := os.MkdirTemp("", "deref-demo-")
	if err != nil {
		return nil, nil, err
	}
	text := []byte("a document of this machine\n")
	name := filepath.Join(dir, "a b.txt")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return nil, nil, err
	}
	sights = append(sights,
		sight{uri: folderURI(uri.RFC3986, dir) + "a%20b.txt", want: text},
		sight{uri: "data:text/plain;charset=utf-8;base64,ZGVyZWY=", want: []byte("deref")})
	return sights, func() { os.RemoveAll(dir) }, nil
}
