package wais

import (
	"iter"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/schemes/wais/internal/z3950"
	"example.org/deref/uri"
)

// listing returns the hits of a search as entries. The database that a hit of type WSRC describes follows the hit.
func (x *exchange) listing(a *z3950.Response) (*fetch.Document, error) {
	x.atRest = true
	hits := a.Hits
	catalogue, nothing := noHit(hits)
	if nothing {
		hits = nil
	}
	if len(hits) == 0 && len(a.Diagnostics) > 0 {
		return nil, refusal(a.Diagnostics[0], false)
	}
	d := fetch.NewListing(x.entries(hits))
	notes(d, a)
	if nothing {
		if e := x.entry(catalogue); !e.URI.IsZero() {
			d.Header.Set("Catalogue", e.URI.String())
		}
	}
	return d, nil
}

// noHit returns the record of the catalogue that servers send if they found nothing. It has no score, and is a file *.cat.
func noHit(hits []z3950.Hit) (catalogue z3950.Hit, ok bool) {
	if len(hits) != 1 || hits[0].Score > 0 {
		return catalogue, false
	}
	id, err := z3950.ParseDocID(hits[0].DocID)
	if err != nil {
		return catalogue, false
	}
	local, _ := id.Get(z3950.OriginalLocalID)
	return hits[0], strings.HasSuffix(local, ".cat")
}

func (x *exchange) entries(hits []z3950.Hit) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		for _, h := range hits {
			if !yield(x.entry(h), nil) {
				return
			}
			if typesOf(h)[0] != typeSource {
				continue
			}
			switch e, ok, err := x.database(h); {
			case err != nil:
				x.done(false)
				yield(fetch.Entry{}, err)
				return
			case ok && !yield(e, nil):
				return
			}
		}
		x.done(true)
	}
}

// typesOf returns the types of a hit, the default first.
func typesOf(h z3950.Hit) []string {
	if len(h.Types) == 0 {
		return []string{"TEXT"}
	}
	return h.Types
}

// entry converts a hit. Its URI retrieves exactly that document. The headline of a hit of type URL is the address.
func (x *exchange) entry(h z3950.Hit) fetch.Entry {
	e := fetch.Entry{Title: text(h.Headline), Kind: fetch.KindFile, Type: mediaType(typesOf(h)[0]), Size: -1, Attr: attributes(h)}
	if h.Length >= 0 {
		e.Size = int64(h.Length)
	}
	if t, ok := date(h.Date); ok {
		e.Modified, e.Precision, e.ZoneUnknown = t, 24*time.Hour, true
	}
	if typesOf(h)[0] == typeURL {
		if u, ok := address(h.Headline); ok {
			e.URI, e.Kind = u, fetch.KindLink
			return e
		}
	}
	all := typesOf(h)
	u, ok := x.uriOf(h.DocID, h.Length, all...)
	if !ok {
		e.Kind = fetch.KindUnknown
		e.Attr["malformed"] = []string{"no URI can name its DocID"}
		return e
	}
	e.URI = u
	if len(all) > 1 {
		for _, t := range all {
			if u, ok := x.uriOf(h.DocID, -1, t); ok {
				e.Attr["alternative"] = append(e.Attr["alternative"], u.String())
			}
		}
	}
	return e
}

// uriOf returns the URI of a document, in a form that libwww and Lynx also read, and verifies that it parses to exactly that DocID.
func (x *exchange) uriOf(docID string, size int, types ...string) (uri.URI, bool) {
	var b strings.Builder
	b.WriteString(x.site())
	b.WriteString(string(uri.Segment.Escape(uri.RFC3986, string(x.Database))))
	for i, t := range types {
		b.WriteByte("/,"[min(i, 1)])
		b.WriteString(string(uri.Segment.Escape(uri.RFC3986, t)))
	}
	for _, path := range wpaths(docID) {
		length := "/"
		if size > 0 && isTokens(path) {
			length = "/" + strconv.Itoa(size) + "/"
		}
		u, err := uri.Parse(b.String() + length + path)
		if err != nil {
			continue
		}
		r, err := parse(u, uri.RFC3986)
		if err == nil && string(r.DocID) == docID && r.Database == x.Database && string(*r.WType) == strings.Join(types, ",") {
			return u, true
		}
	}
	return uri.URI{}, false
}

// site returns the server's URI up to the path.
func (x *exchange) site() string {
	s := "wais://" + string(x.plan.URI.Host())
	if n := x.plan.URI.PortNumber(port); n != port {
		s += ":" + strconv.Itoa(n)
	}
	return s + "/"
}

// attributes returns the elements of a hit that an Entry has no field for.
func attributes(h z3950.Hit) map[string][]string {
	m := map[string][]string{}
	number := func(name string, n int) {
		if n >= 0 {
			m[name] = []string{strconv.Itoa(n)}
		}
	}
	words := func(name string, list ...string) {
		for _, s := range list {
			if s != "" {
				m[name] = append(m[name], text(s))
			}
		}
	}
	number("score", h.Score)
	number("best-match", h.BestMatch)
	number("lines", h.Lines)
	number("version", h.Version)
	words("types", h.Types...)
	words("date", h.Date)
	words("source", h.Source)
	words("origin-city", h.City)
	words("stock-codes", h.Stock)
	words("company-codes", h.Company)
	words("industry-codes", h.Industry)
	words("docid", wpaths(h.DocID)[0])
	return m
}

// date parses YYMMDD or YYYYMMDD. "0" means no date.
func date(s string) (time.Time, bool) {
	for _, layout := range [...]string{"060102", "20060102"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// text returns a server's text in UTF-8. Text that is not UTF-8 is ISO Latin 1.
func text(octets string) string {
	if utf8.ValidString(octets) {
		return octets
	}
	return uri.RFC1630.Text(octets)
}

// address parses a text that is a URI and nothing else.
func address(text string) (uri.URI, bool) {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, " \t\r\n") {
		return uri.URI{}, false
	}
	u, err := uri.Parse(text)
	return u, err == nil && u.IsAbs()
}
