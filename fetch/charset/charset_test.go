package charset

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestLookup(t *testing.T) {
	for _, row := range []struct{ label, octets, text string }{
		{"ISO-8859-1", "caf\xe9", "café"},
		{" latin1 ", "caf\xe9", "café"},
		{"latin9", "\xa4", "€"},
		{"koi8-r", "\xf0\xf2\xe9", "ПРИ"},
		{"cp1251", "\xcf", "П"},
		{"x-mac-roman", "\x8e", "é"},
		{"cp437", "\x82", "é"},
		{"iso-8859-1", "\x93caf\xe9\x94", "“café”"}, // Latin-1 is decoded as Windows-1252 (Encoding Standard, section 4.2)
		{"ISO_8859-2:1987", "\xe8", "č"},
		{"iso8859-15", "\xa4", "€"},
		{"iso-8859-8-i", "\xf9", "ש"},
		{"tis-620", "\xa1", "ก"},
		{"iso-2022-jp", "\x1b$BF|K\\\x1b(B!", "日本!"},
		{"Shift_JIS", "\x93\xfa\x96{", "日本"},
		{"EUC-JP", "\xc6\xfc\xcb\xdc", "日本"},
		{"ks_c_5601-1987", "\xc7\xd1", "한"},
		{"GB2312", "\xd6\xd0\xce\xc4", "中文"},
		{"gb18030", "\x81\x30\x84\x36", "¥"},
		{"hz-gb-2312", "~{VPND~}", "中文"},
		{"big5", "\xa4\xa4\xa4\xe5", "中文"},
		{"utf-16", "\x00h\x00i", "hi"},
		{"utf-16", "\xff\xfeh\x00i\x00", "hi"}, // the mark outranks the default order (RFC 2781 section 4.3)
		{"utf-16le", "h\x00i\x00", "hi"},
	} {
		e := Lookup(row.label)
		if e == nil {
			t.Errorf("Lookup(%q): got nil, want an encoding", row.label)
			continue
		}
		if got, err := e.NewDecoder().String(row.octets); got != row.text || err != nil {
			t.Errorf("%q: got %q, %v, want %q", row.label, got, err, row.text)
		}
	}
	for _, label := range []string{"", "utf-8", "us-ascii", "x-unknown", "iso-8859-99", "iso-8859-"} {
		if e := Lookup(label); e != nil {
			t.Errorf("Lookup(%q): got %v, want nil", label, e)
		}
	}
}

func TestPiece(t *testing.T) {
	if got := string(Piece("koi8-r")([]byte("a\xcd"))); got != "aм" {
		t.Errorf("koi8-r: got %q, want \"aм\"", got)
	}
	if Piece("utf-8") != nil {
		t.Error("utf-8: got a function, want nil")
	}
	for label, want := range map[string]bool{"UTF-16LE": true, "iso-2022-jp": true, "hz-gb-2312": true, "utf-8": false, "koi8-r": false, "gb2312": false,
		"shift_jis": false, "csUTF7": true, "ibm037": true, "ibm437": false, "x-none": false, "unicode-1-1-utf-8": false, "": false} {
		if got := IsWide(label); got != want {
			t.Errorf("IsWide(%q): got %t, want %t", label, got, want)
		}
	}
}

// A document can be written again in its own encoding.
func TestNewWriter(t *testing.T) {
	for label, in := range map[string]string{
		"utf-16le": "\xff\xfe<\x00=\xd8\x0a\xde", "utf-16be": "\xfe\xff\x04<", "iso-2022-jp": "a\x1b$BF|K\\\x1b(Bb", "hz-gb-2312": "a~{VPND~}b",
	} {
		about := Source{Type: "text/html; charset=" + label}
		var out bytes.Buffer
		w := NewWriter(&out, label)
		_, err := io.Copy(w, about.NewReader(strings.NewReader(in)))
		if cerr := w.Close(); err != nil || cerr != nil || out.String() != in {
			t.Errorf("%s: got %q, %v, %v, want %q", label, out.String(), err, cerr, in)
		}
		if b, err := io.ReadAll(Encode(about.NewReader(strings.NewReader(in)), label)); string(b) != in || err != nil {
			t.Errorf("%s: got %q, %v, want %q", label, b, err, in)
		}
	}
	var out bytes.Buffer
	w := NewWriter(&out, "iso-2022-jp")
	io.WriteString(w, "é")
	if err := w.Close(); err != nil || out.String() != "&#233;" {
		t.Errorf("got %q, %v, want \"&#233;\"", out.String(), err)
	}
}

