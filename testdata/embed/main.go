// Command embed fetches one document with a deadline, from public addresses or from this machine.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"time"

	"example.com/embed/xexample"
	"example.org/deref/fetch"
	"example.org/deref/schemes/gopher"
	"example.org/deref/uri"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", explain(err))
		os.Exit(1)
	}
}

// client returns a Client for two schemes that connects only to public addresses and to those of allow.
func client(allow ...netip.Prefix) *fetch.Client {
	c := fetch.New(append(gopher.Schemes(), xexample.Scheme())...)
	c.Policy.DenyPrivate = true
	c.Policy.Allow = allow
	c.Limits.Document = 10 << 20
	return c
}

// run copies the document to w. The deadline includes reading the whole document.
func run(ctx context.Context, name string, w io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	u, err := uri.Parse(name)
	if err != nil {
		return err
	}
	c := client(netip.MustParsePrefix("127.0.0.0/8"))
	defer c.Close()
	doc, err := c.Get(ctx, u, nil)
	if err != nil {
		return err
	}
	defer doc.Body.Close()
	_, err = io.Copy(w, doc.Body)
	return err
}

// explain shows how to distinguish errors.
func explain(err error) string {
	switch {
	case errors.Is(err, fetch.ErrNotFound):
		return "no such document"
	case errors.Is(err, fetch.ErrDenied):
		return "address not allowed"
	}
	if e, ok := errors.AsType[*fetch.Error](err); ok {
		return string(e.Kind) + ": " + e.Text
	}
	return err.Error()
}
