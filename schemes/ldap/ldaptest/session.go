package ldaptest

import (
	"bufio"
	"crypto/tls"
	"net"
	"strconv"
	"strings"

	ber "github.com/go-asn1-ber/asn1-ber"
	"github.com/go-ldap/ldap/v3"
)

// A session serves one client.
type session struct {
	s    *server
	conn net.Conn
	w    *bufio.Writer
	id   int64  // of the current request
	name string // of the bind, "" if anonymous
	in   bool   // may search
	over bool
}

// request handles one message.
func (k *session) request(m *ber.Packet) {
	id, ok := m.Children[0].Value.(int64)
	if !ok {
		k.over = true
		return
	}
	k.id = id
	op := m.Children[1]
	answer, answered := answerOf(op.Tag)
	switch {
	case op.Tag == ldap.ApplicationAbandonRequest: // every operation ends before the next is read
	case answered && unknownCritical(m):
		k.result(answer, ldap.LDAPResultUnavailableCriticalExtension, "unknown control", nil)
	case op.Tag == ldap.ApplicationBindRequest && len(op.Children) > 2:
		k.bind(op)
	case op.Tag == ldap.ApplicationSearchRequest && len(op.Children) > 7:
		k.search(op, cookieOf(m))
	case op.Tag == ldap.ApplicationCompareRequest && len(op.Children) > 1 && len(op.Children[1].Children) > 1:
		k.compare(op)
	case op.Tag == ldap.ApplicationExtendedRequest && len(op.Children) > 0:
		k.extended(op)
	case answered:
		k.result(answer, ldap.LDAPResultUnwillingToPerform, "the directory is read-only", nil)
	default: // unbind, or not LDAP
		k.over = true
	}
}

// answerOf returns the tag of the response to a request, false if it has none: RFC 4511 section 4.
func answerOf(request ber.Tag) (response ber.Tag, ok bool) {
	switch request {
	case ldap.ApplicationSearchRequest:
		return ldap.ApplicationSearchResultDone, true
	case ldap.ApplicationBindRequest, ldap.ApplicationModifyRequest, ldap.ApplicationAddRequest, ldap.ApplicationDelRequest,
		ldap.ApplicationModifyDNRequest, ldap.ApplicationCompareRequest, ldap.ApplicationExtendedRequest:
		return request + 1, true
	}
	return 0, false
}

// unknownCritical reports whether a message has an unknown critical control: RFC 4511 section 4.1.11.
func unknownCritical(m *ber.Packet) bool {
	if len(m.Children) < 3 {
		return false
	}
	for _, c := range m.Children[2].Children {
		if len(c.Children) > 1 && c.Children[1].Tag == ber.TagBoolean && c.Children[1].Value == true && text(c.Children[0]) != ldap.ControlTypePaging {
			return true
		}
	}
	return false
}

func (k *session) bind(op *ber.Packet) {
	name, password := text(op.Children[1]), text(op.Children[2])
	k.s.Net.Note("bind " + name)
	k.name, k.in = "", len(k.s.o.Users) == 0 // anonymous until it succeeds: RFC 4511 section 4.2.1
	want, known := k.s.o.Users[name]
	code := int64(ldap.LDAPResultSuccess)
	switch version, _ := op.Children[0].Value.(int64); {
	case version != 3:
		code = ldap.LDAPResultProtocolError
	case op.Children[2].Tag != 0:
		code = ldap.LDAPResultAuthMethodNotSupported // SASL is not supported
	case name == "":
	case !known || password != want:
		code = ldap.LDAPResultInvalidCredentials
	default:
		k.name, k.in = name, true
	}
	k.result(ldap.ApplicationBindResponse, code, "", nil)
}

// compare handles a compare request: RFC 4511 section 4.10.
func (k *session) compare(op *ber.Packet) {
	base, name, value := text(op.Children[0]), text(op.Children[1].Children[0]), text(op.Children[1].Children[1])
	k.s.Net.Note("compare " + base)
	code := int64(ldap.LDAPResultCompareFalse)
	switch found, bad := k.s.object(base); {
	case !k.in:
		code = ldap.LDAPResultInsufficientAccessRights
	case bad != ldap.LDAPResultSuccess:
		code = bad
	case !anyValue(found, name, func(string) bool { return true }):
		code = ldap.LDAPResultNoSuchAttribute
	case anyValue(found, name, func(v string) bool { return strings.EqualFold(v, value) }):
		code = ldap.LDAPResultCompareTrue
	}
	k.result(ldap.ApplicationCompareResponse, code, "", nil)
}

// The supported extended operations.
const (
	startTLS = "1.3.6.1.4.1.1466.20037"  // RFC 4511 section 4.14
	whoAmI   = "1.3.6.1.4.1.4203.1.11.3" // RFC 4532
)

func (k *session) extended(op *ber.Packet) {
	const answer = ldap.ApplicationExtendedResponse
	switch name := text(op.Children[0]); {
	case name == whoAmI:
		k.s.Net.Note("whoami")
		identity := ""
		if k.name != "" {
			identity = "dn:" + k.name
		}
		r := resultOf(answer, ldap.LDAPResultSuccess, "")
		r.AppendChild(ber.NewString(ber.ClassContext, ber.TypePrimitive, 11, identity, ""))
		k.send(r, nil)
	case name == startTLS && k.s.o.TLS != nil:
		k.s.Net.Note("StartTLS")
		k.result(answer, ldap.LDAPResultSuccess, "", nil)
		if k.w.Flush() != nil {
			k.over = true
			return
		}
		k.conn = tls.Server(k.conn, k.s.o.TLS)
		k.w = bufio.NewWriter(k.conn)
	default:
		k.result(answer, ldap.LDAPResultProtocolError, "unsupported extended operation", nil)
	}
}