// The expected values are those of browsers, except that US-ASCII bytes such as "%" and "\" within a character are escaped.
func TestQuery(t *testing.T) {
	for _, c := range []struct{ label, text, want string }{
		{"koi8-r", "q=мир", "q=%CD%C9%D2"},
		{"windows-1251", "q=мир&a=%41 b", "q=%EC%E8%F0&a=%41 b"},
		{"iso-8859-1", "é€", "%E9%80"}, // windows-1252
		{"iso-8859-1", "é☺é", "%E9%26%239786%3B%E9"},
		{"shift_jis", "日ソ", "%93%FA%83%5C"},
		{"euc-jp", "日", "%C6%FC"},
		{"gb2312", "中€", "%D6%D0%80"},
		{"gb18030", "中€", "%D6%D0%A2%E3"},
		{"gbk", "𠀀", "%26%23131072%3B"},
		{"big5", "中", "%A4%A4"},
		{"iso-2022-jp", "日a本", "%1B$BF%7C%1B(Ba%1B$BK%5C%1B(B"},
		{"koi8-r", "\xff", "%FF"},
	} {
		if got := Query(c.label)(c.text); got != c.want {
			t.Errorf("%s: got %q for %q, want %q", c.label, got, c.text, c.want)
		}
	}
	for _, label := range []string{"", "utf-8", "utf-16le", "UTF-16", "unicode", "x-none", "hz-gb-2312", "ibm037"} {
		if Query(label) != nil {
			t.Errorf("Query(%q): got a function, want nil", label)
		}
	}
}

func TestDecode(t *testing.T) {
	for _, c := range []struct{ contentType, in, text, label string }{
		{"text/html; charset=koi8-r", "\xcd\xc9\xd2", "мир", "koi8-r"},
		{"text/html", "<meta charset=koi8-r>\xcd", "<meta charset=koi8-r>м", "koi8-r"},
		{"text/plain", "<meta charset=koi8-r>\xcd.", "<meta charset=koi8-r>Í.", "windows-1252"},
		{"text/plain; charset=koi8-r", "\xef\xbb\xbfмир", "мир", UTF8},
		{"text/plain; charset=koi8-r", "\xff\xfe<\x04", "м", "utf-16le"},
		{"text/plain; charset=koi8-r", "\xfe\xff\x04<", "м", "utf-16be"},
		{"text/html", "мир", "мир", UTF8},
		{"text/html", "d\xe9j\xe0", "déjà", "windows-1252"},
		{"text/html", strings.Repeat("x", HeadSize-1) + "мир", strings.Repeat("x", HeadSize-1) + "мир", UTF8}, // a character at the end of the head
		{"text/html; charset=x-none", "\xff", "ÿ", "windows-1252"},
	} {
		r := Source{Type: c.contentType}.NewReader(strings.NewReader(c.in))
		text, err := io.ReadAll(r)
		label, _ := r.Charset()
		if string(text) != c.text || label != c.label || err != nil {
			t.Errorf("%s %.80q: got %.80q, %q, %v, want %.80q, %q", c.contentType, c.in, text, label, err, c.text, c.label)
		}
	}
}

func TestFileName(t *testing.T) {
	for _, c := range []struct{ name, label, want string }{
		{"\x8f\x90\x88.TXT", "cp866", "ПРИ.TXT"},
		{"\x95\x5c.txt", "shift_jis", "表.txt"},
		{"M\x81ller", "cp437", "Müller"},
		{"é", "koi8-r", "é"}, // UTF-8
		{"\xe9", "", "\xe9"},
		{"\xe9", "utf-8", "\xe9"},
		{"\xe9", "koi9", "\xe9"},
		{"\x81\xff", "shift_jis", "\x81\xff"}, // not in that charset
	} {
		if got := FileName(c.name, c.label); got != c.want {
			t.Errorf("%q in %q: got %q, want %q", c.name, c.label, got, c.want)
		}
	}
}
