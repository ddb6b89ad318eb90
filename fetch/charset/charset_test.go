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
