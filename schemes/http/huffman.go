package http

// huffman encodes a field value in HPACK's Huffman code. The last byte is padded with ones: RFC 7541 section 5.2. Only hide needs it, to
// find a secret in the frames that net/http sends.
func huffman(s string) []byte {
	codes := huffmanCodes()
	var out []byte
	var bits uint64
	n := 0
	for i := range len(s) {
		length := int(huffmanLength(s[i]))
		bits, n = bits<<length|uint64(codes[s[i]]), n+length
		for ; n >= 8; n -= 8 {
			out = append(out, byte(bits>>(n-8)))
		}
	}
	if n > 0 {
		out = append(out, byte(bits<<(8-n))|byte(1<<(8-n)-1))
	}
	return out
}

// huffmanCodes derives the codes from their lengths: the code is canonical (RFC 7541 appendix B).
func huffmanCodes() (codes [256]uint32) {
	code := uint32(0)
	for length := uint8(5); length <= 30; length++ {
		for c := range 256 {
			if huffmanLength(byte(c)) == length {
				codes[c] = code
				code++
			}
		}
		code <<= 1
	}
	return codes
}

func huffmanLength(c byte) uint8 {
	return [256]uint8{
		13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
		6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
		13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
		15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
		20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
		22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
		26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
		20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
	}[c]
}
