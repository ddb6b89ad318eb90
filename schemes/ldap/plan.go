package ldap

import (
	"strconv"
	"strings"

	"github.com/go-ldap/ldap/v3"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/uri"
)

const (
	ifTLS     = "the server offers StartTLS" // RFC 4511 section 4.14
	untilLast = "until the last page"        // RFC 2696
)

// Plan is a bind and one search.
func (h handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := h.reading(u)
	if err != nil {
		return nil, err
	}
	switch {
	case o.Op != fetch.Retrieve && o.Op != fetch.Metadata:
		return nil, fetch.NoOperation(h.name, o.Op)
	case !o.Range.IsZero():
		return nil, fetch.Errorf(fetch.ErrRange, "a directory has no ranges")
	}
	if err := r.wishes(o); err != nil {
		return nil, err
	}
	who, err := r.bindName(o)
	if err != nil {
		return nil, err
	}
	if err := checkBindName(who, o); err != nil {
		return nil, err
	}
	args, err := h.arguments(o)
	if err != nil {
		return nil, err
	}
	ssl := o.Get(h.setTLS())
	p := &fetch.Plan{Network: "tcp", TLS: h.tls, Shape: fetch.ShapeSearch}
	if r.Scope == "base" {
		p.Shape = fetch.ShapeListing
	}
	n, err := r.valueNumber()
	if err != nil {
		return nil, err
	}
	if n > 0 {
		p.Shape, p.Type = fetch.ShapeDocument, typeOf(string(r.Attributes[0]))
	}
	if p.Addr, err = h.addr(u); err != nil {
		return nil, err
	}
	if ssl == "require" && h.tls == fetch.NoTLS {
		p.TLS = fetch.ExplicitTLS
	}
	p.Steps = append(h.bind(who, ssl, o), r.search(args))
	return p, nil
}

// wishes puts the words of --search in place of the filter, and asks for names alone where only metadata is wanted.
func (r *parts) wishes(o *fetch.Options) error {
	if len(o.Search) > 0 {
		if len(o.Search) > maxRDNs {
			return fetch.Errorf(fetch.ErrUnsupported, "more than %d words", maxRDNs)
		}
		words := ""
		for _, w := range o.Search {
			if w != "" { // else (cn=**), a substring without any part: RFC 4511 section 4.5.1.7.2
				w = escapeFilter(w) + "*"
			}
			words += "(cn=*" + w + ")"
		}
		r.Scope, r.Filter = "sub", fetch.Octets("(&"+words+")")
	}
	if o.Op == fetch.Metadata {
		r.Attributes = []fetch.Octets{"1.1"} // RFC 4511 section 4.5.1.8: no attributes
	}
	return checkFilter(string(r.Filter))
}

// bindName is who binds: the login, else the extension bindname of RFC 2255, which without a password cannot be kept. No other extension is
// known. One that is critical and cannot be kept is an error (RFC 4516 section 2).
func (r *parts) bindName(o *fetch.Options) (string, error) {
	who := o.Login.User
	for _, e := range r.Extensions {
		switch {
		case strings.EqualFold(e.Type, "bindname") && e.Value != nil:
			if e.Critical && o.Login.Password == "" {
				return "", &fetch.Error{Kind: fetch.ErrAuth, Text: "the URI demands a bind as " + string(*e.Value) + ", and there is no password", Hint: "-u :PASSWORD, or netrc"}
			}
			if who == "" {
				who = string(*e.Value)
			}
		case e.Type == valueExtension:
		case e.Critical:
			return "", fetch.Errorf(fetch.ErrUnsupported, "the critical extension %q is not known here", e.Type)
		}
	}
	return who, nil
}

// checkBindName refuses a user who cannot bind, before the password is on its way: RFC 4511 section 4.2 wants a distinguished name. Active
// Directory also takes user@domain, DOMAIN\user and identifiers in braces (MS-ADTS section 5.1.1.1.1).
func checkBindName(who string, o *fetch.Options) error {
	if who == "" || o.Login.Password == "" || strings.ContainsAny(who, `@\{`) {
		return nil
	}
	if dn, err := ldap.ParseDN(who); err != nil || len(dn.RDNs) == 0 {
		return &fetch.Error{Kind: fetch.ErrRefusedURL, Text: "the user is not a distinguished name (RFC 4514)", Hint: "-u 'cn=NAME,o=ORGANIZATION:PASSWORD' is one"}
	}
	return nil
}

// arguments are how many entries are asked for at a time, and what becomes of aliases.
func (h handler) arguments(o *fetch.Options) ([]string, error) {
	args := []string{}
	if aliases := o.Get(h.setAliases()); aliases != "" {
		args = append(args, "aliases", aliases)
	}
	size := 500
	if s := o.Get(h.setPage()); s != "" {
		n, ok := reading.Digits(s)
		if !ok || n < 1 || n > 100000 {
			return nil, fetch.BadSetting(h.setPage(), "%s is a number from 1 to 100000", h.setPage())
		}
		size = n
	}
	return append(args, "page", strconv.Itoa(size)), nil
}

// bind is RFC 4513 section 5.1. A name without a password would be taken for an anonymous bind by the server, so it is one.
func (h handler) bind(who, ssl string, o *fetch.Options) (list []fetch.Step) {
	secret := who != "" && o.Login.Password != ""
	switch {
	case h.tls != fetch.NoTLS || ssl == "never":
	case ssl == "require":
		list = append(list, fetch.Step{Verb: "StartTLS"})
	case secret || ssl == "try":
		list = append(list, fetch.Step{Verb: "StartTLS", If: ifTLS})
	}
	if !secret {
		return append(list, fetch.Step{Verb: "bind", Args: []string{"anonymous"}})
	}
	return append(list, fetch.Step{Verb: "bind", Args: []string{who, o.Login.Password}, Secret: true})
}

func (r *parts) search(how []string) fetch.Step {
	args := []string{string(r.DN), r.Scope}
	for _, a := range r.Attributes {
		args = append(args, string(a))
	}
	return fetch.Step{Verb: "search", Args: append(args, how...), Data: string(r.Filter), Repeat: untilLast}
}
