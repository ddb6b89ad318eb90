package testservers

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// A Document is one document of the demonstration: its URI and its expected contents.
type Document struct {
	URI    string
	Want   []byte
	Search bool // URI is a search, whose first result is the document

	Options *fetch.Options
}

// Fetch dereferences u, or the first result of that search, and compares the document with the expected contents.
func Fetch(ctx context.Context, c *fetch.Client, u uri.URI, s Document) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if s.Search {
		hit, err := FirstHit(ctx, c, u)
		if err != nil {
			return 0, err
		}
		u = hit
	}
	d, err := c.Get(ctx, u, s.Options)
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil {
		return 0, err
	}
	got, err := io.ReadAll(d.Body)
	if err != nil && !errors.Is(err, fetch.ErrInteractive) { // the document of a session is its first screen
		return 0, err
	}
	if !bytes.Equal(got, s.Want) {
		return 0, fetch.Errorf(fetch.ErrChanged, "received %d bytes that differ from the site's %d", len(got), len(s.Want))
	}
	return len(got), nil
}

// FirstHit returns the first result of the search u.
func FirstHit(ctx context.Context, c *fetch.Client, u uri.URI) (uri.URI, error) {
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

// Documents returns the documents of the servers, and two that need no server. done removes the file of one of them.
func Documents(site fs.FS, list []Running) (sights []Document, done func(), err error) {
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
			sights = append(sights, Document{URI: r.URL + t.path, Want: want, Search: t.search})
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
	path := filepath.ToSlash(name)
	if !strings.HasPrefix(path, "/") { // C:/...
		path = "/" + path
	}
	sights = append(sights,
		Document{URI: (&url.URL{Scheme: "file", Path: path}).String(), Want: text},
		Document{URI: "data:text/plain;charset=utf-8;base64,ZGVyZWY=", Want: []byte("deref")})
	return sights, func() { os.RemoveAll(dir) }, nil
}
