package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/schemes"
	"example.org/deref/schemes/prospero/prosperotest"
	"example.org/deref/schemes/urn"
	"example.org/deref/uri"
)

// chained is the document at the end of the demonstration's chain: a table maps a URN to a Prospero server, which refers to an FTP server,
// which has the document.
const chained = "history/ftp.txt"

// showChain dereferences a name by way of three schemes, and prints each step.
func showChain(ctx context.Context, a *app.App, site fs.FS, list []testservers.Running) error {
	_, ftp, _ := strings.Cut(testservers.URLOf(list, "ftp"), "://")
	want, err := fs.ReadFile(site, chained)
	if err != nil || ftp == "" {
		return err
	}
	p, err := prosperotest.Listen(site, &prosperotest.Options{FTP: ftp})
	if err != nil {
		return err
	}
	defer p.Close()
	table := []urn.Entry{{Prefix: "urn:example:", Template: p.URL + "/AFTP/{+rest}"}}
	c := fetch.New(schemes.All(&schemes.Config{URN: &urn.Config{Table: table}})...)
	defer c.Close()
	u := uri.MustParse("urn:example:" + chained)
	d, err := c.Get(ctx, u, nil)
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil {
		return err
	}
	got, err := io.ReadAll(d.Body)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fetch.Errorf(fetch.ErrChanged, "the end of the chain has %d bytes that differ from the site's %d", len(got), len(want))
	}
	fmt.Fprintf(a.Out(), "a chain: %s\n", u)
	for _, r := range d.Via {
		fmt.Fprintf(a.Out(), "  refers to %s\n    (%s)\n", render.Escape(r.URI.Redacted(nil)), render.Escape(r.Reason))
	}
	fmt.Fprintf(a.Out(), "  which is the document, %d bytes\n", len(got))
	return nil
}
