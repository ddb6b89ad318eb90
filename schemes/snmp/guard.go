package snmp

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/ber"
	"github.com/gosnmp/gosnmp"
)

// checkMessage returns an error unless the library's datagram is exactly one message of the planned version and community, with one PDU of the
// given kind. It cannot see the contents of an encrypted message.
func checkMessage(b []byte, code *gosnmp.GoSNMP, kind gosnmp.PDUType) error {
	outer := ber.Reader{Rest: b}
	in := ber.Reader{Rest: outer.Take(ber.Sequence)}
	switch version := in.Take(ber.Integer); {
	case outer.Bad || len(outer.Rest) > 0:
		return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send more or less than one message")
	case in.Bad || len(version) != 1 || version[0] != byte(code.Version):
		return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send a message of another version")
	}
	if code.Version == gosnmp.Version3 { // RFC 3412 section 6
		in.Take(ber.Sequence)    // msgGlobalData
		in.Take(ber.OctetString) // msgSecurityParameters
		data := in.Next()
		switch {
		case in.Bad || len(in.Rest) > 0 || data.Tag != ber.OctetString && data.Tag != ber.Sequence:
			return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send more or less than a header and one PDU")
		case data.Tag == ber.OctetString: // encrypted
			return nil
		}
		in.Rest = data.Contents
		in.Take(ber.OctetString) // contextEngineID
		in.Take(ber.OctetString) // contextName
	} else if string(in.Take(ber.OctetString)) != code.Community {
		return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send another community")
	}
	pdu := in.Next()
	switch {
	case in.Bad || len(in.Rest) > 0:
		return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send more or less than one PDU")
	case pdu.Tag != byte(kind):
		return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send a PDU that is not planned: %#x", pdu.Tag)
	}
	return nil
}
