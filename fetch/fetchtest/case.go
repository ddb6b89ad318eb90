package fetchtest

import (
	"context"
	"fmt"
	"os"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/uri"
)

// A Case is one URI, the dialogue that dereferences it, and what comes of it.
type Case struct {
	Name    string // of the subtest; the URI if void
	URI     string
	Options fetch.Options
	Client  func(*fetch.Client) // changes the Client before use: limits, policy
	Beside  []fetch.Scheme      // other schemes that the Client has

	// Script is the dialogue (package dialogue), File a file that holds it. Without either, and without Live, the handler
	// must not contact anybody.
	Script, File string
	// Live means that the URI leads to a server that is really there; then only what needs no script is checked.
	Live bool
	// Times is how often the URI is dereferenced within the dialogue, by one Client; more than once, only the dialogue is compared.
	Times int

	Err     fetch.Kind // the error that is to come, "" a document
	Body    string     // compared if not void
	Type    string     // compared if not void
	End     fetch.End  // compared if not void
	Check   func(t testing.TB, d *fetch.Document, body []byte)
	Secrets []string // what no error and no trace may show, besides the passwords of Options and URI
	Library string   // the Step.If by which the handler announces steps of a library
}

// subject is a Case ready to be tried.
type subject struct {
	Case
	scheme fetch.Scheme
	uri    uri.URI
	script *dialogue.Script
	base   *result // of the plain run, once it was made
}

func newSubject(s fetch.Scheme, c Case) (*subject, error) {
	x := &subject{Case: c, scheme: s}
	var err error
	if x.uri, err = uri.Parse(c.URI); err != nil {
		return nil, fmt.Errorf("the case's URI: %w", err)
	}
	if own, ok := (fetch.Registry{s}).Lookup(x.uri.Scheme()); !ok || own.Name() != s.Name() {
		return nil, fmt.Errorf("%s is no URI of the scheme %s", c.URI, s.Name())
	}
	text := c.Script
	if c.File != "" {
		b, err := os.ReadFile(c.File)
		if err != nil {
			return nil, err
		}
		text = string(b)
	}
	if x.script, err = dialogue.Parse(text); err != nil {
		return nil, fmt.Errorf("the script: %w", err)
	}
	return x, nil
}

func (x *subject) name() string {
	if x.Name != "" {
		return x.Name
	}
	return x.URI
}

// client returns a Client with the case's schemes and wishes.
func (x *subject) client() *fetch.Client {
	c := fetch.New(append([]fetch.Scheme{x.scheme}, x.Beside...)...)
	if x.Client != nil {
		x.Client(c)
	}
	return c
}

// secrets are what may be seen nowhere, in the forms that protocols give them.
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

// faults returns the options of a Player that plays the script without any.
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
