package lint

import (
	"fmt"
	"slices"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func httpTable() table {
	const ranges = "RFC 9110 section 14.2"
	tagged := func(s *site) (uri.URI, bool) { return s.base, s.whole != nil && s.whole.doc.Validator.Tag != "" }
	dated := func(s *site) (uri.URI, bool) { return s.base, s.whole != nil && s.whole.doc.Validator.Modified != "" }
	return table{schemes: []string{"http", "https"}, checks: []check{
		{name: "the URI", rule: "it is sent", section: "RFC 9110 section 9.3.1", judge: remember},
		{name: "HEAD", rule: "the header fields are those of GET", section: "RFC 9110 section 9.3.2", options: metadata, judge: sameHeader},
		{name: "GET with HTTP/1.0", rule: "the same document is sent, without chunks", section: "RFC 9112 section 6.1", options: set("http.version", "1.0"), judge: isSame},
		{name: "GET with the document's tag", rule: "the response is a 304", section: "RFC 9110 section 13.1.2", at: tagged, options: unchanged, judge: is304},
		{name: "GET with another tag", rule: "the document is sent", section: "RFC 9110 section 13.1.2", at: tagged, options: otherTag, judge: isNot304},
		{name: "GET with a date before the document's", rule: "the document is sent", section: "RFC 9110 section 13.1.3", at: dated, options: longAgo, judge: isNot304},
		partial("the first byte", "that part is sent, or the whole", ranges, nil, 0, 1),
		partial("all but the first byte", "that part is sent, or the whole", ranges, nil, 1, 0),
		partial("the last byte", "that part is sent, or the whole", ranges, nil, -1, 0),
		{name: "a part after the end", rule: "the response is a 416, or the whole", section: "RFC 9110 section 15.5.17", options: part(afterEnd, 0),
			judge: isSame, optional: true},
		{name: "GET with codings", rule: "the decoded document is the same", section: "RFC 9110 section 8.4", options: set("http.compressed", "1"), judge: isSame},
		absent("a missing document", "a name that does not exist is a 404 or 410", "RFC 9110 section 15.5.5", atMissing(".html")),
		{name: "HEAD of a missing document", rule: "the status is that of GET", section: "RFC 9110 section 9.3.2", at: atMissing(".html"), options: metadata, refused: fetch.ErrNotFound},
		{name: "the URI again", rule: "the same state has the same bytes", section: "RFC 9110 section 8.8.1", judge: isSame},
	}}
}

// sameHeader compares the fields of a HEAD with those of the GET before it. Content-Length may be missing (RFC 9110 section 8.6).
func sameHeader(s *site, a *answer) string {
	if s.whole == nil || !sameState(s.whole, a) {
		return ""
	}
	for _, name := range []string{"Content-Type", "Content-Length", "Content-Encoding", "Etag", "Last-Modified"} {
		get, head := s.whole.doc.Header[name], a.doc.Header[name]
		if !slices.Equal(get, head) && (len(head) > 0 || name != "Content-Length") {
			return fmt.Sprintf("%s is %q, but %q with GET", name, head, get)
		}
	}
	return ""
}

// unchanged names the known state, but not by its date: the server compares the tag if it gets both.
func unchanged(s *site, o *fetch.Options) {
	v := s.whole.doc.Validator
	o.IfChanged = fetch.Validator{Tag: v.Tag, Size: v.Size}
}

func otherTag(_ *site, o *fetch.Options) { o.IfChanged = fetch.Validator{Tag: `"deref-lint"`} }

func longAgo(_ *site, o *fetch.Options) {
	o.IfChanged = fetch.Validator{Modified: "Sun, 06 Nov 1994 08:49:37 GMT"}
}

func is304(s *site, a *answer) string {
	if a.doc.Status != 304 && sameState(s.whole, a) {
		return fmt.Sprintf("got %d, want 304", a.doc.Status)
	}
	return ""
}

func isNot304(_ *site, a *answer) string {
	if a.doc.Status == 304 {
		return "got 304, want the document"
	}
	return ""
}
