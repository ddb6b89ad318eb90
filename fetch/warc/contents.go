package warc

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"example.org/deref/uri"
)

// An Entry is one capture in an Archive.
type Entry struct {
	URI string
	Capture
}

// Contents yields all captures of an Archive, or those of one scheme and host ("gopher", "h.example:7070"); a host of "" with a scheme means the
// URIs that name none. It stops after an error. Within each archive the captures of a URI come one after the other; the files themselves are not
// sorted into each other.
func (a *Archive) Contents(scheme, host string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if err := a.readAll(); err != nil {
			yield(Entry{}, err)
			return
		}
		a.sorting.Do(func() { a.sorted = slices.Sorted(maps.Keys(a.at)) })
		for _, k := range a.sorted {
			if !isOf(k, scheme, host) {
				continue
			}
			for i, p := range a.at[k] {
				if p.kind != refListing && (p.kind != refDialogue || !isOfDocument(a.at[k][:i], p)) && !yield(Entry{k, p.capture()}, nil) {
					return
				}
			}
		}
		for _, x := range a.indexes {
			for _, prefix := range indexPrefixes(scheme, host) {
				more := true
				err := x.each(prefix, func(line string) bool {
					if !strings.HasPrefix(line, prefix) {
						return false
					}
					e, ok := parseCDXJ(line)
					n, is := x.archives[e.Filename]
					u := strings.TrimPrefix(e.URL, dialoguePrefix)
					if ok && is && isOf(u, scheme, host) {
						p := e.ref(n)
						more = yield(Entry{u, p.capture()}, nil)
					}
					return more
				})
				if err != nil {
					yield(Entry{}, err)
					return
				}
				if !more {
					return
				}
			}
		}
	}
}

// isOfDocument reports whether one of the records before a dialogue is the document that was captured with it.
func isOfDocument(before []recordRef, p recordRef) bool {
	for i := len(before) - 1; i >= 0 && before[i].date == p.date && before[i].file == p.file; i-- {
		if before[i].kind != refListing {
			return true
		}
	}
	return false
}

// indexPrefixes returns the beginnings of the lines about a host.
func indexPrefixes(scheme, host string) []string {
	switch {
	case scheme == "":
		return []string{""}
	case host == "":
		return []string{scheme + ":", dialoguePrefix + scheme + ":"}
	}
	return []string{surtHost(scheme, host) + ")", strings.TrimSuffix(surt(dialoguePrefix+scheme+"://"+host), "/")}
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
