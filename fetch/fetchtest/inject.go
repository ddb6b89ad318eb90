package fetchtest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

const injected = "INJECTED"

// checkInjection: a URI with CR, LF or NUL in any part is refused before a server is contacted, or these bytes do not reach a line. Data that a
// protocol sends by length may contain them.
func checkInjection(x *subject) error {
	var errs []error
	for _, v := range x.injections() {
		if err := v.check(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", v.URI, err))
		}
	}
	return errors.Join(errs...)
}

// injections returns variants of the subject with bytes that end a line.
func (x *subject) injections() []*subject {
	var list []*subject
	add := func(u string, o fetch.Options) {
		parsed, err := x.Options.Mode.Parse(u)
		if err != nil {
			return // refused by the grammar
		}
		v := *x
		v.URI, v.uri, v.Options = u, parsed, o
		list = append(list, &v)
	}
	for _, end := range []string{"%0D%0A", "%0A", "%0D", "%00"} {
		for _, u := range spots(x.uri, end+injected) {
			add(u, x.Options)
		}
	}
	for _, end := range []string{"\r\n", "\n", "\x00"} {
		o := x.Options
		o.Search = []string{"a" + end + injected}
		add(x.URI, o)
		o = x.Options
		o.Login = fetch.Login{User: "u" + end + injected, Password: "p" + end + injected, Set: true}
		add(x.URI, o)
	}
	return list
}

// spots returns copies of u with text in each part.
func spots(u uri.URI, text string) []string {
	s, _, _ := strings.Cut(u.String(), "#")
	head, query, has := strings.Cut(s, "?")
	list := []string{s + text}
	if has {
		list = append(list, head+text+"?"+query)
	}
	if i := strings.LastIndexByte(head, '/'); i > len(u.Scheme())+2 {
		list = append(list, head[:i+1]+"a"+text+s[i:])
	}
	if rest, ok := strings.CutPrefix(s, u.Scheme()+"://"); ok {
		_, rest, found := strings.Cut(rest, "@")
		if !found {
			rest = strings.TrimPrefix(s, u.Scheme()+"://")
		}
		list = append(list, u.Scheme()+"://user"+text+"@"+rest, u.Scheme()+"://user:pass"+text+"@"+rest)
	}
	return list
}

// soon is how long a conversation that must fail may last.
const soon = 200 * time.Millisecond

// check plans the variant. If it has a plan, check runs it and looks for an injected line.
func (x *subject) check() error {
	a := x.briefly()
	if err := a.open(); err != nil {
		return err
	}
	p, err := x.plan(a)
	if err != nil {
		a.player.Close()
		return refusal(err)
	}
	if x.Live {
		return nil // do not attack real servers
	}
	carried := carries(p)
	if _, err := a.run(); err != nil {
		return err
	}
	return a.smuggled(carried)
}

// refusal returns nil if a handler may refuse a URI with err.
func refusal(err error) error {
	switch fetch.KindOf(err) {
	case fetch.ErrRefusedURL, fetch.ErrUnsupported, fetch.ErrRange, fetch.ErrRefusedPort, fetch.ErrDenied, fetch.ErrAuth, fetch.ErrNotFound, fetch.ErrLocal:
		return nil
	}
	return fmt.Errorf("planning returns an error of kind %q, want %s: %w", fetch.KindOf(err), fetch.ErrRefusedURL, err)
}

// carries reports whether a step carries the injected text by length or quoting.
func carries(p *fetch.Plan) bool {
	for _, s := range p.Steps {
		if strings.Contains(s.Data, injected) {
			return true
		}
	}
	return false
}

// smuggled returns an error if the server received the injected text as a separate line.
func (a *attempt) smuggled(carried bool) error {
	for n := range len(a.player.Dialled()) + 1 {
		fromClient, _ := a.player.Wire(n)
		for _, end := range []string{"\n", "\r", "\x00"} {
			lines := a.trace.lines[n]
			if bytes.Contains(fromClient, []byte(end+injected)) && (lines || !carried && end != "\x00") {
				return fmt.Errorf("the bytes after %q reach the server as a line of their own: %q: put decoded text into Step.Verb or Step.Args", end, fromClient)
			}
		}
	}
	return nil
}
