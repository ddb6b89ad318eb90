package snmp

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/uri"
	"github.com/gosnmp/gosnmp"
)

// entry returns an object's entry: its name, type, value and URI.
func (w *walk) entry(pdu gosnmp.SnmpPDU) fetch.Entry {
	kind, text := typeOf(pdu.Type), textOf(pdu)
	name := nameOf(pdu.Name)
	e := fetch.Entry{Kind: fetch.KindEntry, Title: name + " = " + kind + ": " + display(name, pdu, text), Size: -1, Attr: map[string][]string{
		"oid": {pdu.Name}, "name": {name}, "type": {kind}, "value": {text},
	}}
	if isException(pdu.Type) {
		e.Kind, e.Title = fetch.KindText, name+" = "+kind
		return e
	}
	e.URI, _ = uri.Parse(w.base + pdu.Name)
	return e
}

// contextURI returns the prefix of the URIs of a context's objects. It omits the community, which is a secret.
func (r *request) contextURI(u uri.URI) string {
	where, _ := u.WithoutUserinfo().Authority()
	s := "snmp://" + string(where) + "/" + string(uri.Segment.Escape(uri.RFC3986, string(r.Context)))
	if r.EngineID != nil {
		s += ";" + *r.EngineID
	}
	return s + "/"
}

// value returns the Document of a single object: the bytes of a string, or any other value as a line of text.
func value(pdu gosnmp.SnmpPDU, e fetch.Entry) *fetch.Document {
	text := e.Attr["value"][0]
	d := fetch.NewDocument(nil)
	d.Type, d.TypeReason = "text/plain", e.Attr["type"][0]
	_, octets := pdu.Value.([]byte)
	switch {
	case !octets:
		text += "\n"
	case !charset.IsText(text):
		d.Type = "application/octet-stream"
	}
	d.Body = io.NopCloser(strings.NewReader(text))
	d.Size, d.End = int64(len(text)), fetch.EndDeclared
	return d
}

// typeOf returns the name of a type in RFC 2578.
func typeOf(t gosnmp.Asn1BER) string {
	switch t {
	case gosnmp.Integer:
		return "INTEGER"
	case gosnmp.OctetString:
		return "OCTET STRING"
	case gosnmp.ObjectIdentifier:
		return "OBJECT IDENTIFIER"
	case gosnmp.IPAddress:
		return "IpAddress"
	case gosnmp.Null:
		return "NULL"
	case gosnmp.OpaqueFloat, gosnmp.OpaqueDouble:
		return "Opaque"
	}
	if isException(t) {
		return word(t)
	}
	return t.String()
}

// isException reports whether a type stands for the lack of an object, or, in a walk, of another one: RFC 3416 section 3.
func isException(t gosnmp.Asn1BER) bool { return t >= gosnmp.NoSuchObject && t <= gosnmp.EndOfMibView }

// word returns a name of the library as the RFCs write it.
func word(name fmt.Stringer) string {
	s := name.String()
	return strings.ToLower(s[:1]) + s[1:]
}

// textOf returns the value: a string's bytes unchanged, any other type in net-snmp's form.
func textOf(pdu gosnmp.SnmpPDU) string {
	switch v := pdu.Value.(type) {
	case nil:
		return ""
	case []byte:
		return string(v)
	case string:
		return strings.TrimPrefix(v, ".")
	}
	return fmt.Sprint(pdu.Value)
}

// display returns a value in a readable form.
func display(name string, pdu gosnmp.SnmpPDU, text string) string {
	_, octets := pdu.Value.([]byte)
	switch {
	case octets && !charset.IsText(text):
		return strings.TrimSpace(fmt.Sprintf("% x", text))
	case pdu.Type == gosnmp.TimeTicks:
		n, _ := strconv.ParseUint(text, 10, 32)
		return fmt.Sprintf("(%d) %d:%02d:%02d.%02d", n, n/360000, n/6000%60, n/100%60, n%100)
	case pdu.Type == gosnmp.ObjectIdentifier:
		return nameOf(text)
	case strings.HasPrefix(name, "ifAdminStatus."), strings.HasPrefix(name, "ifOperStatus."): // RFC 2863
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= 7 {
			return []string{"up", "down", "testing", "unknown", "dormant", "notPresent", "lowerLayerDown"}[n-1] + "(" + text + ")"
		}
	}
	return text
}
