package csotest

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/lineproto"
)

// describe sends the fields of queries (RFC 2378 §3.3).
func describe(w io.Writer) {
	for i, f := range [][2]string{{"alias", "max 255 Indexed Lookup Public Default"}, {"name", "max 255 Indexed Lookup Public Default"}, {"text", "max 65536 Public"}} {
		fmt.Fprintf(w, "-200:%d:%s:%s\r\n-200:%d:%s:The %s of a file.\r\n", i+1, f[0], f[1], i+1, f[0], f[0])
	}
	fmt.Fprint(w, "200:Ok.\r\n")
}

// query answers "query SELECTION return FIELDS".
func query(w io.Writer, fsys fs.FS, most int, text string) {
	wanted, fields := split(text)
	if len(wanted) == 0 {
		fmt.Fprint(w, "515:No indexed field in query.\r\n")
		return
	}
	for _, f := range fields {
		if !slices.Contains([]string{"alias", "name", "text"}, f) {
			fmt.Fprintf(w, "507:Field %s does not exist.\r\n", f)
			return
		}
	}
	found := find(fsys, wanted)
	switch {
	case len(found) == 0:
		fmt.Fprint(w, "501:No matches to your query.\r\n")
		return
	case len(found) > most:
		fmt.Fprint(w, "502:Too many matches to your query.\r\n")
		return
	}
	fmt.Fprintf(w, "102:There were %d matches to your request.\r\n", len(found))
	for i, file := range found {
		show(w, fsys, i+1, file, fields)
	}
	fmt.Fprint(w, "200:Ok.\r\n")
}

// split parses a query.
func split(text string) (wanted, fields []string) {
	for word := range strings.FieldsSeq(text) {
		switch {
		case fields == nil && strings.EqualFold(word, "return"):
			fields = []string{}
		case fields != nil && strings.EqualFold(word, "all"):
			fields = append(fields, "alias", "name", "text")
		case fields != nil:
			fields = append(fields, loopback.Lower(word))
		default:
			wanted = append(wanted, loopback.Lower(word))
		}
	}
	if len(fields) == 0 {
		fields = []string{"alias", "name"}
	}
	return wanted, fields
}

func find(fsys fs.FS, wanted []string) (found []string) {
	fs.WalkDir(fsys, ".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && fits(file, wanted) {
			found = append(found, file)
		}
		return err
	})
	return found
}

func fits(file string, wanted []string) bool {
	alias, words := loopback.Lower(file), strings.Fields(nameOf(loopback.Lower(file)))
	for _, w := range wanted {
		field, value, named := strings.Cut(w, "=")
		if named && field == "alias" {
			if !lineproto.MatchWildmat(value, alias) {
				return false
			}
			continue
		}
		if !named {
			value = field
		}
		if !slices.ContainsFunc(words, func(word string) bool { return lineproto.MatchWildmat(value, word) }) {
			return false
		}
	}
	return true
}

// nameOf returns the words of a path.
func nameOf(file string) string {
	return strings.TrimSpace(strings.NewReplacer("/", " ", "-", " ", "_", " ").Replace(strings.TrimSuffix(file, path.Ext(file))))
}

// show sends one entry. Further lines of a value have no field name.
func show(w io.Writer, fsys fs.FS, n int, file string, fields []string) {
	for _, f := range fields {
		value := map[string]string{"alias": file, "name": nameOf(file)}[f]
		if f == "text" {
			b, err := loopback.ReadFile(fsys, file)
			if value = strings.TrimSuffix(string(b), "\n"); err != nil || !utf8.Valid(b) {
				fmt.Fprintf(w, "-508:%d:%12s: Not present in entry.\r\n", n, f)
				continue
			}
		}
		for line := range strings.SplitSeq(value, "\n") {
			fmt.Fprintf(w, "-200:%d:%12s: %s\r\n", n, f, strings.TrimRight(line, "\r"))
			f = ""
		}
	}
}
