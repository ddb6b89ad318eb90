package ldap

import (
	"strconv"
	"strings"

	"github.com/go-ldap/ldap/v3"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

const (
	ifTLS     = "the server offers StartTLS" // RFC 4511 section 4.14
	untilLast = "until the last page"        // RFC 2696
)

// plan binds and searches once.
func (v *variant) plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := v.parse(u)
	if err != nil {
		return nil, err
	}
	if !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrRange, "byte ranges are not supported for %s", v.name)
	}
	if err := r.apply(o); err != nil {
		return nil, err
	}
	who, err := r.bindName(o)
	if err != nil {
		return nil, err
	}
	if err := checkBindName(who, o); err != nil {
		return nil, err
	}
	r.aliases = o.Get(v.setAliases())
	if r.pageSize, err = urifield.Number(o, v.setPage(), 500, 1, 100_000); err != nil {
		return nil, err
	}
	ssl := o.Get(v.setTLS())
	p := &fetch.Plan{Network: "tcp", TLS: v.tls, Shape: fetch.ShapeSearch, Run: r.run}
	if r.Scope == "base" {
		p.Shape = fetch.ShapeListing
	}
	if r.valueNumber > 0 {
		p.Shape, p.Type = fetch.ShapeDocument, typeOf(string(r.Attributes[0]))
	}
	if p.Addr, err = v.addr(u); err != nil {
		return nil, err
	}
	if ssl == "require" && v.tls == fetch.NoTLS {
		p.TLS = fetch.ExplicitTLS
	}
	p.Steps = append(v.bind(who, ssl, o), r.search())
	return p, nil
}

// apply replaces the filter by Options.Search, and requests only names for fetch.Metadata. The size of a value is known only with the value.
func (r *request) apply(o *fetch.Options) (err error) {
	if len(o.Search) > 0 {
		if len(o.Search) > maxRDNs {
			return fetch.Errorf(fetch.ErrUnsupported, "more than %d search words", maxRDNs)
		}
		words := ""
		for _, w := range o.Search {
			if w != "" { // (cn=**) would be a substring filter without a part: RFC 4511 section 4.5.1.7.2
				w = escapeFilter(w) + "*"
			}
			words += "(cn=*" + w + ")"
		}
		r.Scope, r.Filter = "sub", fetch.Octets("(&"+words+")")
	}
	if r.valueNumber, err = r.parseValue(); err != nil {
		return err
	}
	if o.Op == fetch.Metadata && r.valueNumber == 0 {
		r.Attributes = []fetch.Octets{"1.1"} // RFC 4511 section 4.5.1.8: no attributes
	}
	return checkFilter(string(r.Filter))
}

// bindName returns the name to bind: the login's, else that of the extension bindname (RFC 2255). A critical extension that is unknown, or a
// critical bindname without a password, is an error (RFC 4516 section 2).
func (r *request) bindName(o *fetch.Options) (string, error) {
	who := o.Login.User
	for _, e := range r.Extensions {
		switch {
		case strings.EqualFold(e.Type, "bindname") && e.Value != nil:
			if e.Critical && o.Login.Password == "" {
				return "", &fetch.Error{Kind: fetch.ErrAuth, Text: "the URI requires a bind as " + string(*e.Value) + ", but there is no password", Hint: hint.Password}
			}
			if who == "" {
				who = string(*e.Value)
			}
		case e.Type == valueExtension:
		case e.Critical:
			return "", fetch.Errorf(fetch.ErrUnsupported, "unknown critical extension %q", e.Type)
		}
	}
	return who, nil
}

// checkBindName rejects a user name that cannot bind before the password is sent: RFC 4511 section 4.2 requires a distinguished name. Active
// Directory also accepts user@domain, DOMAIN\user and identifiers in braces (MS-ADTS section 5.1.1.1.1).
func checkBindName(who string, o *fetch.Options) error {
	if who == "" || o.Login.Password == "" || strings.ContainsAny(who, `@\{`) {
		return nil
	}
	if dn, err := ldap.ParseDN(who); err != nil || len(dn.RDNs) == 0 {
		return &fetch.Error{Kind: fetch.ErrRefusedURL, Text: "the user is not a distinguished name (RFC 4514)", Hint: "a distinguished name is cn=NAME,o=ORGANIZATION"}
	}
	return nil
}

// bind returns the steps before the search (RFC 4513 section 5.1). A server would treat a name without a password as anonymous, so the bind is
// anonymous then.
func (v *variant) bind(who, ssl string, o *fetch.Options) (list []fetch.Step) {
	secret := who != "" && o.Login.Password != ""
	switch {
	case v.tls != fetch.NoTLS || ssl == "never":
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

func (r *request) search() fetch.Step {
	args := []string{string(r.DN), r.Scope}
	for _, a := range r.Attributes {
		args = append(args, string(a))
	}
	if r.aliases != "" {
		args = append(args, "aliases", r.aliases)
	}
	return fetch.Step{Verb: "search", Args: append(args, "page", strconv.Itoa(r.pageSize)), Data: string(r.Filter), Repeat: untilLast}
}
