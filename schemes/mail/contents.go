package mail

import (
	"io"
	"iter"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/schemes/internal/mailstore"
	"example.org/deref/uri"
)

// listContents lists the links in the header of the message d, its parts, and the URIs in its texts.
func (c Config) listContents(d *fetch.Document, at uri.URI, l fetch.Limits) {
	maildoc.List(d, l.Nesting, linksOf, contents{c, at}.part)
}

// readHeader sets the Header of a message from its text. If it fails, it closes the message.
func readHeader(d *fetch.Document) error {
	fields, rest, err := mailstore.CutHeader(d.Body, mimemail.MaxHeader)
	if err != nil {
		d.Body.Close()
		return err
	}
	d.Body = fetch.NewBody(rest, d.Body.Close)
	maildoc.SetFields(d, mimemail.ParseHeader(fields))
	return nil
}

func linksOf(f mimemail.Field) iter.Seq[fetch.Entry] {
	return maildoc.Links(f, func(id string) uri.URI { u, _ := midURI(id); return u })
}

// contents makes the entries for the parts of a message.
type contents struct {
	Config
	message uri.URI
}

// part yields a part, and then the links in its text.
func (x contents) part(h mimemail.Header, p mimemail.Part, e fetch.Entry) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		var links iter.Seq2[fetch.Entry, error]
		e.URI = x.partURI(h.MessageID(), p)
		switch e.Type {
		case externalType:
			for _, r := range externalBody(mimemail.Header{{Name: "Content-Type", Value: p.Type}}) {
				e.URI, e.Kind = r.URI, fetch.KindLink
			}
		case "text/plain":
			links = textLinks(p)
		case "text/html":
			if x.Page != nil {
				if text, base, err := charset.Page(p.Body, p.Type, x.message); err == nil {
					links = x.Page(text, mediatype.IsXML(p.Type), base)
				}
			}
		}
		if !yield(e, nil) || links == nil {
			return
		}
		for e, err := range links {
			if err != nil || !yield(e, nil) {
				return // the part is listed, and reading it returns the error
			}
		}
	}
}

// partURI returns the mid URI of the part, if both the message and the part have ids, or else a URI with its number.
func (x contents) partURI(id string, p mimemail.Part) uri.URI {
	if p.ID != "" && id != "" {
		m, err := midURI(id)
		if u, bad := uri.Parse(m.String() + "/" + escapeIn(p.ID, idSafe)); err == nil && bad == nil {
			return u
		}
	}
	return maildoc.PartURI(x.message, p.Number)
}

// textLinks yields the URIs in the running text of a part. If the part does not declare its charset, it stays bytes, which URIs can have.
func textLinks(p mimemail.Part) iter.Seq2[fetch.Entry, error] {
	const most = 1 << 20 // bytes that are searched
	return func(yield func(fetch.Entry, error) bool) {
		text := p.Body
		if charset.LabelOf(p.Type) != "" {
			text = charset.Source{Type: p.Type}.NewReader(p.Body)
		}
		b, err := io.ReadAll(io.LimitReader(text, most))
		for f := range uri.Find(string(b)) {
			if f.URI.IsAbs() && !yield(fetch.Entry{URI: f.URI, Title: f.URI.String(), Kind: fetch.KindLink, Size: -1}, nil) {
				return
			}
		}
		if err != nil {
			yield(fetch.Entry{}, err)
		}
	}
}
