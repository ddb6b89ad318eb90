package ldap

import (
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/schemes/internal/urifield"
)

// valueExtension is the extension by which a URI names one value of its one attribute. Clients without it show the attribute.
const valueExtension = "x-value"

// parseValue returns the number of the value that the URI names, counted from 1. It returns 0 if it does not name one.
func (r *request) parseValue() (int, error) {
	for _, e := range r.Extensions {
		if e.Type != valueExtension {
			continue
		}
		n, ok := 1, true
		if e.Value != nil {
			n, ok = urifield.Digits(string(*e.Value))
		}
		if !ok || n < 1 || len(r.Attributes) != 1 || !isAttribute(string(r.Attributes[0])) || r.Scope != "base" {
			return 0, fetch.Errorf(fetch.ErrRefusedURL, "%s needs one attribute of one entry: ?ATTRIBUTE???%s=N", valueExtension, valueExtension)
		}
		return n, nil
	}
	return 0, nil
}

// typeOf returns the media type of an attribute's values, "" if unknown: RFC 2798, RFC 4523.
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

// value returns the Document of one value of e.
func (r *results) value(e fetch.Entry, none bool) (*fetch.Document, error) {
	if _, err := r.next(); !none && err != io.EOF {
		if err == nil {
			err = fetch.Errorf(fetch.ErrProtocol, "the server sent two entries for one name")
		}
		return nil, err
	}
	name := string(r.request.Attributes[0])
	values := valuesOf(e, name)
	if len(values) < r.request.valueNumber {
		return nil, fetch.Errorf(fetch.ErrNotFound, "the entry has %d values of %s", len(values), name)
	}
	v := values[r.request.valueNumber-1]
	body := v
	if r.plan.Options.Op == fetch.Metadata {
		body = ""
	}
	d := fetch.NewDocument(fetch.NewBody(strings.NewReader(body), r.Close))
	d.Type, d.TypeReason, d.Size, d.End = r.plan.Type, "attribute "+name, int64(len(v)), fetch.EndDeclared
	if d.Type == "" {
		d.Type, d.TypeReason = guess(v), "its octets"
	}
	return d, nil
}

// guess distinguishes text from other bytes: the syntaxes of most attributes are UTF-8 (RFC 4517).
func guess(v string) string {
	if charset.IsText(v) {
		return "text/plain; charset=utf-8"
	}
	if _, ok := charset.Value(v); ok {
		return "text/plain"
	}
	return "application/octet-stream"
}

// valuesOf returns the values of an attribute. Its name is case-insensitive, and the server may add options (RFC 4512 section 2.5).
func valuesOf(e fetch.Entry, name string) []string {
	for _, have := range e.Order {
		if strings.EqualFold(have, name) {
			return e.Attr[have]
		}
	}
	for _, have := range e.Order {
		if base, _, _ := strings.Cut(have, ";"); strings.EqualFold(base, name) {
			return e.Attr[have]
		}
	}
	return nil
}
