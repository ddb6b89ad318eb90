//go:build unix || windows

package hub

import (
	"bytes"
	"encoding/base32"
	"encoding/hex"
	"io"

	"example.org/deref/fetch"
)

// Results contain the identifiers and digests of records in archives. These are random, so a compressed message has little else. Their bytes, after
// a mark that JSON cannot contain, are 30 bytes shorter than their texts.
const (
	uuidMark   = 0x00
	digestMark = 0x01

	uuidText, uuidSize     = 36, 16
	digestText, digestSize = 32, 20
)

// pack replaces each UUID and each base32 SHA-1 digest in a JSON text by its bytes.
func pack(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		var b [digestSize]byte
		switch {
		case isUUID(text) && decodeUUID(b[:uuidSize], text):
			out = append(append(out, uuidMark), b[:uuidSize]...)
			text = text[uuidText:]
		case isDigest(text) && decodeDigest(b[:], text):
			out = append(append(out, digestMark), b[:]...)
			text = text[digestText:]
		default:
			out = append(out, text[0])
			text = text[1:]
		}
	}
	return out
}

// unpack is the inverse of pack.
func unpack(packed []byte) ([]byte, error) {
	out := make([]byte, 0, 2*len(packed))
	for len(packed) > 0 {
		size := 1
		switch packed[0] {
		case uuidMark:
			size = 1 + uuidSize
		case digestMark:
			size = 1 + digestSize
		}
		if len(packed) < size {
			return nil, fetch.Errorf(fetch.ErrLocal, "invalid results: %w", io.ErrUnexpectedEOF)
		}
		switch b := packed[1:size]; packed[0] {
		case uuidMark:
			for i, part := range [][]byte{b[:4], b[4:6], b[6:8], b[8:10], b[10:]} {
				if i > 0 {
					out = append(out, '-')
				}
				out = hex.AppendEncode(out, part)
			}
		case digestMark:
			out = base32.StdEncoding.AppendEncode(out, b)
		default:
			out = append(out, packed[0])
		}
		packed = packed[size:]
	}
	return out, nil
}

// isUUID reports whether a text begins as a UUID in lower case does.
func isUUID(text []byte) bool {
	return len(text) >= uuidText && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' && !bytes.ContainsAny(text[:uuidText], "ABCDEF")
}

func decodeUUID(to, text []byte) bool {
	for _, part := range [][2]int{{0, 8}, {9, 13}, {14, 18}, {19, 23}, {24, uuidText}} {
		n, err := hex.Decode(to, text[part[0]:part[1]])
		if err != nil {
			return false
		}
		to = to[n:]
	}
	return true
}

// isDigest reports whether a text begins with as many characters of base32 as a digest has.
func isDigest(text []byte) bool {
	if len(text) < digestText {
		return false
	}
	for _, c := range text[:digestText] {
		if !(c >= 'A' && c <= 'Z' || c >= '2' && c <= '7') {
			return false
		}
	}
	return true
}

func decodeDigest(to, text []byte) bool {
	_, err := base32.StdEncoding.Decode(to, text[:digestText])
	return err == nil
}
