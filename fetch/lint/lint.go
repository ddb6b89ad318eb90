// Package lint tests a server against the specification of its protocol. It sends a fixed set of at most 20 requests, one at a time, by the same
// handlers as all other requests, in strict mode:
//
//	r, err := lint.Run(ctx, client, uri.MustParse("ftp://127.0.0.1/pub/"), nil)
//	for _, c := range r.Checks {
//		for _, f := range c.Findings {
//			fmt.Println(f)
//		}
//	}
//
// A finding is something that the handler tolerates (fetch.Options.Strict), or a result that the specification excludes: a document under a
// name that does not exist, a part that is not the requested one, a transfer that breaks off. The checks of a scheme are a table (ftp.go,
// http.go, ...), each with the section on which it relies.
//
// Nothing is changed on the server, and no name is tried for its own sake except one that does not exist. The first request gets the given
// URI. If that is a listing, the checks of documents use one of its entries; if it is a document, those of listings use its directory.
package lint

import (
	"context"
	"io"
	"slices"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// MaxRequests is the most that one run sends.
const MaxRequests = 20

// Options controls a run; nil means the zero value.
type Options struct {
	Request *fetch.Options // for every request: settings, credentials, trace
	Done    func(Check)    // is called after each check
}

// A Report is the result of a run.
type Report struct {
	URI      uri.URI `json:"uri"`
	Requests int     `json:"requests"` // that were sent
	Findings int     `json:"findings"` // of all checks
	Checks   []Check `json:"checks"`
}

// A Check is one request and what it found.
type Check struct {
	Name    string `json:"name"`    // "a file"
	Rule    string `json:"rule"`    // what is right: "a name that does not exist is refused"
	Section string `json:"section"` // that says so
	URI     string `json:"uri,omitempty"`

	Findings []fetch.Deviation `json:"findings,omitempty"` // without those that an earlier check has; empty if the server has passed
	Skipped  string            `json:"skipped,omitempty"`  // why the check was not made, or ""
}

// Schemes returns the schemes that Run has checks for.
func Schemes() []string {
	var names []string
	for _, t := range tables() {
		names = append(names, t.schemes...)
	}
	return names
}

// Run tests the server of u. It returns an error if u's scheme has no checks, or if the first request fails, so that nothing is known about
// the server; the report then has what was found until then.
func Run(ctx context.Context, c fetch.Getter, u uri.URI, o *Options) (*Report, error) {
	if o == nil {
		o = &Options{}
	}
	i := slices.IndexFunc(tables(), func(t table) bool { return slices.Contains(t.schemes, u.Scheme()) })
	r := &Report{URI: u.WithoutPassword(), Checks: []Check{}}
	if i < 0 {
		return r, fetch.Errorf(fetch.ErrUnsupported, "no checks for %s", u.Scheme())
	}
	t := tables()[i]
	s := &site{base: u, table: t, found: map[fetch.Deviation]bool{}}
	for n, ch := range t.checks {
		res, err := s.check(ctx, c, o, ch, r)
		r.Checks = append(r.Checks, res)
		r.Findings += len(res.Findings)
		if o.Done != nil {
			o.Done(res)
		}
		if ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		if n == 0 && err != nil {
			return r, err
		}
	}
	return r, nil
}

// check makes one check. It returns the error of the request.
func (s *site) check(ctx context.Context, c fetch.Getter, o *Options, ch check, r *Report) (Check, error) {
	res := Check{Name: ch.name, Rule: ch.rule, Section: ch.section}
	u, ok := s.base, true
	if ch.at != nil {
		u, ok = ch.at(s)
	}
	if !ok {
		res.Skipped = "the server has shown nothing to request"
		return res, nil
	}
	if r.Requests == MaxRequests {
		res.Skipped = "too many requests"
		return res, nil
	}
	r.Requests++
	res.URI = u.WithoutPassword().String()
	a := s.request(ctx, c, o, ch, u)
	found := a.deviations
	switch why := s.judge(ch, a); {
	case why != "" && r.Requests == 1 && isRefusal(fetch.KindOf(a.err)):
		res.Skipped = a.err.Error() // the URI is wrong, not the server
	case why != "":
		found = append(found, fetch.Deviation{URI: u.WithoutPassword(), Section: ch.section, Where: ch.name, Text: why})
	}
	for _, d := range found {
		if same := (fetch.Deviation{Section: d.Section, Where: d.Where, Text: d.Text}); !s.found[same] {
			s.found[same] = true
			res.Findings = append(res.Findings, d)
		}
	}
	if a.err == nil {
		s.learn(ch, a)
	}
	return res, a.err
}

// judge returns why the answer is not the right one, or "".
func (s *site) judge(ch check, a *answer) string {
	switch kind := fetch.KindOf(a.err); {
	case a.err == nil && ch.refused != "":
		return "got a document, want a refusal"
	case a.err == nil && ch.judge != nil:
		return ch.judge(s, a)
	case a.err != nil && (kind == "" || kind != ch.refused) && !(ch.optional && isRefusal(kind)):
		return string(kind) + ": " + a.err.Error()
	}
	return ""
}

// isRefusal reports whether the server has declined, in a regular way, what it need not support.
func isRefusal(k fetch.Kind) bool {
	switch k {
	case fetch.ErrNotFound, fetch.ErrRefused, fetch.ErrAuth, fetch.ErrUnsupported, fetch.ErrUnavailable, fetch.ErrRange, fetch.ErrInteractive:
		return true
	}
	return false
}

// maxBody is how much of a document is read. Longer ones are left.
const maxBody = 1 << 20

// An answer is the result of one request.
type answer struct {
	uri        uri.URI
	doc        *fetch.Document // its Body is closed
	body       []byte          // the first maxBody bytes
	whole      bool
	entries    []fetch.Entry // of a listing
	listing    bool
	err        error
	deviations []fetch.Deviation
}

// request sends one request in strict mode and reads the document. No referral is followed.
func (s *site) request(ctx context.Context, c fetch.Getter, o *Options, ch check, u uri.URI) *answer {
	a := &answer{uri: u}
	req := o.Request.Clone()
	if ch.options != nil {
		ch.options(s, req)
	}
	if user, password, ok := s.base.User(); ok { // the URIs of listings have no password
		req.Login = fetch.GivenLogin(user, password)
	}
	var mu sync.Mutex
	req.NoFollow = true
	req.Strict = func(d fetch.Deviation) {
		mu.Lock()
		defer mu.Unlock()
		a.deviations = append(a.deviations, d)
	}
	if a.doc, a.err = c.Get(ctx, u, req); a.doc == nil {
		return a
	}
	if a.err == nil {
		a.read()
	}
	a.doc.Body.Close()
	mu.Lock()
	defer mu.Unlock()
	a.deviations = slices.Clone(a.deviations)
	return a
}

// maxEntries is how many entries of a listing are read.
const maxEntries = 10_000

func (a *answer) read() {
	if a.doc.Entries == nil {
		a.body, a.err = io.ReadAll(io.LimitReader(a.doc.Body, maxBody))
		a.whole = a.err == nil && len(a.body) < maxBody
		return
	}
	a.listing = true
	for e, err := range a.doc.Entries {
		if err != nil {
			a.err = err
			return
		}
		if a.entries = append(a.entries, e); len(a.entries) == maxEntries {
			return
		}
	}
	a.whole = true
}
