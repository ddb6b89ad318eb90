// Command embed fetches one document with a deadline, from the public network or from this machine alone.
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

// client knows just the schemes that it names, and connects to nobody but the network that it allows.
func client(allow ...netip.Prefix) *fetch.Client {
	c := fetch.New(append(gopher.Schemes(), xexample.Scheme())...)
	c.Policy.DenyPrivate = true
	c.Policy.Allow = allow
	c.Limits.Document = 10 << 20
	return c
}

// run copies the document to w. The deadline holds for all of it, to the last octet.
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

// explain shows how errors are told apart.
func explain(err error) string {
	switch {
	case errors.Is(err, fetch.ErrNotFound):
		return "there is no such document"
	case errors.Is(err, fetch.ErrDenied):
		return "we do not go there"
	}
	if e, ok := errors.AsType[*fetch.Error](err); ok {
		return string(e.Kind) + ": " + e.Text
	}
	return err.Error()
}
