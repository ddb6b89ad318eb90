package news

import (
	"iter"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/maildoc"
)

// linksOf yields the links of a header field.
func (r *run) linksOf(f mimemail.Field) iter.Seq[fetch.Entry] {
	switch f.Name {
	case "Newsgroups", "Followup-To":
		return func(yield func(fetch.Entry) bool) {
			for g := range strings.SplitSeq(f.Value, ",") {
				if g = strings.TrimSpace(g); g != "poster" && !yield(fetch.Entry{URI: r.groupURI(g), Title: g, Kind: fetch.KindGroup}) {
					return
				}
			}
		}
	case "Xref":
		return func(yield func(fetch.Entry) bool) { r.xref(f.Value, yield) }
	}
	return maildoc.Links(f, r.articleURI)
}

// xref yields the article's numbers in groups of the server that was contacted.
func (r *run) xref(value string, yield func(fetch.Entry) bool) {
	if r.plan.Network == "" {
		return // of an unknown server
	}
	for group, n := range xrefs(value) {
		if !yield(fetch.Entry{URI: r.numberURI(group, n), Title: group + ":" + strconv.FormatInt(n, 10), Kind: fetch.KindMessage,
			Type: articleType}) {
			return
		}
	}
}

// xrefs parses "server group:number ...". The numbers are those of the server that was contacted (RFC 5536 section 3.2.14).
func xrefs(value string) iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		fields := strings.Fields(value)
		for _, f := range fields[min(1, len(fields)):] {
			i := strings.LastIndexByte(f, ':')
			if i < 1 || !isWord(f[:i]) {
				continue
			}
			if n, ok := number(f[i+1:]); ok && !yield(f[:i], n) {
				return
			}
		}
	}
}

// partEntry completes the entry of a part. The fragment of its URI names the part; the server does not see it.
func (r *run) partEntry(_ mimemail.Header, p mimemail.Part, e fetch.Entry) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		e.URI = maildoc.PartURI(r.plan.URI, p.Number)
		yield(e, nil)
	}
}

// onlyPart returns the part of an article that the request names, or a mailbox of the one article.
func (r *run) onlyPart(d *fetch.Document) (*fetch.Document, error) {
	switch {
	case r.mbox:
		return r.mailboxOf(d)
	case r.part == 0:
		return d, nil
	}
	return maildoc.Part(d, r.part, r.env.Limits().Nesting)
}
