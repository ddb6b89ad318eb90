package ldap

import (
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// maxRDNs limits the parts of a name.
const maxRDNs = 64

// x500 converts a path to a distinguished name, and a user friendly name to a search.
func (r *request) x500(u uri.URI) error {
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
		return fetch.Errorf(fetch.ErrRefusedURL, "an x500 URI must have a name of 1 to %d parts", maxRDNs)
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

// relativeName parses type "=" value *( "+" type "=" value ), splitting before it decodes.
func relativeName(raw string) (string, error) {
	list := []string{}
	for p := range strings.SplitSeq(raw, "+") {
		name, value, ok := strings.Cut(p, "=")
		name, value = uri.Escaped(name).Decode(), uri.Escaped(value).Decode()
		if !ok || !isAttribute(name) || value == "" || strings.Contains(value, "\x00") {
			return "", fetch.Errorf(fetch.ErrRefusedURL, "a part of an x500 name must be type=value")
		}
		list = append(list, name+"="+escapeDN(value))
	}
	return strings.Join(list, "+"), nil
}

// friendlyName parses a purported name of RFC 1781: parts separated by commas, least significant first. The first part becomes the filter,
// the others the base, most significant first.
func friendlyName(s string) (base []string, filter string, err error) {
	list := strings.Split(s, ",")
	if len(list) > maxRDNs {
		return nil, "", fetch.Errorf(fetch.ErrRefusedURL, "a name with more than %d parts", maxRDNs)
	}
	for i := range list {
		if list[i] = strings.TrimSpace(list[i]); list[i] == "" || strings.Contains(list[i], "\x00") {
			return nil, "", fetch.Errorf(fetch.ErrRefusedURL, "an empty part in a user friendly name (RFC 1781 section 4)")
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
