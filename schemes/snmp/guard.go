package snmp

import (
	"example.org/deref/fetch"
	"github.com/gosnmp/gosnmp"
)

// Tags of elements.
const (
	tagInteger  = 0x02
	tagOctets   = 0x04
	tagSequence = 0x30
)

// checkMessage returns an error unless the library's datagram is exactly one message of the planned version and community, with one PDU of the
// given kind. It cannot see the contents of an encrypted message.
func checkMessage(b []byte, code *gosnmp.GoSNMP, kind gosnmp.PDUType) error {
	tag, in, rest, ok := element(b)
	if !ok || tag != tagSequence || len(rest) > 0 {
		return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send more or less than one message")
	}
	tag, version, in, ok := element(in)
	if !ok || tag != tagInteger || len(version) != 1 || version[0] != byte(code.Version) {
		return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send a message of another version")
	}
	if code.Version == gosnmp.Version3 {
		for _, want := range [...]byte{tagSequence, tagOctets} { // msgGlobalData, msgSecurityParameters: RFC 3412 section 6
			if tag, _, in, ok = element(in); !ok || tag != want {
				return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send a message without its header")
			}
		}
		tag, scoped, rest, ok := element(in)
		switch {
		case !ok || len(rest) > 0 || tag != tagOctets && tag != tagSequence:
			return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send more than one PDU")
		case tag == tagOctets: // encrypted
			return nil
		}
		in = scoped
		for range 2 { // contextEngineID, contextName
			if tag, _, in, ok = element(in); !ok || tag != tagOctets {
				return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send a PDU without its context")
			}
		}
	} else {
		var community []byte
		if tag, community, in, ok = element(in); !ok || tag != tagOctets || string(community) != code.Community {
			return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send another community")
		}
	}
	tag, _, rest, ok = element(in)
	switch {
	case !ok || len(rest) > 0:
		return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send more than one PDU")
	case tag != byte(kind):
		return fetch.Errorf(fetch.ErrProtocol, "the SNMP library would send a PDU that is not planned: %#x", tag)
	}
	return nil
}
