package ldap

import (
	"slices"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

// A request is a parsed URI, with what the options add to it. An x500 URI is parsed into the search that it stands for.
type request struct {
	Scheme     string         `json:"scheme"`
	Host       string         `json:"host"` // "" if the URI names none
	Port       int            `json:"port"`
	DN         fetch.Octets   `json:"dn"`
	Attributes []fetch.Octets `json:"attributes"`
	Scope      string         `json:"scope"`
	Filter     fetch.Octets   `json:"filter"`
	Extensions []extension    `json:"extensions"`

	parts       [4]string // of the query of an ldap URI, as they are written there
	pageSize    int
	aliases     string // of the setting
	valueNumber int    // of the extension x-value, from 1; 0 if the document is not a value
}

// everything is the filter of a URI without one.
const everything = "(objectClass=*)"

// An extension is part of a URI (RFC 4516 section 2).
type extension struct {
	Critical bool          `json:"critical"`
	Type     string        `json:"type"`
	Value    *fetch.Octets `json:"value"`
}

func (v *variant) read(u uri.URI, m uri.Mode) (any, error) {
	r, err := v.parse(u)
	if err != nil {
		return nil, err
	}
	urifield.Map(m.Text, &r.DN, &r.Filter)
	r.Attributes = urifield.MapAll(m.Text, r.Attributes)
	for i := range r.Extensions {
		urifield.MapOpt(m.Text, &r.Extensions[i].Value)
	}
	return *r, nil
}

func (v *variant) parse(u uri.URI) (*request, error) {
	r := &request{
		Scheme: v.name, Host: u.Hostname(), Port: u.PortNumber(v.port), Attributes: []fetch.Octets{}, Scope: "base",
		Filter: everything, Extensions: []extension{},
	}
	if v.name == "x500" {
		return r, r.x500(u)
	}
	if _, ok := u.Authority(); !ok {
		return r, fetch.Errorf(fetch.ErrRefusedURL, "%s: must be followed by // (RFC 4516 section 2)", v.name)
	}
	r.DN = fetch.Octets(uri.Escaped(strings.TrimPrefix(string(u.Path()), "/")).Decode())
	if q, ok := u.Query(); ok {
		if err := r.query(strings.Split(string(q), "?")); err != nil {
			return r, err
		}
	}
	return r, r.check()
}

// query parses [attributes] ["?" [scope] ["?" [filter] ["?" extensions]]]. RFC 4516 section 2.
func (r *request) query(list []string) error {
	if len(list) > 4 {
		return fetch.Errorf(fetch.ErrRefusedURL, "too many question marks in an ldap URI (RFC 4516 section 2)")
	}
	copy(r.parts[:], list)
	for i, s := range list {
		var err error
		switch {
		case s == "":
		case i == 0:
			for a := range strings.SplitSeq(s, ",") {
				r.Attributes = append(r.Attributes, fetch.Octets(uri.Escaped(a).Decode()))
			}
		case i == 1:
			r.Scope = strings.ToLower(uri.Escaped(s).Decode())
		case i == 2:
			r.Filter = fetch.Octets(uri.Escaped(s).Decode())
		default:
			err = r.extensions(s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// extensions parses [ "!" ] type [ "=" value ] between commas.
func (r *request) extensions(s string) error {
	for e := range strings.SplitSeq(s, ",") {
		e, critical := strings.CutPrefix(e, "!")
		name, value, has := strings.Cut(e, "=")
		name = uri.Escaped(name).Decode()
		if !isAttribute(name) {
			return fetch.Errorf(fetch.ErrRefusedURL, "bad extension: it needs a name or an OID (RFC 4516 section 2)")
		}
		r.Extensions = append(r.Extensions, extension{critical, name, urifield.Opt(fetch.Octets(uri.Escaped(value).Decode()), has)})
	}
	return nil
}

// check returns an error if r cannot be part of a search request.
func (r *request) check() error {
	switch {
	case !slices.Contains(scopes(), r.Scope):
		return fetch.Errorf(fetch.ErrRefusedURL, "the scope must be base, one or sub (RFC 4516 section 2)")
	case !utf8.ValidString(string(r.DN)) || strings.Contains(string(r.DN), "\x00"):
		return fetch.Errorf(fetch.ErrRefusedURL, "the distinguished name must be UTF-8 without NUL (RFC 4514)")
	case r.DN != "" && !strings.Contains(string(r.DN), "="): // the server checks the rest: Active Directory has <GUID=...>
		return fetch.Errorf(fetch.ErrRefusedURL, "the distinguished name must consist of type=value (RFC 4514)")
	}
	for _, a := range r.Attributes {
		if a != "*" && a != "+" && !isAttribute(string(a)) { // RFC 4511 section 4.5.1.8, RFC 3673
			return fetch.Errorf(fetch.ErrRefusedURL, "an attribute must be a name or an OID, optionally with options (RFC 4512 section 2.5)")
		}
	}
	return checkFilter(string(r.Filter))
}

// isAttribute reports whether s is an attribute description: letters, digits, hyphens, dots and the semicolons of options.
func isAttribute(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && (s[i] < '0' || s[i] > '9') && strings.IndexByte("-.;_", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}

// addr returns the server's address.
func (v *variant) addr(u uri.URI) (string, error) {
	if u.Host() == "" {
		var err error
		if u, err = uri.Parse("ldap://" + v.host); err != nil || u.Host() == "" {
			return "", fetch.Errorf(fetch.ErrLocal, "bad directory host in the configuration: %q", v.host)
		}
	}
	return u.HostPort(v.port)
}
