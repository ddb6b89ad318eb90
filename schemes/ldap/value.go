package ldap

import (
	"io"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
)

// valueExtension is the extension by which a URI names one value of its one attribute. Those who do not know it see the attribute.
const valueExtension = "x-value"

// valueNumber is which value the URI names, from 1; 0 if it names none.
func (r *parts) valueNumber() (int, error) {
	for _, e := range r.Extensions {
		if e.Type != valueExtension {
			continue
		}
		n, ok := 1, true
		if e.Value != nil {
			n, ok = reading.Digits(string(*e.Value))
		}
		if !ok || n < 1 || len(r.Attributes) != 1 || !isAttribute(string(r.Attributes[0])) || r.Scope != "base" {
			return 0, fetch.Errorf(fetch.ErrRefusedURL, "%s is of one attribute of one entry: ?ATTRIBUTE???%s=N", valueExtension, valueExtension)
		}
		return n, nil
	}
	return 0, nil
}

// typeOf is the media type of an attribute's values: RFC 2798, RFC 4523.
func typeOf(attribute string) string {
	name, _, _ := strings.Cut(strings.ToLower(attribute), ";")
	switch name {
	case "jpegphoto":
		return "image/jpeg"
	case "usercertificate", "cacertificate":
		return "application/pkix-cert"
	case "certificaterevocationlist":
		return "application/pkix-crl"
	}
	return ""
}

// value is the Document of one value.
func (r *results) value(e fetch.Entry, none bool) (*fetch.Document, error) {
	p, u := parts{}, r.plan.URI
	if q, ok := u.Query(); ok {
		if err := p.query(strings.Split(string(q), "?")); err != nil {
			return nil, err
		}
	}
	p.Scope = "base"
	n, err := p.valueNumber()
	if err != nil {
		return nil, err
	}
	if _, err := r.next(); !none && err != io.EOF {
		if err == nil {
			err = fetch.Errorf(fetch.ErrProtocol, "the server gives two entries for one name")
		}
		return nil, err
	}
	values := valuesOf(e, string(p.Attributes[0]))
	if len(values) < n {
		return nil, fetch.Errorf(fetch.ErrNotFound, "the entry has %d values of %s", len(values), p.Attributes[0])
	}
	v := values[n-1]
	d := fetch.NewDocument(body{io.NopCloser(strings.NewReader(v)), r})
	d.Type, d.TypeReason, d.Size, d.End = r.plan.Type, "attribute "+string(p.Attributes[0]), int64(len(v)), fetch.EndDeclared
	if d.Type == "" {
		d.Type, d.TypeReason = guess(v), "its octets"
	}
	return d, nil
}

// guess tells text from other octets: the syntaxes of most attributes are of UTF-8 (RFC 4517).
func guess(v string) string {
	if utf8.ValidString(v) && !strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f }) {
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// valuesOf finds an attribute, whose name has no case and may come back with options (RFC 4512 section 2.5).
func valuesOf(e fetch.Entry, name string) []string {
	for have, values := range e.Attr {
		if strings.EqualFold(have, name) {
			return values
		}
	}
	for have, values := range e.Attr {
		if base, _, _ := strings.Cut(have, ";"); strings.EqualFold(base, name) {
			return values
		}
	}
	return nil
}
