package gemtext

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
)

// Document returns a Document of what follows a status line that declares mediaType. It has Entries if that is text/gemini.
func Document(c *fetch.Conn, mediaType string, p *fetch.Plan, env *fetch.Env, prompts bool) *fetch.Document {
	d := fetch.NewDocument(c)
	d.Type, d.TypeReason, d.End = mediaType, "the server's status line", fetch.EndClosed
	if !strings.HasPrefix(mediaType, "text/") {
		c.Record(fetch.RecordOctets)
	}
	if mediatype.Essence(mediaType) == "text/gemini" {
		d.ListWith(func(r io.Reader) iter.Seq2[fetch.Entry, error] {
			return Listing(d.Source().NewReader(r), p.URI, env, prompts)
		})
		d.UTF8Entries = true
	}
	return d
}

// WriteLink writes a link line to a path, which it escapes.
func WriteLink(w io.Writer, path, label string) error {
	_, err := fmt.Fprintf(w, "=> %s %s\n", (&url.URL{Path: path}).EscapedPath(), label)
	return err
}

// WriteMembers writes a link line for each member of a directory. label returns what is shown of a name.
func WriteMembers(w io.Writer, members []fs.DirEntry, label func(name string) string) {
	for _, m := range members {
		name := m.Name()
		if m.IsDir() {
			name += "/"
		}
		WriteLink(w, "./"+name, label(name))
	}
}

// IsType reports whether a status line may declare s as the media type.
func IsType(s string) bool {
	return strings.Contains(s, "/") && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// Grammar is the fetch.Scheme.Grammar of gemini and spartan: a request consists of words with single spaces between them.
func Grammar(s *fetch.Step) error {
	for _, word := range s.Args {
		if word == "" || strings.ContainsFunc(word, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
			return errors.New("a space or control character in a word of the request")
		}
	}
	return nil
}
