package schemes_test

import (
	"encoding/base64"

	"github.com/gosnmp/gosnmp"

	"example.org/deref/fetch"
)

// strictOctets returns the conversations of protocols that do not consist of lines.
func strictOctets() []strictCase {
	// an agent that responds to the first request after [random 00000000]
	agent := func(version gosnmp.SnmpVersion, status gosnmp.SNMPError, found ...gosnmp.SnmpPDU) string {
		p := gosnmp.SnmpPacket{Version: version, Community: "public", PDUType: gosnmp.GetResponse, RequestID: 2, Error: status, Variables: found}
		b, _ := p.MarshalMsg()
		return "*: [random 00000000]\nC0: ***\nS0= " + base64.StdEncoding.EncodeToString(b) + "\n"
	}
	name := gosnmp.SnmpPDU{Name: ".1.3.6.1.2.1.1.5.0", Type: gosnmp.OctetString, Value: "lab"}
	id := fetch.Options{Set: map[string][]string{"prospero.cid": {"4660"}}}
	const (
		hello = `C0: \x0f\x124\x00\x01\x00\x01\x00\x00\x00\x00\x08\x00\x00\x10VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED guest\n`
		again = `C0: \x0f\x125\x00\x01\x00\x01\x00\x00\x00\x00\x08\x00\x00\x10VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED guest\n`
	)
	return []strictCase{
		{"snmp: correct", "snmp://192.0.2.1//1.3.6.1.2.1.1.5.0", agent(gosnmp.Version2c, 0, name), fetch.Options{}, nil, "", false},
		{"snmp: version 1", "snmp://192.0.2.1//1.3.6.1.2.1.1.5.0", agent(gosnmp.Version1, 0, name), fetch.Options{}, []string{
			"the response: another version than that of the request (RFC 1901 section 3)",
		}, "", false},
		{"snmp: noSuchName", "snmp://192.0.2.1//1.3.6.1.2.1.1.*", agent(gosnmp.Version2c, gosnmp.NoSuchName, name), fetch.Options{}, []string{
			"the response: noSuchName instead of endOfMibView (RFC 3416 section 4.2.2)",
		}, "", false},
		{"snmp: one of two", "snmp://192.0.2.1//(1.3.6.1.2.1.1.5.0,1.3.6.1.2.1.1.6.0)", agent(gosnmp.Version2c, 0, name), fetch.Options{}, []string{
			"the response: 1 objects for 2 (RFC 3416 section 4.2.1)",
		}, "", false},
		{"prospero", "prospero://192.0.2.1/AFTP/a", hello + `GET-OBJECT-INFO ACCESS-METHOD+SIZE+UNIX-MODES ASCII AFTP/a 0\n
S0: \x034\x12ATTRIBUTE OBJECT INTRINSIC UNIX-MODES SEQUENCE drwxr-xr-x\n
` + again + `DIRECTORY ASCII AFTP/a\nLIST ATTRIBUTES COMPONENTS\n
S0: \x03\x125LINK L FILE x INTERNET-D h.example\n
`, id, []string{
			"the connection ID of a packet: its bytes are swapped (ARDP version 0, header)",
			"a LINK line: 6 words instead of 8 (Prospero protocol 5, LINK)",
		}, "", false},
		{"ldap", "ldap://192.0.2.1/o=lab??one", `
*: [connected to 192.0.2.1:389]
C= MAwCAQFgBwIBAwQAgAA=
S= MAwCAQFhBwoBAAQABAA=
C= MFACAQJjJQQFbz1sYWIKAQEKAQICAQACAQABAQCHC29iamVjdENsYXNzMACgJDAiBBYxLjIuODQw
C= LjExMzU1Ni4xLjQuMzE5BAgwBgICAfQEAA==
` + ldapSays(2,
			ber(0x79, ber(0x81, "x")), ber(0x73, ber(0x04, "not a URI")), ber(0x65, ber(0x0a, "\x0a"), ber(0x04), ber(0x04), ber(0xa3, ber(0x04, "::")))),
			fetch.Options{Set: map[string][]string{"ldap.ssl": {"never"}}}, []string{
				"a response: an operation (0x79) that was not requested (RFC 4511 section 4.13)",
				"a reference: not a URI (RFC 4511 section 4.5.3)",
				"a referral: not a URI (RFC 4511 section 4.1.10)",
			}, "", false},
		{"telnet", "telnet://192.0.2.1/", "*: [connected to 192.0.2.1:23]\nS= " + base64.StdEncoding.EncodeToString(
			[]byte("\xff\xfa\x18\x01\xff\xf1Fri\xff\xf0day\r.\r\n")) + "\n*: [end]\n", fetch.Options{}, []string{
			"the telnet stream: a CR that neither LF nor NUL follows (RFC 854)",
			"the telnet stream: SE without SB (RFC 855)",
			"the telnet stream: a sub-negotiation of an option that is not in force (RFC 855)",
			"the telnet stream: a sub-negotiation without IAC SE at its end (RFC 855)",
		}, "", false},
	}
}

// ldapSays returns the server's line with the responses to a message.
func ldapSays(id byte, list ...string) string {
	var b []byte
	for _, op := range list {
		b = append(b, ber(0x30, ber(0x02, string(id)), op)...)
	}
	return "S= " + base64.StdEncoding.EncodeToString(b) + "\n"
}
