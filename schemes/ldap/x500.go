package ldap

import (
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// maxRDNs bounds the parts of a name.
const maxRDNs = 64

// x500 turns a path into a distinguished name, and a user friendly name into a search.
func (r *parts) x500(u uri.URI) error {
	rdns := []string{}
	for s := range strings.SplitSeq(strings.Trim(string(u.Path()), "/"), "/") {
		if s == "" && len(rdns) == 0 {
			continue
		}
		rdn, err := relativeName(s)
		if err != nil {
			return err
		}
		rdns = append(rdns, rdn)
	}
	q, ok := u.Query()
	if len(rdns) > maxRDNs || len(rdns) == 0 && !ok {
		return fetch.Errorf(fetch.ErrRefusedURL, "an x500 URI has a name of 1 to %d parts", maxRDNs)
	}
	if ok {
		r.Scope = "sub"
		more, filter, err := friendlyName(strings.Join(q.Words(), " "))
		if err != nil {
			return err
		}
		r.Filter, rdns = fetch.Octets(filter), append(rdns, more...)
	}
	slices.Reverse(rdns)
	r.DN = fetch.Octets(strings.Join(rdns, ","))
	return r.check()
}

// relativeName reads type "=" value *( "+" type "=" value ), split before it is decoded.
func relativeName(raw string) (string, error) {
	list := []string{}
	for p := range strings.SplitSeq(raw, "+") {
		name, value, ok := strings.Cut(p, "=")
		name, value = uri.Escaped(name).Decode(), uri.Escaped(value).Decode()
		if !ok || !isAttribute(name) || value == "" || strings.Contains(value, "\x00") {
			return "", fetch.Errorf(fetch.ErrRefusedURL, "a part of an x500 name is type=value")
		}
		list = append(list, name+"="+escapeDN(value))
	}
	return strings.Join(list, "+"), nil
}

// friendlyName reads RFC 1781's purported names: parts between commas, least significant first. The first part is searched for;
// the others give the base, most significant first.
func friendlyName(s string) (base []string, filter string, err error) {
	list := strings.Split(s, ",")
	if len(list) > maxRDNs {
		return nil, "", fetch.Errorf(fetch.ErrRefusedURL, "a name of more than %d parts", maxRDNs)
	}
	for i := range list {
		if list[i] = strings.TrimSpace(list[i]); list[i] == "" || strings.Contains(list[i], "\x00") {
			return nil, "", fetch.Errorf(fetch.ErrRefusedURL, "a void part in a user friendly name (RFC 1781 section 4)")
		}
	}
	filter = "(|(cn~=" + escapeFilter(list[0]) + ")(sn~=" + escapeFilter(list[0]) + "))"
	kind := "c"
	for i := len(list) - 1; i > 0; i-- {
		if kind == "c" && len(list[i]) != 2 {
			kind = "o"
		}
		base = append(base, kind+"="+escapeDN(list[i]))
		switch kind {
		case "c":
			kind = "o"
		default:
			kind = "ou"
		}
	}
	return base, filter, nil
}
