package file

import (
	"io"
	"os"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/waissource"
	"example.org/deref/uri"
)

// A source file of WAIS (name.src) describes a database. A search in the file, file:///x.src?words, refers to a search in the database.
// Such a file is the user's own, so the referral may be to any server.

// isSource reports whether path is that of a source file.
func isSource(path string) bool {
	return len(path) > 4 && strings.EqualFold(path[len(path)-4:], ".src")
}

// words returns the words of Options.Search. In the older modes, characters are bytes of ISO Latin 1, as in WAIS.
func words(o *fetch.Options) (list []string) {
	for _, w := range o.Search {
		if latin1, ok := o.Mode.Octets(w); ok {
			w = latin1
		}
		list = append(list, w)
	}
	return list
}

// search returns a referral to the search in the database of a source file.
func search(f *os.File, m uri.Mode, words []string) (*fetch.Document, error) {
	text, err := io.ReadAll(io.LimitReader(f, waissource.MaxLen+1))
	if err != nil {
		return nil, withKind(err)
	}
	s, err := waissource.Parse(string(text))
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrDecode, "not a source file of WAIS: %w", err)
	}
	if name := s.UnknownField(strings.Join(words, " ")); name != "" {
		return nil, &fetch.Error{Kind: fetch.ErrRefusedURL, Text: "bad query: the database has no field " + strconv.Quote(name),
			Hint: "its source file lists " + strings.Join(s.Fields, ", ")}
	}
	u, err := uri.Parse(s.URL() + "?" + string(uri.JoinWords(m, words...)))
	if err != nil || !u.IsAbs() {
		return nil, fetch.Errorf(fetch.ErrDecode, "the source file does not name the server of its database")
	}
	d := fetch.NewDocument(io.NopCloser(strings.NewReader("")))
	d.Type, d.TypeReason, d.Size, d.End = "application/x-wais-source", "suffix .src", 0, fetch.EndDeclared
	d.Referrals = []fetch.Referral{{URI: u, Reason: "a source file of WAIS", Own: true}}
	return d, f.Close()
}
