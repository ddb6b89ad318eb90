package charset

import "testing"

func TestLookup(t *testing.T) {
	for _, row := range []struct{ label, octets, text string }{
		{"ISO-8859-1", "caf\xe9", "café"},
		{" latin1 ", "caf\xe9", "café"},
		{"latin9", "\xa4", "€"},
		{"koi8-r", "\xf0\xf2\xe9", "ПРИ"},
		{"cp1251", "\xcf", "П"},
		{"x-mac-roman", "\x8e", "é"},
		{"cp437", "\x82", "é"},
		{"utf-16", "\x00h\x00i", "hi"},
		{"utf-16", "\xff\xfeh\x00i\x00", "hi"}, // the mark outranks the default order (RFC 2781 section 4.3)
		{"utf-16le", "h\x00i\x00", "hi"},
	} {
		e := Lookup(row.label)
		if e == nil {
			t.Errorf("%q is not known", row.label)
			continue
		}
		if got, err := e.NewDecoder().String(row.octets); got != row.text || err != nil {
			t.Errorf("%q: %q, %v; want %q", row.label, got, err, row.text)
		}
	}
	for _, label := range []string{"", "utf-8", "us-ascii", "x-unknown", "iso-2022-jp"} {
		if e := Lookup(label); e != nil {
			t.Errorf("%q: %v", label, e)
		}
	}
}
