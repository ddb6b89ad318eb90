package rlogin

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"example.org/deref/fetch"
)

// Frames of RFC 1282, without what users type and hosts show.
const (
	windowLength = 12   // the magic bytes and four numbers of 16 bits
	maxOpening   = 1000 // longer than the names in any opening
)

// decode returns the words about the frame at the beginning of what one end has sent, for Scheme.Decode.
func decode(f fetch.Frame) (string, int) {
	switch p := f.Data; {
	case f.Dir == fetch.FromServer && f.First:
		return decodeReply(p)
	case f.Dir == fetch.FromServer: // the screen
		return "", len(p)
	case f.First && p[0] == 0:
		return decodeOpening(p)
	case p[0] != 0xff: // keys, perhaps of a password
		if n := bytes.IndexByte(p, 0xff); n > 0 {
			return "", n
		}
		return "", len(p)
	case len(p) < 4 && bytes.HasPrefix([]byte("\xff\xffss"), p):
		return "", 0
	case !bytes.HasPrefix(p, []byte("\xff\xffss")):
		return "", 1
	case len(p) < windowLength:
		return "", windowLength
	default:
		n := func(i int) uint16 { return binary.BigEndian.Uint16(p[4+2*i:]) }
		return fmt.Sprintf("window %d rows %d columns %d by %d pixels", n(0), n(1), n(2), n(3)), windowLength
	}
}

// decodeOpening decodes the strings with which a client begins: the users on both sides, and the terminal.
func decodeOpening(p []byte) (string, int) {
	parts := bytes.SplitN(p[1:], []byte{0}, 4)
	if len(parts) < 4 {
		if len(p) > maxOpening {
			return "", -1
		}
		return "", 0
	}
	n := len(p) - len(parts[3])
	if n > maxOpening {
		return "", -1
	}
	return fmt.Sprintf("NUL %q NUL %q NUL %q NUL", parts[0], parts[1], parts[2]), n
}

// decodeReply decodes the byte with which a host accepts the opening, or its refusal.
func decodeReply(p []byte) (string, int) {
	switch p[0] {
	case 0:
		return "NUL (accepted)", 1
	case 1:
		if n := bytes.IndexByte(p, '\n'); n >= 0 {
			return fmt.Sprintf("refused: %q", bytes.TrimRight(p[1:n], "\r")), n + 1
		}
		return "", 0
	}
	return "", len(p)
}
