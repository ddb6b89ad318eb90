package charset

import (
	"errors"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// errNoCharacter is the error of an encoder for a character that its set does not have.
var errNoCharacter = errors.New("the charset does not have this character")

// A readOnly is an encoding that is only decoded. Nothing new is written in it.
type readOnly func() transform.Transformer

// NewDecoder implements encoding.Encoding.
func (f readOnly) NewDecoder() *encoding.Decoder { return &encoding.Decoder{Transformer: f()} }

// NewEncoder returns an encoder that encodes only ASCII.
func (f readOnly) NewEncoder() *encoding.Encoder { return table("").NewEncoder() }

// An ebcdic is a code page of EBCDIC. Its texts end lines with NEL, which becomes LF.
type ebcdic struct{ *charmap.Charmap }

// NewDecoder implements encoding.Encoding.
func (e ebcdic) NewDecoder() *encoding.Decoder {
	return &encoding.Decoder{Transformer: transform.Chain(e.Charmap.NewDecoder(), runes.Map(func(r rune) rune {
		if r == '\u0085' {
			return '\n'
		}
		return r
	}))}
}

// A unitDecoder decodes one unit of a text after another. next decodes the unit at the beginning of src, in the current state. It returns how
// long the unit is, and the characters to write, none for a unit that only changes the state. size 0 means that src is too short; at the end of
// the text that becomes U+FFFD.
type unitDecoder struct {
	next  func(src []byte) (out []rune, size int)
	reset func()
}

func (u *unitDecoder) Reset() { u.reset() }

func (u *unitDecoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		if nDst+maxUnit*utf8.UTFMax > len(dst) {
			return nDst, nSrc, transform.ErrShortDst // before next changes the state
		}
		out, size := u.next(src[nSrc:])
		if size == 0 {
			if !atEOF {
				return nDst, nSrc, transform.ErrShortSrc
			}
			out, size = []rune{utf8.RuneError}, len(src)-nSrc
		}
		for _, r := range out {
			nDst += utf8.EncodeRune(dst[nDst:], r)
		}
		nSrc += size
	}
	return nDst, nSrc, nil
}

// maxUnit is the most characters that one unit becomes.
const maxUnit = 2
