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

// A session is a conversation with one client.
type session struct {
	s    *Server
	conn net.Conn
	w    *bufio.Writer
	id   int64 // of the message that is answered
	in   bool  // may search
	over bool
}

// request answers one message.
func (k *session) request(m *ber.Packet) {
	id, ok := m.Children[0].Value.(int64)
	if !ok {
		k.over = true
		return
	}
	k.id = id
	switch op := m.Children[1]; {
	case op.Tag == ldap.ApplicationBindRequest && len(op.Children) > 2:
		k.bind(op)
	case op.Tag == ldap.ApplicationSearchRequest && len(op.Children) > 7:
		k.search(op, cookieOf(m))
	case op.Tag == ldap.ApplicationExtendedRequest && len(op.Children) > 0:
		k.extended(op)
	default: // unbind, abandon, and all that changes something
		k.over = true
	}
}

func (k *session) bind(op *ber.Packet) {
	name, password := text(op.Children[1]), text(op.Children[2])
	k.s.Net.Note("bind " + name)
	want, known := k.s.o.Users[name]
	switch {
	case name == "":
		k.result(ldap.ApplicationBindResponse, ldap.LDAPResultSuccess, "", nil)
	case !known || password != want:
		k.result(ldap.ApplicationBindResponse, ldap.LDAPResultInvalidCredentials, "", nil)
	default:
		k.in = true
		k.result(ldap.ApplicationBindResponse, ldap.LDAPResultSuccess, "", nil)
	}
}

func (k *session) extended(op *ber.Packet) {
	if text(op.Children[0]) != "1.3.6.1.4.1.1466.20037" || k.s.o.TLS == nil {
		k.result(ldap.ApplicationExtendedResponse, ldap.LDAPResultProtocolError, "unsupported extended operation", nil)
		return
	}
	k.s.Net.Note("StartTLS")
	k.result(ldap.ApplicationExtendedResponse, ldap.LDAPResultSuccess, "", nil)
	if k.w.Flush() != nil {
		k.over = true
		return
	}
	k.conn = tls.Server(k.conn, k.s.o.TLS)
	k.w = bufio.NewWriter(k.conn)
}

// search brings a page of what is found: RFC 2696. The cookie is the number of entries that were brought before.
func (k *session) search(op *ber.Packet, page *page) {
	base, scope := text(op.Children[0]), int64(0)
	scope, _ = op.Children[1].Value.(int64)
	k.s.Net.Note("search " + base + " " + []string{"base", "one", "sub", "?"}[min(uint64(scope), 3)])
	const done = ldap.ApplicationSearchResultDone
	if to := k.s.o.Refer[strings.ToLower(base)]; to != "" {
		k.result(done, ldap.LDAPResultReferral, "", nil, to)
		return
	}
	if !k.in {
		k.result(done, ldap.LDAPResultInsufficientAccessRights, "bind first", nil)
		return
	}
	found, code := k.s.find(base, scope, op.Children[6])
	from, to := 0, len(found)
	if page != nil {
		from = min(page.from, to)
		to = min(to, from+page.size)
	}
	if most := k.s.o.Most; most > 0 && to > most {
		found, to, code = found[:most], most, ldap.LDAPResultSizeLimitExceeded
	}
	for _, e := range found[min(from, to):to] {
		k.entry(e, op.Children[7])
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

// entry sends the attributes that are wanted: "*" and none at all are all of them, "1.1" is none.
func (k *session) entry(e Entry, wanted *ber.Packet) {
	op := ber.Encode(ber.ClassApplication, ber.TypeConstructed, ldap.ApplicationSearchResultEntry, nil, "")
	op.AppendChild(octets(e.DN))
	list := ber.NewSequence("")
	var values *ber.Packet
	last := ""
	for _, a := range e.Attr {
		if !wants(wanted, a[0]) {
			continue
		}
		if a[0] != last {
			one := ber.NewSequence("")
			one.AppendChild(octets(a[0]))
			values = ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSet, nil, "")
			one.Children = append(one.Children, values)
			list.Children = append(list.Children, one)
			last = a[0]
		}
		values.AppendChild(octets(a[1]))
	}
	for _, one := range list.Children { // the data of a packet is made of its children when they are appended
		one.Data.Write(one.Children[1].Bytes())
		list.Data.Write(one.Bytes())
	}
	op.AppendChild(list)
	k.send(op, nil)
}

func wants(wanted *ber.Packet, name string) bool {
	for _, w := range wanted.Children {
		if s := text(w); s == "*" || strings.EqualFold(s, name) {
			return true
		}
	}
	return len(wanted.Children) == 0
}

// result ends an operation.
func (k *session) result(op ber.Tag, code int64, said string, control *ber.Packet, refer ...string) {
	r := ber.Encode(ber.ClassApplication, ber.TypeConstructed, op, nil, "")
	r.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagEnumerated, code, ""))
	r.AppendChild(octets(""))
	r.AppendChild(octets(said))
	if len(refer) > 0 {
		list := ber.Encode(ber.ClassContext, ber.TypeConstructed, 3, nil, "")
		for _, u := range refer {
			list.AppendChild(octets(u))
		}
		r.AppendChild(list)
	}
	k.send(r, control)
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

// text is the contents of a primitive element.
func text(p *ber.Packet) string { return p.Data.String() }

// A page is what is asked for of the answers.
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
