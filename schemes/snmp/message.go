package snmp

import "example.org/deref/schemes/internal/frames"

// withoutProtection returns a version 3 message with "***" in place of the digest, the salt and the encrypted PDU, which differ between
// conversations. The length fields stay those of the message.
func withoutProtection(b []byte) []byte {
	at, digest := digestOf(b)
	if len(digest) == 0 {
		return b
	}
	const blank = "***"
	out := append(append([]byte(nil), b[:at]...), blank...)
	in := frames.Reader{Rest: b[at+len(digest):]}
	for range 2 { // the salt, the scoped PDU
		before := in.Rest
		secret := in.Next()
		if in.Bad || secret.Tag != frames.OctetString || len(secret.Contents) == 0 {
			return append(out, before...)
		}
		out = append(append(out, before[:secret.Size-len(secret.Contents)]...), blank...)
	}
	return out
}

// digestOf returns msgAuthenticationParameters of a version 3 message and their offset: RFC 3412 section 6, RFC 3414 section 2.4.
func digestOf(b []byte) (at int, digest []byte) {
	in := frames.Reader{Rest: b}
	in.Enter()
	in.Next()     // msgVersion
	in.Next()     // msgGlobalData
	in.Enter()    // msgSecurityParameters
	in.Enter()    // the sequence in them
	for range 4 { // engine, boots, time, user
		in.Next()
	}
	if digest = in.Next().Contents; in.Bad || len(digest) == 0 {
		return 0, nil
	}
	return cap(b) - cap(digest), digest
}
