package charset

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/transform"
)

// TestLabels looks up each label of testdata/labels.txt, in different case and with white space around it.
func TestLabels(t *testing.T) {
	b, err := os.ReadFile("testdata/labels.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		head, labels, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || line[0] == '#' {
			continue
		}
		name, theirs, differs := strings.Cut(strings.TrimPrefix(head, "!"), " ")
		for label := range strings.FieldsSeq(labels) {
			n++
			if known, err := htmlindex.Get(label); err == nil {
				if canonical, _ := htmlindex.Name(known); differs && canonical != theirs || !differs && canonical != name &&
					!(canonical == "gbk" && name == "gb18030") {
					t.Errorf("%s is in the row of %s, but means %s", label, head, canonical)
				}
			}
			for _, form := range []string{label, strings.ToUpper(label), strings.ToUpper(label[:1]) + label[1:], " " + label, label + "\t",
				"\n\f\r" + label + "  "} {
				got := Lookup(form)
				if want := inStandard(t, name); !isSame(got, want) {
					t.Errorf("%q: got %v, want %v", form, got, want)
				}
				if IsKnown(form) != (name != "none") {
					t.Errorf("IsKnown(%q) is wrong: got %v", form, IsKnown(form))
				}
				if got, _ := nameOf(form); (got == "us-ascii") != (name == "ascii") {
					t.Errorf("%q is %s", form, got)
				}
			}
		}
	}
	if n != 225 {
		t.Errorf("%d labels", n)
	}
	for _, label := range []string{"\vkoi8-r", "koi8-r\u00a0", "\u2028koi8-r", "\u212aoi8-r", "koi8\u2010r", "koi8-r\x00", "\x00koi8-r",
		"koi8 -r", "koi8-r,koi8-u", "windowſ-1250",
		"utf-16\v", "İso-8859-2", "scsu", "cesu-8", "bocu-1", "iso-8859-12", "ebcdic-us"} {
		if got := Lookup(label); got != nil {
			t.Errorf("%q: %v", label, got)
		}
	}
}

func inStandard(t *testing.T, name string) encoding.Encoding {
	switch name {
	case "utf-8", "ascii", "none":
		return nil
	case "hz-gb-2312":
		return simplifiedchinese.HZGB2312
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// isSame compares two encodings. It compares those of single bytes by decoding each byte.
func isSame(a, b encoding.Encoding) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	if x, _, isUTF16 := strings.Cut(fmt.Sprint(a), " ("); isUTF16 { // ours has a mark outrank the order
		y, _, _ := strings.Cut(fmt.Sprint(b), " (")
		return x == y
	}
	if _, ok := a.(interface{ DecodeByte(byte) rune }); !ok {
		return false
	}
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	x, err := a.NewDecoder().Bytes(all)
	y, erry := b.NewDecoder().Bytes(all)
	return err == nil && erry == nil && string(x) == string(y)
}

// The bytes were made with the codecs of Python 3.11.
func TestUnwritten(t *testing.T) {
	for _, row := range []struct{ label, octets, text string }{
		{"utf-7", "Hi Mom -+Jjo--! +ZeVnLIqe A+ImIDkQ. +- +2DTdHg-", "Hi Mom -☺-! 日本語 A≢Α. + 𝄞"},
		{"utf-7", "+ZeVnLIqe", "日本語"}, // nothing ends the base64
		{"unicode-1-1-utf-7", "+2DQ-x", "\ufffdx"},
		{"iso-2022-kr", "\x1b$)C\x0eGQ1[\x0f ok \x0e4:=:\x0f\n", "한글 ok 뉴스\n"},
		{"iso-2022-kr", "\x0eGQ\nok\n", "한\nok\n"}, // a line ends the shift
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

func BenchmarkLookup(b *testing.B) {
	for _, label := range []string{"", "utf-8", "koi8-r", "cp1125", "unknown"} {
		b.Run(label, func(b *testing.B) {
			for b.Loop() {
				Lookup(label)
			}
		})
	}
}
