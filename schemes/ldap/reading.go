package ldap

import (
	"net"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/uri"
)

// parts is what the URI says; an x500 URI is read as the search that it amounts to.
type parts struct {
	Scheme     string         `json:"scheme"`
	Host       string         `json:"host"` // "" where the URI names none
	Port       int            `json:"port"`
	DN         fetch.Octets   `json:"dn"`
	Attributes []fetch.Octets `json:"attributes"`
	Scope      string         `json:"scope"`
	Filter     fetch.Octets   `json:"filter"`
	Extensions []extension    `json:"extensions"`
}

// extension is one of RFC 4516 section 2.
type extension struct {
	Critical bool          `json:"critical"`
	Type     string        `json:"type"`
	Value    *fetch.Octets `json:"value"`
}

func (h handler) read(u uri.URI, m uri.Mode) (any, error) {
	r, err := h.reading(u)
	if err != nil {
		return nil, err
	}
	reading.Map(m.Text, &r.DN, &r.Filter)
	r.Attributes = reading.MapAll(m.Text, r.Attributes)
	for i := range r.Extensions {
		reading.MapOpt(m.Text, &r.Extensions[i].Value)
	}
	return r, nil
}

func (h handler) reading(u uri.URI) (r parts, err error) {
	r = parts{
		Scheme: h.name, Host: u.Hostname(), Port: u.PortNumber(h.port), Attributes: []fetch.Octets{}, Scope: "base",
		Filter: "(objectClass=*)", Extensions: []extension{},
	}
	if h.name == "x500" {
		return r, r.x500(u)
	}
	if _, ok := u.Authority(); !ok {
		return r, fetch.Errorf(fetch.ErrRefusedURL, "%s is followed by // (RFC 4516 section 2)", h.name)
	}
	r.DN = fetch.Octets(uri.Escaped(strings.TrimPrefix(string(u.Path()), "/")).Decode())
	if q, ok := u.Query(); ok {
		if err := r.query(strings.Split(string(q), "?")); err != nil {
			return r, err
		}
	}
	return r, r.check()
}

// query reads [attributes] ["?" [scope] ["?" [filter] ["?" extensions]]]. RFC 4516 section 2.
func (r *parts) query(list []string) error {
	if len(list) > 4 {
		return fetch.Errorf(fetch.ErrRefusedURL, "five question marks in an ldap URI (RFC 4516 section 2)")
	}
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

// extensions reads [ "!" ] type [ "=" value ] between commas.
func (r *parts) extensions(s string) error {
	for e := range strings.SplitSeq(s, ",") {
		e, critical := strings.CutPrefix(e, "!")
		name, value, has := strings.Cut(e, "=")
		name = uri.Escaped(name).Decode()
		if !isAttribute(name) {
			return fetch.Errorf(fetch.ErrRefusedURL, "an extension has a name or an OID (RFC 4516 section 2)")
		}
		r.Extensions = append(r.Extensions, extension{critical, name, reading.Opt(fetch.Octets(uri.Escaped(value).Decode()), has)})
	}
	return nil
}

// check refuses what can be in no search request.
func (r *parts) check() error {
	switch {
	case r.Scope != "base" && r.Scope != "one" && r.Scope != "sub":
		return fetch.Errorf(fetch.ErrRefusedURL, "a scope is base, one or sub (RFC 4516 section 2)")
	case !utf8.ValidString(string(r.DN)) || strings.Contains(string(r.DN), "\x00"):
		return fetch.Errorf(fetch.ErrRefusedURL, "a distinguished name is UTF-8 without NUL (RFC 4514)")
	case r.DN != "" && !strings.Contains(string(r.DN), "="): // the rest is the server's to judge: Active Directory has <GUID=...>
		return fetch.Errorf(fetch.ErrRefusedURL, "a distinguished name consists of type=value (RFC 4514)")
	}
	for _, a := range r.Attributes {
		if a != "*" && a != "+" && !isAttribute(string(a)) { // RFC 4511 section 4.5.1.8, RFC 3673
			return fetch.Errorf(fetch.ErrRefusedURL, "an attribute is a name or an OID, perhaps with options (RFC 4512 section 2.5)")
		}
	}
	return checkFilter(string(r.Filter))
}

// isAttribute judges an attributedescription: letters, digits, hyphens, dots and the options' semicolons.
func isAttribute(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && (s[i] < '0' || s[i] > '9') && strings.IndexByte("-.;_", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}

// addr is who is asked.
func (h handler) addr(u uri.URI) (string, error) {
	if u.Host() != "" {
		return u.HostPort(h.port)
	}
	v, err := uri.Parse("ldap://" + h.host)
	if err != nil || v.Host() == "" {
		return "", fetch.Errorf(fetch.ErrLocal, "the configured directory host is none")
	}
	return net.JoinHostPort(v.Hostname(), strconv.Itoa(v.PortNumber(h.port))), nil
}
