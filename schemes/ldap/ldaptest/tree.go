package ldaptest

import (
	"io/fs"
	"path"
	"strings"

	ber "github.com/go-asn1-ber/asn1-ber"
	"github.com/go-ldap/ldap/v3"

	"example.org/deref/fetch/fetchtest/loopback"
)

// root is the entry above all files.
const root = "o=site"

// find returns the entries within a scope that match a filter.
func (s *server) find(base string, scope int64, filter *ber.Packet) (found []Entry, code int64) {
	at, err := ldap.ParseDN(base)
	if err != nil {
		return nil, ldap.LDAPResultInvalidDNSyntax
	}
	known := len(at.RDNs) == 0
	for _, e := range s.entries() {
		dn, err := ldap.ParseDN(e.DN)
		if err != nil {
			continue
		}
		same, below := at.EqualFold(dn), at.AncestorOfFold(dn)
		known = known || same
		switch {
		case scope == ldap.ScopeBaseObject && !same,
			scope == ldap.ScopeSingleLevel && !(below && len(dn.RDNs) == len(at.RDNs)+1),
			scope == ldap.ScopeWholeSubtree && !same && !below:
		case fits(e, filter, 0):
			found = append(found, e)
		}
	}
	if !known {
		return nil, ldap.LDAPResultNoSuchObject
	}
	return found, ldap.LDAPResultSuccess
}

// entries returns those of the options, and the files.
func (s *server) entries() []Entry {
	list := append([]Entry(nil), s.o.Entries...)
	fs.WalkDir(s.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			list = append(list, s.entry(name, d.IsDir()))
		}
		return nil
	})
	return list
}

func (s *server) entry(name string, dir bool) Entry {
	e := Entry{DN: nameOf(name, dir)}
	switch {
	case name == ".":
		e.Attr = [][2]string{{"objectClass", "organization"}, {"o", "site"}}
	case dir:
		e.Attr = [][2]string{{"objectClass", "organizationalUnit"}, {"ou", label(name)}}
	default:
		e.Attr = [][2]string{{"objectClass", "document"}, {"cn", label(name)}}
		if b, err := loopback.ReadFile(s.fsys, name); err == nil {
			e.Attr = append(e.Attr, [2]string{"data", string(b)})
		}
	}
	return e
}

// label returns the last part of a file's name. DNs are UTF-8 (RFC 4514 section 2).
func label(name string) string { return loopback.Label(path.Base(name)) }

// nameOf returns the distinguished name of a file.
func nameOf(name string, dir bool) string {
	if name == "." {
		return root
	}
	kind := "cn="
	if dir {
		kind = "ou="
	}
	return kind + ldap.EscapeDN(label(name)) + "," + nameOf(path.Dir(name), true)
}

// fits reports whether an entry matches a filter: RFC 4511 section 4.5.1.7.
func fits(e Entry, f *ber.Packet, depth int) bool {
	if depth > 32 {
		return false
	}
	switch f.Tag {
	case ldap.FilterAnd, ldap.FilterOr:
		for _, c := range f.Children {
			if fits(e, c, depth+1) != (f.Tag == ldap.FilterAnd) {
				return f.Tag == ldap.FilterOr
			}
		}
		return f.Tag == ldap.FilterAnd
	case ldap.FilterNot:
		return len(f.Children) == 1 && !fits(e, f.Children[0], depth+1)
	case ldap.FilterPresent:
		return anyValue(e, text(f), func(string) bool { return true })
	}
	if len(f.Children) < 2 {
		return false
	}
	name, value := text(f.Children[0]), strings.ToLower(text(f.Children[1]))
	return anyValue(e, name, func(v string) bool {
		switch v = strings.ToLower(v); f.Tag {
		case ldap.FilterEqualityMatch:
			return v == value
		case ldap.FilterApproxMatch:
			return strings.Contains(v, value)
		case ldap.FilterGreaterOrEqual:
			return v >= value
		case ldap.FilterLessOrEqual:
			return v <= value
		case ldap.FilterSubstrings:
			return hasParts(v, f.Children[1].Children)
		}
		return false
	})
}

func anyValue(e Entry, name string, is func(string) bool) bool {
	for _, a := range e.Attr {
		if strings.EqualFold(a[0], name) && is(a[1]) {
			return true
		}
	}
	return false
}

func hasParts(v string, parts []*ber.Packet) bool {
	for _, p := range parts {
		want := strings.ToLower(text(p))
		switch p.Tag {
		case ldap.FilterSubstringsInitial:
			if !strings.HasPrefix(v, want) {
				return false
			}
			v = v[len(want):]
		case ldap.FilterSubstringsFinal:
			return strings.HasSuffix(v, want)
		default:
			i := strings.Index(v, want)
			if i < 0 {
				return false
			}
			v = v[i+len(want):]
		}
	}
	return true
}
