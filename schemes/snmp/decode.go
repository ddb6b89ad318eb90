package snmp

import (
	"fmt"
	"math/big"
	"net/netip"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/frames"
	"github.com/gosnmp/gosnmp"
)

// decode puts a message into words: RFC 1157 section 4, RFC 1901 section 3, RFC 3412 section 6. It does not show the community, nor what
// protects a message of version 3.
func decode(f fetch.Frame) (string, int) {
	m, _, ok := frames.Next(f.Data)
	if !ok || m.Tag != frames.Sequence || !f.Datagram {
		return "", -1
	}
	r := frames.Reader{Rest: m.Contents}
	switch version := r.Next().Int(); version {
	case 0, 1:
		community := r.Next()
		if community.Tag != frames.OctetString {
			return "", -1
		}
		return [...]string{"version 1", "version 2c"}[version] + " community *** " + pduWords(r.Next()), m.Size
	case 3:
		return "version 3 " + v3Words(&r), m.Size
	}
	return "", -1
}

// v3Words is RFC 3412 section 6 and RFC 3414 section 2.4.
func v3Words(r *frames.Reader) string {
	global := frames.Reader{Rest: r.Next().Contents}
	id := global.Next().Int()
	global.Next() // the maximum size
	flags := global.Next().Contents
	level := "noAuthNoPriv"
	switch {
	case len(flags) > 0 && flags[0]&2 != 0:
		level = "authPriv"
	case len(flags) > 0 && flags[0]&1 != 0:
		level = "authNoPriv"
	}
	in := frames.Reader{Rest: r.Next().Contents}
	in.Enter()
	engine := in.Next().Contents
	boots, seconds := in.Next().Int(), in.Next().Int()
	user := in.Next().Contents
	words := fmt.Sprintf("%s message %d engine %x boots %d time %d user %s ", level, id, engine[:min(len(engine), 32)], boots, seconds, frames.Quote(user))
	data := r.Next()
	if data.Tag == frames.OctetString {
		return words + fmt.Sprintf("encrypted, %d bytes", len(data.Contents))
	}
	scoped := frames.Reader{Rest: data.Contents}
	scoped.Next() // the context's engine
	if name := scoped.Next().Contents; len(name) > 0 {
		words += "context " + frames.Quote(name) + " "
	}
	return words + pduWords(scoped.Next())
}

// pduWords returns a PDU: its name, request-id, error, and variables (RFC 3416 section 3).
func pduWords(e frames.Element) string {
	names := [...]string{"get-request", "get-next-request", "response", "set-request", "trap", "get-bulk-request", "inform-request", "snmpV2-trap", "report"}
	kind := int(e.Tag) - 0xa0
	if kind < 0 || kind >= len(names) {
		return fmt.Sprintf("PDU 0x%02x", e.Tag)
	}
	r := frames.Reader{Rest: e.Contents}
	words := names[kind]
	if kind == 4 {
		return words // RFC 1157 section 4.1.6: of another form
	}
	words += " " + strconv.FormatInt(r.Next().Int(), 10)
	a, b := r.Next().Int(), r.Next().Int()
	switch {
	case kind == 5:
		words += fmt.Sprintf(" non-repeaters %d max-repetitions %d", a, b)
	case a != 0:
		words += fmt.Sprintf(" %v (%d) at variable %d", gosnmp.SNMPError(min(max(a, 0), 0xff)), a, b)
	}
	sep := ": "
	for list := (frames.Reader{Rest: r.Next().Contents}); len(list.Rest) > 0 && len(words) < 1000; sep = "; " {
		in := frames.Reader{Rest: list.Next().Contents}
		words += sep + nameOf(oidOf(in.Next().Contents))
		if v := in.Next(); v.Tag != byte(gosnmp.Null) || kind == 2 {
			words += " = " + valueWords(v)
		}
	}
	return words
}

// oidOf returns an OBJECT IDENTIFIER in its dotted form (X.690 section 8.19).
func oidOf(b []byte) string {
	var s strings.Builder
	n := uint64(0)
	for _, c := range b {
		if n = n<<7 | uint64(c&0x7f); c >= 0x80 {
			continue
		}
		if s.Len() > 0 {
			fmt.Fprintf(&s, ".%d", n)
		} else {
			first := min(n/40, 2)
			fmt.Fprintf(&s, "%d.%d", first, n-40*first)
		}
		if n = 0; s.Len() > 200 {
			return s.String() + "..."
		}
	}
	return s.String()
}

// valueWords returns a value of RFC 3416 section 2.
func valueWords(e frames.Element) string {
	switch gosnmp.Asn1BER(e.Tag) {
	case gosnmp.Integer:
		return strconv.FormatInt(e.Int(), 10)
	case gosnmp.OctetString:
		return frames.Quote(e.Contents)
	case gosnmp.ObjectIdentifier:
		return nameOf(oidOf(e.Contents))
	case gosnmp.IPAddress:
		if a, ok := netip.AddrFromSlice(e.Contents); ok {
			return a.String()
		}
	case gosnmp.Counter32, gosnmp.Gauge32, gosnmp.TimeTicks, gosnmp.Counter64:
		return new(big.Int).SetBytes(e.Contents[max(0, len(e.Contents)-8):]).String()
	case gosnmp.Null:
		return "NULL"
	case gosnmp.NoSuchObject, gosnmp.NoSuchInstance, gosnmp.EndOfMibView:
		return typeOf(gosnmp.Asn1BER(e.Tag))
	}
	return fmt.Sprintf("tag 0x%02x of %d bytes", e.Tag, len(e.Contents))
}
