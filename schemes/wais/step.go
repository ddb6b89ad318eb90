package wais

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/schemes/wais/internal/z3950"
	"example.org/deref/uri"
)

// A step is
//
//	search DATABASE [also DATABASE]... most N [date DATES] [like TYPE DOCID PART]...  and the words as data
//	retrieve DATABASE TYPE bytes|lines FROM-TO                                        and the DocID as data
//	init SIZE
//
// and encode converts it to bytes.
const (
	verbInit     = "init"
	verbSearch   = "search"
	verbRetrieve = "retrieve"
)

// encode returns the APDU of a step.
func encode(s fetch.Step) []byte {
	switch s.Verb {
	case verbInit:
		size, _ := urifield.Digits(s.Args[0])
		return (&z3950.Init{Options: z3950.CanSearch, PreferredSize: size, MaximumSize: size}).AppendInit(nil)
	case verbRetrieve:
		from, to, _ := span(s.Args[3])
		return z3950.NewRetrieval(s.Args[0], z3950.Request{
			DocID: s.Data, Type: s.Args[1], Unit: s.Args[2][0], Start: int(from), End: int(to),
		}).Append(nil)
	}
	return search(s).Append(nil)
}

func search(s fetch.Step) *z3950.Search {
	q := z3950.NewWords(s.Data, 0, s.Args[0])
	for a := s.Args[1:]; len(a) > 1; {
		switch a[0] {
		case "also":
			q.Databases = append(q.Databases, a[1])
		case "most":
			q.Max, _ = urifield.Digits(a[1])
		case "date":
			q.DateFactor, q.Begin, q.End, _ = dates(a[1])
		case "like":
			f := z3950.Feedback{Type: a[1], DocID: docIDOf(a[2])}
			f.Unit, f.Start, f.End, _ = part(a[3])
			q.Like = append(q.Like, f)
			a = a[2:]
		}
		a = a[2:]
	}
	return q
}

// dates parses the setting of dates: factor, begin, end.
func dates(s string) (factor int, begin, end string, ok bool) {
	switch begin, end, ok = strings.Cut(s, "-"); {
	case s == "later":
		return 2, "", "", true
	case s == "earlier":
		return 3, "", "", true
	}
	_, b := urifield.Digits(begin)
	_, e := urifield.Digits(end)
	return 4, begin, end, ok && b && e
}

// likeArgs returns the arguments for relevance feedback: text is the URI of a similar document, or with #lines=FROM-TO of a part of one.
func likeArgs(text string, m uri.Mode) ([]string, error) {
	u, err := m.Parse(text)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "%s: %w", setLike, err)
	}
	r, err := parse(u, m)
	if err != nil || u.Scheme() != "wais" || r.What != whatDocument {
		return nil, fetch.BadSetting(setLike, "%s must be the wais URI of a document", setLike)
	}
	wtype, err := r.oneType(&fetch.Options{})
	if err != nil {
		return nil, err
	}
	which := "all"
	if f, ok := u.Fragment(); ok {
		which = f.Decode()
	}
	if _, _, _, ok := part(which); !ok {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "a part of a document must be #lines=FROM-TO, #bytes= or #paragraphs=")
	}
	return []string{"like", wtype, wpathOf(string(r.DocID)), which}, nil
}

// wpathOf returns the most readable path that decodes to exactly that DocID.
func wpathOf(docID string) string {
	list := wpaths(docID)
	for _, path := range list {
		if docIDOf(path) == docID {
			return path
		}
	}
	return list[len(list)-1]
}

// docIDOf is the inverse of wpathOf.
func docIDOf(wpath string) string {
	if isTokens(wpath) {
		return tokens(wpath).String()
	}
	return uri.Escaped(wpath).Decode()
}

// part parses all, bytes=FROM-TO, lines=FROM-TO, paragraphs=FROM-TO.
func part(s string) (unit byte, from, to int, ok bool) {
	if s == "all" {
		return z3950.Whole, 0, 0, true
	}
	word, numbers, _ := strings.Cut(s, "=")
	f, t, ok := span(numbers)
	switch word {
	case "bytes", "lines", "paragraphs":
		return word[0], int(f), int(t), ok
	}
	return 0, 0, 0, false
}

// span parses FROM-TO.
func span(s string) (from, to int64, ok bool) {
	a, b, ok := strings.Cut(s, "-")
	f, err := strconv.ParseUint(a, 10, 31)
	t, err2 := strconv.ParseUint(b, 10, 31)
	return int64(f), int64(t), ok && err == nil && err2 == nil
}

func closedSpan(from, to int64) string {
	return strconv.FormatInt(from, 10) + "-" + strconv.FormatInt(to, 10)
}

// openSpan returns the span of a chunk in a Plan.
func openSpan(chunk int) string { return "<n>-<n+" + strconv.Itoa(chunk) + ">" }
