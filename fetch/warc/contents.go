package warc

import (
	"iter"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/cdx"
	"example.org/deref/uri"
)

// An Entry is one capture in an Archive.
type Entry struct {
	URI string
	Capture
	Place string // of the captures of this URI, for Query.From
}

// A Query selects captures. The zero Query selects all.
type Query struct {
	Scheme string // "" means any
	Host   string // and port, as in the URI: "h.example:7070"; with a Scheme, "" means the URIs that name none
	Day    string // 2006-01-02; "" means any
	From   string // an Entry's Place: captures from there on; "" means from the beginning
}

// Contents yields the captures of an Archive that a Query selects. It stops after an error. Within each archive the captures of a URI come one
// after the other, except failures; the files themselves are not sorted into each other. Of an archive with an index, only the lines from the
// first one that may be selected are read, and nothing is held in memory.
func (a *Archive) Contents(q Query) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		source, key, err := q.place()
		if err == nil {
			err = a.readAll()
		}
		if err != nil {
			yield(Entry{}, err)
			return
		}
		prefixes := indexPrefixes(q.Scheme, q.Host)
		for n := max(source-1, 0); n < len(a.indexes)*len(prefixes); n++ {
			if n+1 > source {
				key = ""
			}
			if !a.indexContents(q, a.indexes[n/len(prefixes)], prefixes[n%len(prefixes)], n+1, key, yield) {
				return
			}
		}
	}
}

// place parses From: the number of a source, from 1 on, and a key. It returns 0 for the beginning.
func (q *Query) place() (source int, key string, err error) {
	if q.From == "" {
		return 0, "", nil
	}
	number, key, _ := strings.Cut(q.From, " ")
	if source, err = strconv.Atoi(number); err != nil || source < 0 {
		return 0, "", fetch.Errorf(fetch.ErrRefusedURL, "%.40q is not a place in the archive", q.From)
	}
	return source, key, nil
}

// indexContents yields the captures in the lines of an index that begin with prefix, from a key on. It returns false if yield does, and after
// an error.
func (a *Archive) indexContents(q Query, x *indexFile, prefix string, source int, from string, yield func(Entry, error) bool) (more bool) {
	day := strings.ReplaceAll(q.Day, "-", "")
	more = true
	err := x.each(max(prefix, from), func(line string) bool {
		if !strings.HasPrefix(line, prefix) {
			return false
		}
		key, rest, _ := strings.Cut(line, " ")
		if !strings.HasPrefix(rest, day) { // before the rest is parsed
			return true
		}
		if p, u, ok := x.ref(line); ok && isOf(u, q.Scheme, q.Host) {
			more = yield(Entry{u, p.capture(), strconv.Itoa(source) + " " + key}, nil)
		}
		return more
	})
	if err != nil {
		yield(Entry{}, err)
		return false
	}
	return more
}

// indexPrefixes returns the beginnings of the lines about a host.
func indexPrefixes(scheme, host string) []string {
	switch {
	case scheme == "":
		return []string{""}
	case host == "":
		return []string{scheme + ":", dialoguePrefix + scheme + ":"}
	}
	return []string{cdx.HostKey(scheme, host), strings.TrimSuffix(cdx.Key(dialoguePrefix+scheme+"://"+host), "/")}
}

// isOf reports whether a URI has the scheme and host; a scheme of "" means any.
func isOf(s, scheme, host string) bool {
	if scheme == "" {
		return true
	}
	gotScheme, gotHost := Origin(s)
	return gotScheme == scheme && gotHost == host
}

// Origin returns the scheme of a URI, and its host and port if it has one, both in lower case. Contents selects by them.
func Origin(s string) (scheme, host string) {
	u, err := uri.Parse(s)
	if err != nil {
		scheme, _, _ = strings.Cut(s, ":")
		return strings.ToLower(scheme), ""
	}
	host = authorityOf(u)
	return strings.ToLower(u.Scheme()), strings.ToLower(host[strings.LastIndexByte(host, '@')+1:])
}
