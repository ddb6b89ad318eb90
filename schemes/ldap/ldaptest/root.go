package ldaptest

import (
	"slices"

	ber "github.com/go-asn1-ber/asn1-ber"
	"github.com/go-ldap/ldap/v3"
)

// operational reports whether an attribute is sent only if it is requested by name or by "+".
func operational(name string) bool {
	return slices.Contains([]string{"supportedLDAPVersion", "namingContexts", "supportedControl", "supportedExtension", "vendorName"}, name)
}

// rootDSE returns the entry that describes the server (RFC 4512 section 5.1), if it matches the filter.
func (s *server) rootDSE(filter *ber.Packet) []Entry {
	e := Entry{Attr: [][2]string{{"objectClass", "top"}, {"supportedLDAPVersion", "3"}}}
	for _, dn := range s.contexts() {
		e.Attr = append(e.Attr, [2]string{"namingContexts", dn})
	}
	e.Attr = append(e.Attr, [2]string{"supportedControl", ldap.ControlTypePaging}, [2]string{"supportedExtension", whoAmI})
	if s.o.TLS != nil {
		e.Attr = append(e.Attr, [2]string{"supportedExtension", startTLS})
	}
	e.Attr = append(e.Attr, [2]string{"vendorName", "ldaptest"})
	if !fits(e, filter, 0) {
		return nil
	}
	return []Entry{e}
}

// contexts returns the names of the entries without a parent.
func (s *server) contexts() (list []string) {
	entries := s.entries()
	names := make([]*ldap.DN, 0, len(entries))
	for _, e := range entries {
		if dn, err := ldap.ParseDN(e.DN); err == nil {
			names = append(names, dn)
		}
	}
	for _, dn := range names {
		if !slices.ContainsFunc(names, func(other *ldap.DN) bool { return other.AncestorOfFold(dn) }) {
			list = append(list, dn.String())
		}
	}
	return list
}

// object returns the entry of a name.
func (s *server) object(name string) (Entry, int64) {
	everything := ber.NewString(ber.ClassContext, ber.TypePrimitive, ldap.FilterPresent, "objectClass", "")
	if name == "" {
		return s.rootDSE(everything)[0], ldap.LDAPResultSuccess
	}
	found, code := s.find(name, ldap.ScopeBaseObject, everything)
	if code == ldap.LDAPResultSuccess && len(found) == 0 {
		code = ldap.LDAPResultNoSuchObject
	}
	if code != ldap.LDAPResultSuccess {
		return Entry{}, code
	}
	return found[0], code
}
