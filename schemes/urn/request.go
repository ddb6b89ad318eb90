package urn

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

// A request is a parsed urn.
type request struct {
	Scheme string         `json:"scheme"`
	NID    *string        `json:"nid"`         // in lower case
	NSS    *fetch.Octets  `json:"nss"`         // as written: its escapes are part of the name (RFC 8141 section 3.1)
	R      *fetch.Octets  `json:"r_component"` // ?+ for the resolver
	Q      *fetch.Octets  `json:"q_component"` // ?= for the object
	Path   []fetch.Octets `json:"path"`        // the drafts' form urn:/a/b, decoded; the first segment is empty

	name string // without components, as written
}

func read(u uri.URI, m uri.Mode) (any, error) {
	r, err := parse(u, m)
	if err != nil {
		return nil, err
	}
	urifield.MapOpt(m.Text, &r.NSS, &r.R, &r.Q)
	if r.Path != nil {
		r.Path = urifield.MapAll(m.Text, r.Path)
	}
	return *r, nil
}

func parse(u uri.URI, m uri.Mode) (*request, error) {
	r := &request{Scheme: "urn"}
	name := string(u.Path())
	r.name = "urn:" + name
	if _, ok := u.Authority(); ok || name == "" {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "a urn has a namespace and a name in it")
	}
	if err := r.components(u); err != nil {
		return nil, err
	}
	if strings.HasPrefix(name, "/") {
		for s := range strings.SplitSeq(name, "/") {
			r.Path = append(r.Path, fetch.Octets(uri.Escaped(s).Decode()))
		}
		return r, nil
	}
	if err := r.assigned(name, m); err != nil {
		return nil, err
	}
	return r, nil
}

// assigned parses NID ":" NSS. RFC 8141 section 2, RFC 2141 section 2.
func (r *request) assigned(name string, m uri.Mode) error {
	nid, nss, ok := strings.Cut(name, ":")
	nid = strings.ToLower(nid)
	least := 2
	if m == uri.RFC2141 {
		least = 1
	}
	switch {
	case !ok || len(nid) < least || !isNID(nid):
		return fetch.Errorf(fetch.ErrRefusedURL, "a urn begins with a namespace of %d to 32 letters, digits and hyphens", least)
	case nid == "urn":
		return fetch.Errorf(fetch.ErrRefusedURL, "no namespace is called urn (RFC 2141 section 2.1)")
	case nss == "" || nss[0] == '/':
		return fetch.Errorf(fetch.ErrRefusedURL, "the name in the namespace is missing")
	case strings.Contains(nss, "%00"):
		return fetch.Errorf(fetch.ErrRefusedURL, "NUL in the name (RFC 2141 section 2.4)")
	}
	r.NID, r.NSS = &nid, urifield.Opt(fetch.Octets(nss), true)
	return nil
}

// isNID reports whether s is a namespace in lower case: letters, digits and hyphens, with no hyphen first or last.
func isNID(s string) bool {
	return len(s) <= 32 && s[0] != '-' && s[len(s)-1] != '-' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// components parses ["?+" r-component] ["?=" q-component]. RFC 8141 section 2.3; RFC 2141 reserves "?".
func (r *request) components(u uri.URI) error {
	q, ok := u.Query()
	if !ok {
		return nil
	}
	s := string(q)
	if rest, is := strings.CutPrefix(s, "+"); is {
		rest, s, ok = strings.Cut(rest, "?=")
		r.R = urifield.Opt(fetch.Octets(rest), true)
		if r.Q = urifield.Opt(fetch.Octets(s), ok); rest != "" && (!ok || s != "") {
			return nil
		}
	} else if rest, is := strings.CutPrefix(s, "="); is && rest != "" {
		r.Q = urifield.Opt(fetch.Octets(rest), true)
		return nil
	}
	return fetch.Errorf(fetch.ErrRefusedURL, `"?" in a urn must begin a component "?+..." or "?=..." (RFC 8141 section 2.3)`)
}

// space returns the namespace for messages.
func (r *request) space() string {
	if r.NID == nil {
		return "urn:/"
	}
	return "urn:" + *r.NID
}
