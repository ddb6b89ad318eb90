package charset

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
)

// Each sample is detected so that its text is read, except those of testdata/misread.txt.
func TestDetect(t *testing.T) {
	n, wrong := 0, misread(t)
	for _, s := range samples(t) {
		for _, label := range s.in {
			n++
			octets := encoded(t, label, s.text)
			got := Detect([]byte(octets))
			switch text, listed := decodedAs(t, got, octets), wrong[label+": "+s.line]; {
			case text != s.text && !listed:
				t.Errorf("%s: got %s and %.60q, want %.60q", label, got, text, s.text)
			case text == s.text && listed:
				t.Errorf("%s: %.60q is read right, but it is in testdata/misread.txt", label, text)
			}
		}
	}
	if n < 1500 {
		t.Errorf("got %d samples, want 1500 or more", n)
	}
}

// A line of a list is in the charset of the others, unless it is clearly in another.
func TestTextAmong(t *testing.T) {
	for _, c := range []struct{ in, among, text string }{
		{"plain", "koi8-r", "plain"},
		{"\xfe\xc1\xd4", "koi8-r", "Чат"},
		{"\xd0\xb8", "windows-1251", "Рё"}, // also UTF-8
		{"Gr\xfc\xdfe", "koi8-r", "Grüße"},
		{"Gr\xfc\xdfe", "utf-8", "Grüße"},
		{"Gr\xfc\xdfe", "", "Grüße"},
		{"Grüße", "windows-1252", "Grüße"},
		{"Grüße", "koi8-r", "Grüße"},
		{"Grüße", "ibm437", "Grüße"},
		{"Grüße", "", "Grüße"},
		{"日本", "gb18030", "日本"},
		{"日本 caf\xe9", "windows-1252", "日本 caf\xe9"},
		{"\xd7", "koi8-r", "в"},
		{"caf\xe9", "windows-1251", "café"},
		{"\x1b$BF|K\\\x1b(B", "iso-2022-jp", "日本"},
		{"caf\xe9", "iso-2022-jp", "café"},
	} {
		if got := TextAmong(c.in, c.among); got != c.text {
			t.Errorf("%q among %q: got %q, want %q", c.in, c.among, got, c.text)
		}
	}
}

func TestValue(t *testing.T) {
	for _, c := range []struct {
		in, text string
		ok       bool
	}{
		{"", "", true},
		{"café\n", "café\n", true},
		{"caf\xe9", "café", true},
		{"M\xfcller", "Müller", true},
		{"Stra\xdfe 5\r\nM\xfcnchen", "Straße 5\r\nMünchen", true},
		{"\xe9\xd7\xc1\xce\xcf\xd7", "Иванов", true},
		{"日本 caf\xe9", "日本 caf\xe9", true},
		{"\xff\xd8\xff\xe0\x00\x10JFIF", "\xff\xd8\xff\xe0\x00\x10JFIF", false},
		{"a\x00b", "a\x00b", false},
		{"a\x7f", "a\x7f", false},
		{strings.Repeat("\xff", 21), "", false},                                         // logonHours
		{"\xd4\x9f\x3b\xe5\x91\x2c\xaf\x4d\x80\x8e\xf6\xa2\x62\xb8\xc3\x9d", "", false}, // objectGUID
		{"\xfe", "", false},
	} {
		text, ok := Value(c.in)
		if ok != c.ok || c.text != "" && text != c.text {
			t.Errorf("%q: got %q, %t, want %q, %t", c.in, text, ok, c.text, c.ok)
		}
	}
}

func decodedAs(t *testing.T, label, octets string) string {
	text, err := encodingOf(t, label).NewDecoder().String(octets)
	if err != nil {
		t.Errorf("%s: %v", label, err)
	}
	return text
}

// A sample is a text that was written in one or more charsets.
type sample struct {
	line string // of the file
	text string
	in   []string // labels
}

// samples returns the texts of testdata/samples.txt.
func samples(t testing.TB) (list []sample) {
	t.Helper()
	b, err := os.ReadFile("testdata/samples.txt")
	if err != nil {
		t.Fatal(err)
	}
	escape := regexp.MustCompile(`\\(n|r|t|x..)`)
	var labels []string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		switch head, isHead := strings.CutSuffix(line, "]"); {
		case line == "" || line[0] == '#':
		case isHead && line[0] == '[':
			labels = strings.Fields(head[1:])
		default:
			text := escape.ReplaceAllStringFunc(line, func(s string) string {
				c, _, _, err := strconv.UnquoteChar(s, 0)
				if err != nil {
					t.Fatal(line, err)
				}
				if c < 0x80 {
					return string(c)
				}
				return string([]byte{byte(c)})
			})
			list = append(list, sample{line, text, labels})
		}
	}
	return list
}

// misread returns the lines of testdata/misread.txt.
func misread(t testing.TB) map[string]bool {
	t.Helper()
	b, err := os.ReadFile("testdata/misread.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		list[strings.TrimSuffix(line, "\n")] = true
	}
	return list
}

// encodingOf returns the encoding of a label, also for the labels that have none in Lookup.
func encodingOf(t testing.TB, label string) encoding.Encoding {
	t.Helper()
	if label == "utf-8" || label == "" {
		return encoding.Nop
	}
	e := Lookup(label)
	if e == nil {
		t.Fatalf("no encoding %q", label)
	}
	return e
}

func encoded(t testing.TB, label, text string) string {
	t.Helper()
	e := encodingOf(t, label)
	out, err := e.NewEncoder().String(text)
	if err != nil {
		t.Errorf("%s: %q: %v", label, text, err)
	}
	return strings.TrimPrefix(strings.TrimPrefix(out, "\xfe\xff"), "\xff\xfe")
}
