package ldap

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/frames"
	ber "github.com/go-asn1-ber/asn1-ber"
	"github.com/go-ldap/ldap/v3"
)

// decode puts an LDAPMessage (RFC 4511 section 4.1.1) into words. Credentials and the values of entries are not shown.
func decode(f fetch.Frame) (string, int) {
	m, _, ok := frames.Next(f.Data)
	if !ok || m.Tag != frames.Sequence {
		return "", -1
	}
	r := frames.Reader{Rest: m.Contents}
	id := r.Next().Int()
	op := r.Next()
	words := strings.TrimSpace(fmt.Sprintf("%s %d %s", operation(op.Tag), id, details(op)))
	if len(r.Rest) > 0 {
		words += controls(r.Next())
	}
	return words, m.Size
}

// operation returns the name of a protocolOp in RFC 4511. Other operations are not sent, and have no responses.
func operation(tag byte) string {
	names := map[byte]string{
		opBind: "bindRequest", opBindDone: "bindResponse", opUnbind: "unbindRequest", opSearch: "searchRequest", opEntry: "searchResEntry",
		opSearchDone: "searchResDone", opReference: "searchResRef", opAbandon: "abandonRequest", opRequest: "extendedReq", opExtended: "extendedResp",
		0x79: "intermediateResponse",
	}
	return cmp.Or(names[tag], fmt.Sprintf("operation 0x%02x", tag))
}

func details(op frames.Element) string {
	r := frames.Reader{Rest: op.Contents}
	switch op.Tag {
	case opBind:
		return bind(&r)
	case opSearch:
		return searchWords(&r)
	case opEntry:
		return frames.Quote(r.Next().Contents) + list(r.Next(), func(e frames.Element) string {
			in := frames.Reader{Rest: e.Contents} // a PartialAttribute
			return " " + name(in.Next().Contents)
		})
	case opReference:
		return strings.TrimSpace(list(op, quoted))
	case opBindDone, opSearchDone, opExtended:
		return result(&r)
	case opRequest, 0x79:
		return extended(r.Next().Contents)
	case opAbandon:
		return strconv.FormatInt(op.Int(), 10)
	}
	return ""
}

// bind is RFC 4511 section 4.2: the credentials are in the context tags 0 (simple) and 3 (SASL).
func bind(r *frames.Reader) string {
	words := fmt.Sprintf("version %d %s", r.Next().Int(), frames.Quote(r.Next().Contents))
	switch how := r.Next(); {
	case how.Tag == 0x80 && len(how.Contents) == 0:
		return words + " simple, without a password"
	case how.Tag == 0x80:
		return words + " simple ***"
	case how.Tag == 0xa3:
		in := frames.Reader{Rest: how.Contents}
		return words + " sasl " + name(in.Next().Contents) + " ***"
	}
	return words + " ***"
}

// searchWords is RFC 4511 section 4.5.1.
func searchWords(r *frames.Reader) string {
	base := frames.Quote(r.Next().Contents)
	scope := frames.Word(r.Next().Int(), "base", "one", "sub", "children")
	aliases := frames.Word(r.Next().Int(), "never", "searching", "finding", "always")
	size, seconds, types := r.Next().Int(), r.Next().Int(), r.Next().Int()
	filter := filterOf(r.Rest)
	r.Next()
	words := fmt.Sprintf("%s %s %s", base, scope, filter) + list(r.Next(), func(e frames.Element) string { return " " + name(e.Contents) })
	for _, x := range []struct {
		on   bool
		text string
	}{{aliases != "never", "aliases " + aliases}, {size != 0, fmt.Sprintf("at most %d entries", size)},
		{seconds != 0, fmt.Sprintf("at most %d s", seconds)}, {types != 0, "types only"}} {
		if x.on {
			words += ", " + x.text
		}
	}
	return words
}

// filterOf returns the filter that b begins with in the form of RFC 4515.
func filterOf(b []byte) string {
	e, _, _ := frames.Next(b)
	b = b[:min(len(b), e.Size)]
	if left := newBudget(maxFilter); left.spend(b, maxNesting+2) == nil { // the library has no bounds
		if text, err := ldap.DecompileFilter(ber.DecodePacket(b)); err == nil {
			return text
		}
	}
	return "(?)"
}

// result is an LDAPResult (RFC 4511 section 4.1.9), with its referrals.
func result(r *frames.Reader) string {
	code := r.Next().Int()
	words := strconv.FormatInt(code, 10)
	if text := ldap.LDAPResultCodeMap[uint16(code)]; text != "" && code >= 0 && code < ldap.ErrorNetwork {
		words = text + " (" + words + ")"
	}
	if dn := r.Next().Contents; len(dn) > 0 {
		words += ", matched " + frames.Quote(dn)
	}
	if message := r.Next().Contents; len(message) > 0 {
		words += ", " + frames.Quote(message)
	}
	for len(r.Rest) > 0 && len(words) < 1000 {
		switch e := r.Next(); e.Tag {
		case 0xa3:
			words += ", refers to" + list(e, quoted)
		case 0x8a:
			words += ", " + extended(e.Contents)
		}
	}
	return words
}

// extended returns the name of an extended operation.
func extended(oid []byte) string {
	if string(oid) == oidStartTLS {
		return "StartTLS"
	}
	return name(oid)
}

func controls(e frames.Element) string {
	if e.Tag != 0xa0 {
		return ""
	}
	return ", controls" + list(e, func(e frames.Element) string {
		r := frames.Reader{Rest: e.Contents}
		if oid := string(r.Next().Contents); oid != ldap.ControlTypePaging {
			return " " + name([]byte(oid))
		}
		return " paging" // RFC 2696
	})
}

// list joins the elements within e. It stops where no more of them would be shown.
func list(e frames.Element, show func(frames.Element) string) string {
	var b strings.Builder
	for r := (frames.Reader{Rest: e.Contents}); len(r.Rest) > 0 && b.Len() < 1000; {
		b.WriteString(show(r.Next()))
	}
	return b.String()
}

func quoted(e frames.Element) string { return " " + frames.Quote(e.Contents) }

// name returns an attribute, a mechanism or an OID. Anything else is quoted.
func name(b []byte) string {
	if s := string(b); isAttribute(s) && len(s) <= 60 || s == "*" || s == "+" {
		return s
	}
	return frames.Quote(b)
}
