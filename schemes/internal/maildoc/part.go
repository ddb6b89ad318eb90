// Package maildoc makes documents of messages, for mail and news: a single part of a message, its parts as entries, and mailboxes of many
// messages.
package maildoc

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"mime"
	"net/textproto"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/mailstore"
	"example.org/deref/uri"
)

// Part returns a document of part number n of the message d, numbered as in mimemail.Parts. Closing it closes d. If there is no such
// part, Part closes d itself.
func Part(d *fetch.Document, n, nesting int) (*fetch.Document, error) {
	next, stop := iter.Pull2(mimemail.Parts(d.Body, nesting))
	for {
		p, err, ok := next()
		if ok && err == nil && p.Number != n {
			continue
		}
		if ok && err == nil {
			return partDocument(d, p, stop), nil
		}
		stop()
		d.Body.Close()
		if !ok {
			return nil, fetch.Errorf(fetch.ErrNotFound, "the message has no part %d", n)
		}
		return nil, PartError(err)
	}
}

func partDocument(d *fetch.Document, p mimemail.Part, stop func()) *fetch.Document {
	out := fetch.NewDocument(PartBody(p.Body, func() error {
		stop()
		return d.Body.Close()
	}))
	out.Type, out.TypeReason, out.End = p.Type, "part "+strconv.Itoa(p.Number)+" of a message", d.End
	out.Base, out.Modified, out.Precision, out.ZoneUnknown = d.Base, d.Modified, d.Precision, d.ZoneUnknown
	out.Piece, out.Pieces = p.Piece, p.Pieces
	if d.Validator.Tag != "" {
		out.Validator.Tag = d.Validator.Tag + "#part" + strconv.Itoa(p.Number)
	}
	out.Header = textproto.MIMEHeader{"Content-Type": {p.Type}}
	if p.Name != "" {
		out.Header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": p.Name}))
	}
	return out
}

// PartBody returns the Body of a part, whose errors are those of package mimemail.
func PartBody(part io.Reader, close func() error) io.ReadCloser {
	return fetch.NewBody(partReader{part}, close)
}

type partReader struct{ io.Reader }

func (r partReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	return n, PartError(err)
}

// PartError sets the Kind of an error of package mimemail. A message that its author has cut is not worth another try, so it is not ErrTruncated.
func PartError(err error) error {
	if err == nil || err == io.EOF || fetch.KindOf(err) != "" {
		return err
	}
	if _, ok := errors.AsType[mimemail.LimitError](err); ok {
		return fetch.Errorf(fetch.ErrLimit, "%w", err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fetch.Errorf(fetch.ErrDecode, "the message ends within a part: %w", err)
	}
	return fetch.Errorf(fetch.ErrDecode, "cannot decode the part: %w", err)
}

// List makes the message d list its contents: the links that linksOf returns for each field of its header, and the entries that each returns
// for every part. each gets the header of the message and the part's entry without a URI. If the message cannot be read to its end, the last
// entry contains the error.
func List(d *fetch.Document, nesting int, linksOf func(mimemail.Field) iter.Seq[fetch.Entry],
	each func(mimemail.Header, mimemail.Part, fetch.Entry) iter.Seq2[fetch.Entry, error]) {
	d.ListWith(func(in io.Reader) iter.Seq2[fetch.Entry, error] {
		return func(yield func(fetch.Entry, error) bool) {
			fields, message, err := mailstore.CutHeader(in, mimemail.MaxHeader)
			if err != nil {
				yield(fetch.Entry{}, err)
				return
			}
			h := mimemail.ParseHeader(fields)
			for _, f := range h {
				for e := range linksOf(f) {
					e.Size, e.Attr = -1, map[string][]string{"rel": {strings.ToLower(f.Name)}}
					if !e.URI.IsZero() && !yield(e, nil) {
						return
					}
				}
			}
			for p, err := range mimemail.Parts(message, nesting) {
				switch {
				case fetch.KindOf(err) != "":
					yield(fetch.Entry{}, err)
					return
				case err != nil:
					yield(fetch.Entry{Kind: fetch.KindUnknown, Title: err.Error(), Size: -1}, nil)
					return
				}
				for e, err := range each(h, p, entry(p)) {
					if !yield(e, err) || err != nil {
						return
					}
				}
			}
		}
	})
}

// entry returns the entry of a part, without its URI.
func entry(p mimemail.Part) fetch.Entry {
	kind, _, err := mime.ParseMediaType(p.Type)
	if err != nil {
		kind = ""
	}
	number := strconv.Itoa(p.Number)
	e := fetch.Entry{Kind: fetch.KindFile, Type: kind, Size: -1, Title: cmp.Or(p.Name, strings.TrimRight("part "+number+", "+kind, ", ")),
		Attr: map[string][]string{"part": {number}}}
	for name, value := range map[string]string{"path": p.Path, "filename": p.Name, "content-id": p.ID, "encoding": p.Encoding} {
		if value != "" {
			e.Attr[name] = []string{value}
		}
	}
	return e
}

// PartURI returns the URI of a message with a fragment that names a part. Servers do not see the fragment; a setting requests the part.
func PartURI(message uri.URI, n int) uri.URI {
	return message.WithFragment(uri.Escaped(fragment + strconv.Itoa(n)))
}

const fragment = "part"

// Fragment returns a fetch.Scheme.Fragment for schemes whose documents are messages: "part2" becomes the setting's value "2".
func Fragment(setting string) func(string) (key, value string) {
	return func(f string) (string, string) {
		n, ok := strings.CutPrefix(f, fragment)
		if v, err := strconv.Atoi(n); !ok || err != nil || v < 1 {
			return "", ""
		}
		return setting, n
	}
}
