package fetch

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Frame is the beginning of what one end has sent, for Scheme.Decode.
type Frame struct {
	Dir      byte   // FromClient or FromServer
	Data     []byte // at least one byte; valid only during the call
	Datagram bool   // Data is one datagram
	First    bool   // Data is at the beginning of a connection
}

const (
	// MaxFrame is how many bytes of a frame Scheme.Decode gets at most.
	MaxFrame = 64 << 10
	// maxFrameWords bounds the words about one frame.
	maxFrameWords = 1000
)

// A Framer cuts what one end sends into frames, and puts them into words. The zero Framer is at the beginning of a connection.
type Framer struct {
	held   []byte
	need   int  // bytes that the frame has at least
	skip   int  // bytes of a long frame that are still to come
	began  bool // a frame has ended
	broken bool // the bytes are not frames
}

// Decode returns the words about the frames that end within p, the next bytes of a connection. Control characters in them are escaped, and their
// length is bounded. If the bytes are not frames, the rest of the connection has no words.
func (f *Framer) Decode(decode func(Frame) (string, int), dir byte, p []byte) (list []string) {
	if decode == nil || f.broken {
		return nil
	}
	n := min(f.skip, len(p))
	f.skip -= n
	f.held = append(f.held, p[n:]...)
	rest := f.held
	for len(rest) > 0 && len(rest) >= min(f.need, MaxFrame) {
		head := rest[:min(len(rest), MaxFrame)]
		words, n := decode(Frame{Dir: dir, Data: head, First: !f.began})
		if n < 0 || n == 0 && len(head) == MaxFrame {
			f.broken, f.held = true, nil
			return list
		}
		if n == 0 || n > len(head) && len(head) < MaxFrame {
			f.need = max(n, len(head)+1)
			break
		}
		if words != "" {
			list = append(list, frameWords(words))
		}
		f.need, f.began = 0, true
		f.skip = max(0, n-len(rest))
		rest = rest[min(n, len(rest)):]
	}
	f.held = append(f.held[:0], rest...)
	return list
}

// frameWords makes what a decoder returns safe to display: one line of bounded length without control characters.
func frameWords(s string) string {
	var b strings.Builder
	for at := 0; at < len(s); {
		r, n := utf8.DecodeRuneInString(s[at:])
		if b.Len() > maxFrameWords {
			b.WriteString("…")
			break
		}
		if r == utf8.RuneError && n == 1 || r != ' ' && !unicode.IsPrint(r) {
			for _, c := range []byte(s[at : at+n]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		} else {
			b.WriteString(s[at : at+n])
		}
		at += n
	}
	return b.String()
}

// decode appends the frames that end within p to those that the next event of t shows. Decoders get the bytes before secrets are masked, since
// masking changes lengths. They leave out what only carries secrets, and whatever else contains one is masked here.
func (t *tap) decode(e *Env, rec RecordMode, p []byte) {
	if e.scheme.Decode == nil || rec != RecordOctets && rec != RecordFrames {
		return
	}
	t.decoded = append(t.decoded, e.secrets.MaskAll(t.framer.Decode(e.scheme.Decode, t.dir, p))...)
}

// decodeDatagram returns the words about a datagram.
func (e *Env) decodeDatagram(dir byte, b []byte) []string {
	if e.scheme.Decode == nil || len(b) == 0 {
		return nil
	}
	words, _ := e.scheme.Decode(Frame{Dir: dir, Data: b, Datagram: true})
	if words == "" {
		return nil
	}
	return []string{e.secrets.MaskText(frameWords(words))}
}
