package charset

import (
	"io"
	"strings"
	"testing"
)

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
		r, label, err := NewReader(strings.NewReader(c.in), c.contentType)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if string(text) != c.text || label != c.label || err != nil {
			t.Errorf("%s %.80q: got %.80q, %q, %v, want %.80q, %q", c.contentType, c.in, text, label, err, c.text, c.label)
		}
	}
}
