package ansiart

import (
	"bytes"
	"encoding/binary"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// A Sauce is the record that programs for text art append to a file (Standard Architecture for Universal Comment Extensions, version 00).
type Sauce struct {
	Title, Author, Group string
	Date                 string // YYYY-MM-DD; "" if unknown
	Columns              int    // 0 if unknown
	ICE                  bool   // the attribute for blinking means a bright background
	Font                 string // such as "IBM VGA" or "Amiga Topaz 1"
}

const (
	sauceSize   = 128
	commentLine = 64
	endOfFile   = 0x1A // where DOS programs stop reading a text
)

// Cut separates a file into its text and its SAUCE record. The record is nil if there is none. The text ends at the first 0x1A, which
// precedes the record, and before the record and its block of comments in any case.
func Cut(file []byte) (text []byte, s *Sauce) {
	if i := len(file) - sauceSize; i >= 0 && bytes.HasPrefix(file[i:], []byte("SAUCE")) {
		r := file[i:]
		s, file = parseSauce(r), file[:i]
		comments := len("COMNT") + commentLine*int(r[104])
		if j := len(file) - comments; j >= 0 && bytes.HasPrefix(file[j:], []byte("COMNT")) {
			file = file[:j]
		}
	}
	text, _, _ = bytes.Cut(file, []byte{endOfFile})
	return text, s
}

func parseSauce(r []byte) *Sauce {
	s := &Sauce{Title: field(r[7:42]), Author: field(r[42:62]), Group: field(r[62:82])}
	if d := field(r[82:90]); len(d) == 8 && strings.Trim(d, "0123456789") == "" {
		s.Date = d[:4] + "-" + d[4:6] + "-" + d[6:]
	}
	const character = 1 // the data type of text; the file types 0 and 1 of it are ASCII and ANSI
	if r[94] == character && r[95] <= 1 {
		s.Columns = int(binary.LittleEndian.Uint16(r[96:]))
		s.ICE = r[105]&1 != 0
		s.Font = field(r[106:])
	}
	return s
}

// field returns a string that blanks or NULs fill up.
func field(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	text, err := charmap.CodePage437.NewDecoder().Bytes(b)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
