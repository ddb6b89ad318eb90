package file

import (
	"io"
	"os"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/wsrc"
	"example.org/deref/uri"
)

// A source file of WAIS (name.src) describes a database, and to search the file is to search that: file:///x.src?words. Such a
// file is the user's own, so the referral may lead to any server.

// isSource reports whether the file can be searched.
func isSource(path string) bool {
	return len(path) > 4 && strings.EqualFold(path[len(path)-4:], ".src")
}

// words are those of a search, nil for none. In the older modes characters are octets of ISO Latin 1 (D20), as they are in WAIS.
func words(u uri.URI, o *fetch.Options) (list []string) {
	if q, ok := u.Query(); ok {
		list = q.Words()
	}
	for _, w := range o.Search {
		if octets, ok := o.Mode.Octets(w); ok {
			w = octets
		}
		list = append(list, w)
	}
	return list
}

// search leads from a source file to the search of its database.
func search(f *os.File, m uri.Mode, words []string) (*fetch.Document, error) {
	text, err := io.ReadAll(io.LimitReader(f, wsrc.MaxLen+1))
	if err != nil {
		return nil, refusal(err)
	}
	s, err := wsrc.Parse(string(text))
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrDecode, "no source file of WAIS: %w", err)
	}
	if name := s.UnknownField(strings.Join(words, " ")); name != "" {
		return nil, &fetch.Error{Kind: fetch.ErrRefusedURL, Text: "a bad query: the database has no field " + strconv.Quote(name),
			Hint: "its source file lists " + strings.Join(s.Fields, ", ")}
	}
	u, err := uri.Parse(s.URL() + "?" + string(uri.JoinWords(m, words...)))
	if err != nil || !u.IsAbs() {
		return nil, fetch.Errorf(fetch.ErrDecode, "the source file does not say where its database is")
	}
	d := fetch.NewDocument(io.NopCloser(strings.NewReader("")))
	d.Type, d.TypeReason, d.Size, d.End = "application/x-wais-source", "suffix .src", 0, fetch.EndDeclared
	d.Referrals = []fetch.Referral{{URI: u, Reason: "a source file of WAIS", Own: true}}
	return d, f.Close()
}
