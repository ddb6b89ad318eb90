package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/mirror"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

// fromMirror writes the documents of a mirror into an archive, as they would have been recorded but for the conversations.
func (f *warcFlags) fromMirror(ctx context.Context, a *app.App, _ []warc.File, args []string) error {
	if len(args) != 1 || f.output == "" || f.output == "-" {
		return flags.Usage("usage: deref warc from-mirror DIR -o NAME.warc.gz")
	}
	if err := checkOutput(f.output, nil); err != nil {
		return err
	}
	stored, err := mirror.OpenCopy(args[0], a.Schemes(nil))
	if err != nil {
		return err
	}
	defer stored.Close()
	var at time.Time // of the document that is being copied
	w, err := warc.Create(f.output, &warc.Options{Size: int64(f.size), Software: "deref/" + app.Version(), Replace: true,
		Date: func(*fetch.Plan) time.Time { return at }, Info: []warc.Field{
			{Name: "description", Value: "Documents of the mirror of " + stored.Root().String() + " with the dates, media types and validators of its manifest. Not recorded: " +
				"the conversations with the servers, their header fields and addresses. Listings are made from the names of the copies."},
		}})
	if err != nil {
		return err
	}
	c := fetch.New(stored.Schemes()...)
	defer c.Close()
	c.Policy.NoFollow = true // each URI has records of its own
	c.Recorder = warc.NewRecorder(w)
	var first error
	n := 0
	for s, err := range stored.URIs() {
		if err == nil {
			at = s.Time
			err = copied(ctx, c, s.URI)
		}
		if ctx.Err() != nil || w.Err() != nil {
			first = cmp.Or(ctx.Err(), first)
			break
		}
		if err != nil {
			a.PrintError(s.URI.String(), err)
			first = cmp.Or(first, err)
			continue
		}
		n++
	}
	if err := w.Close(); err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr, "deref: %d URIs of %s copied to %s\n", n, filepath.Clean(args[0]), f.output)
	return app.Printed(first)
}

// copied reads the document of a URI, so that it is recorded.
func copied(ctx context.Context, c *fetch.Client, u uri.URI) error {
	d, err := c.Get(ctx, u, nil)
	if d == nil {
		return err
	}
	defer d.Body.Close()
	if err == nil {
		_, err = io.Copy(io.Discard, d.Body)
	}
	return err
}
