package lint

import (
	"bytes"
	"fmt"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A table has the checks of schemes of one protocol, in the order in which they are made. The first one requests the given URI.
type table struct {
	schemes []string
	isFile  func(fetch.Entry) bool // reports whether an entry is a document for the checks
	checks  []check
}

// tables returns all checks.
func tables() []table {
	return []table{ftpTable(), gopherTable(), geminiTable(), httpTable(), newsTable(), fingerTable(), whoisTable(), dictTable()}
}

// A check is one request, and what a correct server answers. A correct answer is a document, unless refused is set.
type check struct {
	name    string
	rule    string
	section string
	at      place                       // nil stands for the given URI
	options func(*site, *fetch.Options) // changes the options; nil changes nothing
	refused fetch.Kind                  // the error that is right; "" if a document is
	judge   func(*site, *answer) string // returns what is wrong with a document, or ""; nil means nothing
	learn   func(*site, *answer)        // remembers something for later checks; may be nil

	optional bool // the server need not support it: every refusal (isRefusal) is right, too
}

// absent returns the check of a name that does not exist.
func absent(name, rule, section string, at place) check {
	return check{name: name, rule: rule, section: section, at: at, refused: fetch.ErrNotFound}
}

// partial returns the check of a part of the document.
func partial(name, rule, section string, at place, from, to int64) check {
	return check{name: name, rule: rule, section: section, at: at, options: part(from, to), judge: isPart(from, to), optional: true}
}

// A place returns what is requested; false if there is no such URI.
type place func(*site) (uri.URI, bool)

// A site is what is known about the server.
type site struct {
	table table
	base  uri.URI // as given
	dir   uri.URI // a listing; zero if unknown
	file  uri.URI // a document in it; zero if unknown
	entry fetch.Entry
	whole *answer // the whole document, once it was requested

	entries []fetch.Entry            // of the first listing
	found   map[fetch.Deviation]bool // without their URIs: each is reported once, by the first check that meets it
	group   uri.URI                  // of news; zero if unknown
}

// learn finds the listing and the document that later checks use.
func (s *site) learn(ch check, a *answer) {
	if ch.learn != nil {
		ch.learn(s, a)
	}
	switch {
	case !a.listing && s.file.IsZero() && a.uri == s.base:
		s.file = s.base
		s.whole = a
	case a.listing && s.dir.IsZero():
		s.dir, s.entries = a.uri, a.entries
	}
	if !a.listing || !s.file.IsZero() {
		return
	}
	for _, e := range a.entries {
		if s.table.isFile == nil || !s.table.isFile(e) || !s.sameServer(e.URI) || e.Size > maxBody/2 || e.Size == 0 {
			continue
		}
		if s.file.IsZero() || e.Size > 0 {
			s.file, s.entry = e.URI, e
		}
		if e.Size > 0 {
			return // known to be short
		}
	}
}

func (s *site) sameServer(u uri.URI) bool {
	_, has := u.Authority()
	return !has && u.IsAbs() && u.Scheme() == s.base.Scheme() ||
		u.Scheme() == s.base.Scheme() && strings.EqualFold(u.Hostname(), s.base.Hostname()) && u.Port() == s.base.Port()
}

// The URIs of checks.

func atFile(s *site) (uri.URI, bool) { return s.file, !s.file.IsZero() }

// atDirectory returns the listing, or the directory of the document.
func atDirectory(s *site) (uri.URI, bool) {
	if !s.dir.IsZero() {
		return s.dir, true
	}
	p := string(s.base.Path())
	u, err := s.base.Edit().Path(uri.Escaped(p[:strings.LastIndexByte(p, '/')+1])).NoQuery().NoFragment().URI()
	return u, err == nil && u.Path() != ""
}

// missing is a name that no server has.
const missing = "deref-lint-no-such-name"

// atMissing returns a name in the directory that does not exist, with that end.
func atMissing(end string) place {
	return func(s *site) (uri.URI, bool) {
		dir, ok := atDirectory(s)
		if !ok {
			return dir, false
		}
		u, err := dir.Edit().Path(uri.Escaped(strings.TrimSuffix(string(dir.Path()), "/") + "/" + missing + end)).NoQuery().URI()
		return u, err == nil
	}
}

// atPath returns a path on the server, without a query.
func atPath(path uri.Escaped) place {
	return func(s *site) (uri.URI, bool) {
		u, err := s.base.Edit().Path(path).NoQuery().NoFragment().URI()
		return u, err == nil
	}
}

// Options of checks.

func metadata(_ *site, o *fetch.Options) { o.Op = fetch.Metadata }

func part(from, to int64) func(*site, *fetch.Options) {
	return func(_ *site, o *fetch.Options) { o.Range = fetch.Range{From: from, To: to} }
}

// afterEnd is the beginning of a part after the end of the document.
const afterEnd = 1 << 40

func set(key, value string) func(*site, *fetch.Options) {
	return func(_ *site, o *fetch.Options) { o.Put(key, value) }
}

// Judges of documents.

// remember is the judge of the whole document, with which others are compared.
func remember(s *site, a *answer) string {
	s.whole = a
	return ""
}

// isPart compares a part of the document with the whole.
func isPart(from, to int64) func(*site, *answer) string {
	return func(s *site, a *answer) string {
		if s.whole == nil || !s.whole.whole || !a.whole {
			return ""
		}
		want := s.whole.body
		if a.doc.Offset == 0 && bytes.Equal(a.body, want) || !sameState(s.whole, a) {
			return "" // the whole is a correct answer, too
		}
		begin, end, _ := fetch.Range{From: from, To: to}.Of(int64(len(want))) // nothing of a part after the end
		if want = want[begin:end]; !bytes.Equal(a.body, want) {
			return fmt.Sprintf("got %d bytes that are not the requested part, want %d", len(a.body), len(want))
		}
		return ""
	}
}

// isSame compares the document with the one that was requested before.
func isSame(s *site, a *answer) string {
	if s.whole != nil && s.whole.whole && a.whole && sameState(s.whole, a) && !bytes.Equal(a.body, s.whole.body) {
		return fmt.Sprintf("got another document: %d bytes instead of %d", len(a.body), len(s.whole.body))
	}
	return ""
}

// sameState reports whether both answers are of one state of the document, as far as the server says.
func sameState(a, b *answer) bool {
	v, w := a.doc.Validator, b.doc.Validator
	return v.IsZero() && w.IsZero() || v.Same(w)
}

// entryOf returns the first entry of the first listing that fits.
func entryOf(fits func(fetch.Entry) bool) place {
	return func(s *site) (uri.URI, bool) {
		for _, e := range s.entries {
			if !e.URI.IsZero() && s.sameServer(e.URI) && fits(e) {
				return e.URI, true
			}
		}
		return uri.URI{}, false
	}
}

func isListing(_ *site, a *answer) string {
	if !a.listing {
		return "got a document, want a listing"
	}
	return ""
}

func isKind(kind fetch.EntryKind) func(fetch.Entry) bool {
	return func(e fetch.Entry) bool { return e.Kind == kind }
}
