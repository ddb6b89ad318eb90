package inflate

// A code is a canonical prefix code: the number of codes of each length, and their symbols in order.
type code struct {
	count  [16]uint16
	symbol [288]uint16
}

// make makes the code from the code lengths of all symbols. It refuses an oversubscribed code. An incomplete code is an error only if
// decode reads a missing symbol.
func (c *code) make(lengths []byte) error {
	*c = code{}
	for _, n := range lengths {
		c.count[n]++
	}
	c.count[0] = 0
	left := 1
	var offset [16]uint16
	for n := 1; n < 16; n++ {
		if left = left<<1 - int(c.count[n]); left < 0 {
			return ErrCorrupt
		}
		if n < 15 {
			offset[n+1] = offset[n] + c.count[n]
		}
	}
	for s, n := range lengths {
		if n > 0 {
			c.symbol[offset[n]] = uint16(s)
			offset[n]++
		}
	}
	return nil
}

// decode reads a symbol bit by bit. Among the codes of one length, those in use come first.
func (z *Reader) decode(c *code) (int, error) {
	value, first, index := 0, 0, 0
	for n := 1; n < 16; n++ {
		bit, err := z.take(1)
		if err != nil {
			return 0, err
		}
		value |= bit
		count := int(c.count[n])
		if value-first < count {
			return int(c.symbol[index+value-first]), nil
		}
		index += count
		first = (first + count) << 1
		value <<= 1
	}
	return 0, ErrCorrupt
}

// fixed makes the codes of RFC 1951 section 3.2.6.
func (z *Reader) fixed() error {
	var n [288]byte
	for i := range n {
		switch {
		case i < 144:
			n[i] = 8
		case i < 256:
			n[i] = 9
		case i < 280:
			n[i] = 7
		default:
			n[i] = 8
		}
	}
	if err := z.lit.make(n[:]); err != nil {
		return err
	}
	var d [30]byte
	for i := range d {
		d[i] = 5
	}
	return z.dist.make(d[:])
}

// dynamic reads the codes of a block: RFC 1951 section 3.2.7.
func (z *Reader) dynamic() error {
	var size [3]int
	for i, f := range [...]struct {
		bits uint
		base int
	}{{5, 257}, {5, 1}, {4, 4}} {
		v, err := z.take(f.bits)
		if err != nil {
			return err
		}
		size[i] = f.base + v
	}
	if size[0] > 286 || size[1] > 30 {
		return ErrCorrupt
	}
	var n [286 + 30]byte
	for _, at := range order[:size[2]] {
		v, err := z.take(3)
		if err != nil {
			return err
		}
		n[at] = byte(v)
	}
	if err := z.lit.make(n[:19]); err != nil {
		return err
	}
	all := n[:size[0]+size[1]]
	if err := z.codeLengths(all); err != nil {
		return err
	}
	if all[256] == 0 {
		return ErrCorrupt // the block could not end
	}
	if err := z.lit.make(all[:size[0]]); err != nil {
		return err
	}
	return z.dist.make(all[size[0]:])
}

// codeLengths reads code lengths, which are themselves coded by z.lit.
func (z *Reader) codeLengths(all []byte) error {
	clear(all)
	for i := 0; i < len(all); {
		s, err := z.decode(&z.lit)
		if err != nil {
			return err
		}
		if s < 16 {
			all[i] = byte(s)
			i++
			continue
		}
		value, bits, base := byte(0), uint(2), 3
		switch s {
		case 16:
			if i == 0 {
				return ErrCorrupt
			}
			value = all[i-1]
		case 17:
			bits = 3
		default:
			bits, base = 7, 11
		}
		more, err := z.take(bits)
		if err != nil {
			return err
		}
		if more += base; i+more > len(all) {
			return ErrCorrupt
		}
		for range more {
			all[i] = value
			i++
		}
	}
	return nil
}

// Tables of RFC 1951 sections 3.2.5 and 3.2.7.
var (
	order        = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
	lengthBase   = [30]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthBits   = [30]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distanceBase = [30]uint16{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193,
		12289, 16385, 24577}
	distanceBits = [30]uint8{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
)
