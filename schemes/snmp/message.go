package snmp

// element splits off the first element of b: its tag, its contents, and the bytes after it. ok is false if there is none.
func element(b []byte) (tag byte, contents, rest []byte, ok bool) {
	if len(b) < 2 {
		return 0, nil, nil, false
	}
	n, at := int(b[1]), 2
	if n > 0x82 || n == 0x80 { // longer than any datagram
		return 0, nil, nil, false
	}
	if n > 0x80 {
		at += n - 0x80
		if len(b) < at {
			return 0, nil, nil, false
		}
		n = 0
		for _, c := range b[2:at] {
			n = n<<8 | int(c)
		}
	}
	if n > len(b)-at {
		return 0, nil, nil, false
	}
	return b[0], b[at : at+n], b[at+n:], true
}

// withoutProtection returns a version 3 message with "***" in place of the digest, the salt and the encrypted PDU, which differ between
// conversations. The length fields stay those of the message.
func withoutProtection(b []byte) []byte {
	const blank = "***"
	at, digest := digestOf(b)
	if len(digest) == 0 {
		return b
	}
	out := append(append([]byte(nil), b[:at]...), blank...)
	rest := b[at+len(digest):]
	_, salt, after, ok := element(rest)
	if !ok || len(salt) == 0 {
		return append(out, rest...)
	}
	out = append(append(out, rest[:len(rest)-len(after)-len(salt)]...), blank...)
	tag, sealed, _, ok := element(after)
	if !ok || tag != tagOctets {
		return append(out, after...)
	}
	return append(append(out, after[:len(after)-len(sealed)]...), blank...)
}

// digestOf returns msgAuthenticationParameters of a version 3 message and their offset: RFC 3412 section 6, RFC 3414 section 2.4.
func digestOf(b []byte) (at int, digest []byte) {
	_, in, _, ok := element(b)
	for range 2 { // msgVersion, msgGlobalData
		if ok {
			_, _, in, ok = element(in)
		}
	}
	for range 2 { // msgSecurityParameters, and the sequence in them
		if ok {
			_, in, _, ok = element(in)
		}
	}
	for range 4 { // engine, boots, time, user
		if ok {
			_, _, in, ok = element(in)
		}
	}
	if ok {
		_, digest, _, ok = element(in)
	}
	if !ok || len(digest) == 0 {
		return 0, nil
	}
	return cap(b) - cap(digest), digest
}
