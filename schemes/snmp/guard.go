package snmp

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/frames"
	"github.com/gosnmp/gosnmp"
)

// checkMessage returns an error unless the library's datagram is exactly one message of the planned version and community, with one PDU of the
// given kind. It cannot see the contents of an encrypted message.
func checkMessage(b []byte, code *gosnmp.GoSNMP, kind gosnmp.PDUType) error {
	outer := frames.Reader{Rest: b}
	in := frames.Reader{Rest: outer.Take(frames.Sequence)}
	switch version := in.Take(frames.Integer); {
	case outer.Bad || len(outer.Rest) > 0:
		return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send more or less than one message")
	case in.Bad || len(version) != 1 || version[0] != byte(code.Version):
		return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send a message of another version")
	}
	if code.Version == gosnmp.Version3 { // RFC 3412 section 6
		in.Take(frames.Sequence)    // msgGlobalData
		in.Take(frames.OctetString) // msgSecurityParameters
		data := in.Next()
		switch {
		case in.Bad || len(in.Rest) > 0 || data.Tag != frames.OctetString && data.Tag != frames.Sequence:
			return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send more or less than a header and one PDU")
		case data.Tag == frames.OctetString: // encrypted
			return nil
		}
		in.Rest = data.Contents
		in.Take(frames.OctetString) // contextEngineID
		in.Take(frames.OctetString) // contextName
	} else if string(in.Take(frames.OctetString)) != code.Community {
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