// search sends a page of the results: RFC 2696. The cookie is the number of entries sent before.
func (k *session) search(op *ber.Packet, page *page) {
	base, scope := text(op.Children[0]), int64(0)
	scope, _ = op.Children[1].Value.(int64)
	k.s.Net.Note("search " + base + " " + []string{"base", "one", "sub", "?"}[min(uint64(scope), 3)])
	const done = ldap.ApplicationSearchResultDone
	if to := k.s.o.Refer[strings.ToLower(base)]; to != "" {
		k.result(done, ldap.LDAPResultReferral, "", nil, to)
		return
	}
	rootDSE := base == "" && scope == ldap.ScopeBaseObject // readable without a bind, which needs its contents
	if !k.in && !rootDSE {
		k.result(done, ldap.LDAPResultInsufficientAccessRights, "bind first", nil)
		return
	}
	found, code := k.s.find(base, scope, op.Children[6])
	if rootDSE {
		found, code = k.s.rootDSE(op.Children[6]), ldap.LDAPResultSuccess
	}
	from, to := 0, len(found)
	if page != nil {
		from = min(page.from, to)
		to = min(to, from+page.size)
	}
	most := k.s.o.Most
	if limit, _ := op.Children[3].Value.(int64); limit > 0 && (most == 0 || limit < int64(most)) {
		most = int(limit)
	}
	if most > 0 && to > most {
		found, to, code = found[:most], most, ldap.LDAPResultSizeLimitExceeded
	}
	for _, e := range found[min(from, to):to] {
		k.entry(e, op.Children[7], op.Children[5].Value == true)
	}
	var control *ber.Packet
	if page != nil && code == ldap.LDAPResultSuccess {
		c := ldap.NewControlPaging(0)
		if to < len(found) {
			c.SetCookie([]byte(strconv.Itoa(to)))
		}
		control = c.Encode()
	}
	k.result(done, code, "", control)
}

// entry sends the requested attributes. "*" and an empty list mean all but the operational ones, which are "+" (RFC 3673); "1.1" means none.
// With typesOnly it sends no values.
func (k *session) entry(e Entry, wanted *ber.Packet, types bool) {
	op := ber.Encode(ber.ClassApplication, ber.TypeConstructed, ldap.ApplicationSearchResultEntry, nil, "")
	op.AppendChild(octets(e.DN))
	list := ber.NewSequence("")
	for rest := e.Attr; len(rest) > 0; {
		name := rest[0][0]
		values := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSet, nil, "")
		for ; len(rest) > 0 && rest[0][0] == name; rest = rest[1:] {
			if !types {
				values.AppendChild(octets(rest[0][1]))
			}
		}
		if wants(wanted, name) {
			one := ber.NewSequence("")
			one.AppendChild(octets(name))
			one.AppendChild(values)
			list.AppendChild(one)
		}
	}
	op.AppendChild(list)
	k.send(op, nil)
}

func wants(wanted *ber.Packet, name string) bool {
	all := "*"
	if operational(name) {
		all = "+"
	}
	for _, w := range wanted.Children {
		if s := text(w); s == all || strings.EqualFold(s, name) {
			return true
		}
	}
	return all == "*" && len(wanted.Children) == 0
}

// result ends an operation.
func (k *session) result(op ber.Tag, code int64, said string, control *ber.Packet, refer ...string) {
	r := resultOf(op, code, said)
	if len(refer) > 0 {
		list := ber.Encode(ber.ClassContext, ber.TypeConstructed, 3, nil, "")
		for _, u := range refer {
			list.AppendChild(octets(u))
		}
		r.AppendChild(list)
	}
	k.send(r, control)
}

// resultOf returns an LDAPResult without referrals: RFC 4511 section 4.1.9.
func resultOf(op ber.Tag, code int64, said string) *ber.Packet {
	r := ber.Encode(ber.ClassApplication, ber.TypeConstructed, op, nil, "")
	r.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagEnumerated, code, ""))
	r.AppendChild(octets(""))
	r.AppendChild(octets(said))
	return r
}

func (k *session) send(op, control *ber.Packet) {
	m := ber.NewSequence("")
	m.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, k.id, ""))
	m.AppendChild(op)
	if control != nil {
		list := ber.Encode(ber.ClassContext, ber.TypeConstructed, 0, nil, "")
		list.AppendChild(control)
		m.AppendChild(list)
	}
	k.w.Write(m.Bytes())
}

func octets(s string) *ber.Packet {
	return ber.NewString(ber.ClassUniversal, ber.TypePrimitive, ber.TagOctetString, s, "")
}

// text returns the contents of a primitive element.
func text(p *ber.Packet) string { return p.Data.String() }

// A page is the requested part of the results.
type page struct{ size, from int }

func cookieOf(m *ber.Packet) *page {
	if len(m.Children) < 3 {
		return nil
	}
	for _, c := range m.Children[2].Children {
		control, err := ldap.DecodeControl(c)
		if p, ok := control.(*ldap.ControlPaging); err == nil && ok && p.PagingSize > 0 {
			from, _ := strconv.Atoi(string(p.Cookie))
			return &page{int(p.PagingSize), max(0, from)}
		}
	}
	return nil
}
