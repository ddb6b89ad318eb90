package fsview

import (
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// nameOf returns a valid name for e, or "". Package path takes a backslash as an escape in patterns, and fstest.TestFS refuses it.
func nameOf(e fetch.Entry) string { return strings.ReplaceAll(pickName(e), `\`, "%5C") }

// pickName returns the entry's title if it is a valid name, else the last part of its URI, with its escapes if it is not UTF-8, or "". A title that is made from a file name names
// the file: the columns of a listing, or a name without its suffix.
func pickName(e fetch.Entry) string {
	title, last := e.Title, lastPart(e.URI)
	if column, ok := nameColumn(e.Title); ok {
		if name := unquote(last); strings.HasPrefix(name, column) && isName(name) {
			return name
		}
		title = ""
	}
	if title == "" || strings.HasPrefix(last, title+".") { // QUIRK: pygopherd 3.0.0-git lists about.txt as "about" (observed)
		title = last
	}
	for _, s := range []string{strings.TrimSuffix(title, "/"), last, lastSegment(e.URI)} { // the last one has escapes for what is not UTF-8
		if isName(s) {
			return s
		}
	}
	return ""
}

// isName reports whether s can be a name in a directory.
func isName(s string) bool {
	return s != "" && s != "." && s != ".." && utf8.ValidString(s) && !strings.ContainsAny(s, "/\x00")
}

// nameColumn returns the first column of a line that also has a date. QUIRK: gophernicus 3.1.1 lists "about.txt      2026-Jan-02 03:04
// 0.1 KB", with the name cut after 35 bytes (observed).
func nameColumn(title string) (name string, ok bool) {
	const blanks, date = "   ", "2006-Jan-02 15:04"
	for i := range title {
		rest, ok := strings.CutPrefix(title[i:], blanks)
		if !ok || len(rest) < len(date) {
			continue
		}
		if _, err := time.Parse(date, rest[:len(date)]); err == nil {
			return strings.TrimRight(title[:i], " "), true
		}
	}
	return "", false
}

// unquote decodes the bytes that gophernicus writes as #040 in selectors.
func unquote(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '#' && i+4 <= len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func lastPart(u uri.URI) string { return uri.Escaped(lastSegment(u)).Decode() }

// lastSegment returns the last part of u with its escapes.
func lastSegment(u uri.URI) string { return path.Base(strings.TrimRight(string(u.Path()), "/")) }
