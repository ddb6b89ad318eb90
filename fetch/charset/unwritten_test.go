package charset

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/transform"
)

// The bytes were made with the codecs of Python 3.11.
func TestUnwritten(t *testing.T) {
	for _, row := range []struct{ label, octets, text string }{
		{"utf-7", "Hi Mom -+Jjo--! +ZeVnLIqe A+ImIDkQ. +- +2DTdHg-", "Hi Mom -☺-! 日本語 A≢Α. + 𝄞"},
		{"utf-7", "+ZeVnLIqe", "日本語"}, // nothing ends the base64
		{"unicode-1-1-utf-7", "+2DQ-x", "\ufffdx"},
		{"iso-2022-kr", "\x1b$)C\x0eGQ1[\x0f ok \x0e4:=:\x0f\n", "한글 ok 뉴스\n"},
		{"iso-2022-kr", "\x0eGQ\nok\n", "한\nok\n"}, // a line ends the shift
		{"johab", "\xd0e\x8a\x82\xb4\xe1 \x93A\xafa \x8ba\x9e\x93 test \xf7\xd3\xf1\xae \xd92\xd93\x88a\x88b\xd3\xbd\x88A\x84a", "한국어 뉴스 그룹 test 漢字 、。가각힣ㄱㅏ"},
		{"johab", "\xd0", "\ufffd"},
		{"ibm855", "\xdd\xe1\xb7\xeb\xa8\xe5", "Привет"},
		{"cp737", "\x84\xa2\xa2\x9e\xa4\xa0\xa1\xe1", "Ελληνικά"},
		{"ibm857", "\x98stanbul \xa7\x9f\x8d", "İstanbul ğşı"},
		{"cp862", "\x99\x8c\x85\x8d", "שלום"},
		{"cp1125", "\x8f\xe0\xa8\xa2\xf7\xf9", "Привії"},
		{"x-mac-ce", "P\x8d\x90li\xa7", "Pćźliß"},
		{"ibm865", "\x9b", "ø"},
		{"ibm037", "\xc8\x85\x93\x93\x96\x6b\x40\xe6\xd6\xd9\xd3\xc4\x5a\x15", "Hello, WORLD!\n"},
		{"EBCDIC-CP-US", "\xba", "["},
		{"ibm1047", "\xad", "["},
		{"ibm01140", "\x9f", "€"},
		{"utf-32", "\x00\x00\x04\x1f\x00\x01\xf6\x00", "П😀"},
		{"utf-32", "\xff\xfe\x00\x00\x1f\x04\x00\x00", "П"},
		{"utf-32le", "\x1f\x04\x00\x00", "П"},
	} {
		e := Lookup(row.label)
		if e == nil {
			t.Errorf("Lookup(%q): got nil, want an encoding", row.label)
			continue
		}
		for how, in := range map[string]io.Reader{"whole": strings.NewReader(row.octets), "byte by byte": iotest.OneByteReader(strings.NewReader(row.octets))} {
			got, err := io.ReadAll(transform.NewReader(in, e.NewDecoder()))
			if string(got) != row.text || err != nil {
				t.Errorf("%s %q, %s: got %q, %v, want %q", row.label, row.octets, how, got, err, row.text)
			}
		}
	}
}

// What a table decodes it also encodes.
func TestTables(t *testing.T) {
	for name, set := range map[string]table{"cp737": cp737, "cp857": cp857, "cp1125": cp1125, "x-mac-ce": macCE} {
		runes := []rune(string(set))
		if len(runes) != 128 {
			t.Errorf("%s: got %d characters, want 128", name, len(runes))
		}
		text := "a" + strings.ReplaceAll(string(runes), "\ufffd", "")
		octets, err := set.NewEncoder().String(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if back, err := set.NewDecoder().String(octets); back != text || err != nil {
			t.Errorf("%s: got %q, %v, want %q", name, back, err, text)
		}
		if got, err := set.NewEncoder().String("日"); err == nil {
			t.Errorf("%s: got %q, want an error for a character that it does not have", name, got)
		}
	}
}

func TestNames(t *testing.T) {
	for _, name := range Names() {
		if !IsKnown(name) {
			t.Errorf("%s: got an unknown label, want a known one", name)
		}
	}
}
