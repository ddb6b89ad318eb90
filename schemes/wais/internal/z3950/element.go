package z3950

// AppendInt appends a compressed integer.
func AppendInt(b []byte, n int) []byte {
	for shift := 28; shift > 0; shift -= 7 {
		if n>>shift != 0 {
			b = append(b, byte(n>>shift)|0x80)
		}
	}
	return append(b, byte(n)&0x7f)
}

// maxInt is the longest compressed integer in bytes, including padding. Values above 2^31-1 are errors.
const maxInt = 5

// ReadInt parses a compressed integer. Leading bytes 0x80 are padding.
func ReadInt(b []byte) (n int, rest []byte, ok bool) {
	for i := 0; i < len(b) && i < maxInt; i++ {
		if n >= 1<<24 {
			return 0, b, false
		}
		n = n<<7 | int(b[i]&0x7f)
		if b[i] < 0x80 {
			return n, b[i+1:], true
		}
	}
	return 0, b, false
}

// AppendElement appends tag, length and value.
func AppendElement[V []byte | string](b []byte, tag int, value V) []byte {
	b = AppendInt(AppendInt(b, tag), len(value))
	return append(b, value...)
}

// appendNumber appends a number in its shortest form. A negative number means absent, and is not written.
func appendNumber(b []byte, tag, n int) []byte {
	if n < 0 {
		return b
	}
	size := 1
	for n>>(8*size) != 0 {
		size++
	}
	return appendFixed(AppendInt(AppendInt(b, tag), size), size, n)
}

// number parses the value of a number; -1 means absent.
func number(tag int, v []byte) (int, error) {
	if len(v) < 1 || len(v) > 4 {
		return 0, malformed("a number (tag %d) of %d bytes", tag, len(v))
	}
	if len(v) == 4 && v[0] >= 0x80 {
		return -1, nil
	}
	n, _ := fixed(v, len(v))
	return n, nil
}

// ReadElement parses one element. The value is a part of b.
func ReadElement(b []byte) (tag int, value, rest []byte, err error) {
	tag, rest, ok := ReadInt(b)
	if !ok {
		return 0, nil, nil, Malformed("no integer where the tag of an element should be")
	}
	n, rest, ok := ReadInt(rest)
	switch {
	case !ok:
		return 0, nil, nil, malformed("an element (tag %d) without a length", tag)
	case n > len(rest):
		return 0, nil, nil, malformed("an element (tag %d) of %d bytes, with only %d left", tag, n, len(rest))
	}
	return tag, rest[:n:n], rest[n:], nil
}

// each calls f with every element of b.
func each(b []byte, f func(tag int, value []byte) error) error {
	for len(b) > 0 {
		tag, value, rest, err := ReadElement(b)
		if err != nil {
			return err
		}
		if err := f(tag, value); err != nil {
			return err
		}
		b = rest
	}
	return nil
}

// fixed parses a big-endian number of n bytes without tag and length.
func fixed(b []byte, n int) (int, []byte) {
	v := 0
	for _, c := range b[:n] {
		v = v<<8 | int(c)
	}
	return v, b[n:]
}

func appendFixed(b []byte, n, v int) []byte {
	for n--; n >= 0; n-- {
		b = append(b, byte(v>>(8*n)))
	}
	return b
}
