package z3950

// finish returns an APDU: its length and type, its body, and the user information, which the length does not include.
func finish(b []byte, pdu byte, body, user []byte) []byte {
	b = appendFixed(b, 2, len(body)+1)
	b = append(append(b, pdu), body...)
	return append(b, user...)
}

// Split splits an APDU. It checks every length against its container.
func Split(apdu []byte) (pdu byte, body, user []byte, err error) {
	if len(apdu) < 3 {
		return 0, nil, nil, malformed("an APDU of %d bytes", len(apdu))
	}
	n, rest := fixed(apdu, 2)
	if n < 1 || n > len(rest) {
		return 0, nil, nil, malformed("an APDU of %d bytes in a frame of %d", n, len(apdu))
	}
	return rest[0], rest[1:n], rest[n:], nil
}

// split is Split for an APDU that must be of one type.
func split(apdu []byte, want byte, least int) (body, user []byte, err error) {
	pdu, body, user, err := Split(apdu)
	switch {
	case err != nil:
		return nil, nil, err
	case pdu != want:
		return nil, nil, malformed("an APDU of type %d instead of %d", pdu, want)
	case len(body) < least:
		return nil, nil, malformed("an APDU of type %d with %d bytes", pdu, len(body))
	}
	return body, user, nil
}

// userInformation calls f with the elements of each element tag of the user information, and ignores other elements.
func userInformation(user []byte, tag int, f func(value []byte) error) error {
	return each(user, func(t int, v []byte) error {
		if t != tag {
			return nil
		}
		return f(v)
	})
}
