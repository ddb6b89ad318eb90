package fetchtest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/uri"
)

// A Case is a URI, the dialogue that dereferences it, and the expected result.
type Case struct {
	Name    string // of the subtest; by default the URI
	URI     string
	Options fetch.Options
	Client  func(*fetch.Client) // configures the Client: limits, policy

	// Script is the dialogue (package dialogue), whose lines may be indented, and File is a file with it. Without either, and without Live, the handler must not
	// connect to a server.
	Script, File string
	// Live means that the URI names a real server. Checks that need a script are skipped.
	Live bool
	// Times is how many times one Client dereferences the URI in the dialogue. If it is more than 1, only the dialogue is checked.
	Times int

	Err     fetch.Kind // of the expected error; empty if a document is expected
	Body    string     // compared if not empty
	Type    string     // compared if not empty
	End     fetch.End  // compared if not empty
	Check   func(t testing.TB, d *fetch.Document, body []byte)
	Secrets []string // must not be in an error or trace; the passwords of Options and URI are added
}

// A subject is a parsed Case.
type subject struct {
	Case
	scheme fetch.Scheme
	uri    uri.URI
	script *dialogue.Script
	base   *result // of the plain run; nil before it
}

func newSubject(s fetch.Scheme, c Case) (*subject, error) {
	x := &subject{Case: c, scheme: s}
	var err error
	if x.uri, err = uri.Parse(c.URI); err != nil {
		return nil, fmt.Errorf("Case.URI: %w", err)
	}
	if own, ok := (fetch.Registry{s}).Lookup(x.uri.Scheme()); !ok || own.Name() != s.Name() {
		return nil, fmt.Errorf("%s is not a URI of the scheme %s", c.URI, s.Name())
	}
	text := unindented(c.Script)
	if c.File != "" {
		b, err := os.ReadFile(c.File)
		if err != nil {
			return nil, err
		}
		text = string(b)
	}
	if x.script, err = dialogue.Parse(text); err != nil {
		return nil, fmt.Errorf("Case.Script: %w", err)
	}
	return x, nil
}

// unindented removes the white space at the beginning of each line.
func unindented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, " \t"))
	}
	return b.String()
}

func (x *subject) name() string {
	if x.Name != "" {
		return x.Name
	}
	return x.URI
}

// client returns a Client configured for the case.
func (x *subject) client() *fetch.Client {
	c := fetch.New(x.scheme)
	if x.Client != nil {
		x.Client(c)
	}
	return c
}

// secrets returns the secrets of the case.
func (x *subject) secrets() []string {
	list := append([]string(nil), x.Secrets...)
	_, inURI, _ := x.uri.User()
	for _, p := range []string{x.Options.Login.Password, inURI} {
		if len(p) >= 4 {
			list = append(list, p)
		}
	}
	return list
}

// faults returns options of a Player without faults, to be changed.
func faults() *dialogue.PlayerOptions {
	o := dialogue.NoFaults()
	o.Strict = true
	return &o
}

// get dereferences the case's URI.
func (x *subject) get(ctx context.Context, c *fetch.Client, trace func(fetch.Event)) (*fetch.Document, error) {
	o := x.Options
	o.Trace = trace
	return c.Get(ctx, x.uri, &o)
}
