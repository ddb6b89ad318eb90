package mimemail

import (
	"net/mail"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"=?ISO-8859-1?Q?caf=E9?=", "café"},
		{"Re: =?utf-8?B?w6Rw?= =?utf-8?Q?fel?=", "Re: äpfel"}, // RFC 2047 section 6.2: the blank between two words is dropped
		{"=?koi8-r?B?8NLJ18XU?=", "Привет"},
		{"=?iso-8859-15?Q?=A4?=", "€"},
		{"=?latin1?Q?caf=E9?=", "café"},
		{"=?latin1?Q?caf=C3=A9?=", "café"}, // wrong label
		{"=?x-unknown?Q?caf=E9?=", "café"}, // guessed
		{"=?ISO-2022-JP?B?GyRCRnxLXBsoQg==?= news", "日本 news"},
		{"=?gb2312?B?1tDOxA==?=", "中文"},
		{"=?big5?Q?=A4=A4=A4=E5?=", "中文"},
		{"=?koi8-r*ru?B?8NLJ18XU?=", "Привет"}, // RFC 2231 section 5
		{"=?utf-8?X?a?=", "=?utf-8?X?a?="},
		{"caf\xe9", "café"},                                             // raw Latin-1
		{"=?iso-8859-1?Q?=93x=94_caf=E9?=", "“x” café"},                 // windows-1252, as in bodies
		{"=?utf-8?B?5pel5g==?= =?utf-8?B?nKw=?=", "日本"},                 // a character in two words
		{"=?iso-2022-jp?B?GyRCRnw=?= =?ISO-2022-JP?B?S1wbKEI=?=", "日本"}, // without the escapes between them
		{"a =?utf-8?Q?b?= =?x?y =?utf-8?Q?c?=", "a b =?x?y c"},          // one that is broken does not spoil the others
		{"=?utf-8?Q?caf=E9?=", "café"},                                  // wrong label
		{"=?windows-1252?Q?a=81b?=", "a\ufffdb"},                        // a byte without a character stays visible
		{"=?utf-7?Q?+ZeVnLIqe-?=", "日本語"},
		{"=?iso-2022-kr?B?GyQpQw5HUTFbDw==?=", "한글"},
		{"\xf0\xd2\xc9\xd7\xc5\xd4, \xcb\xc1\xcb \xc4\xc5\xcc\xc1?", "Привет, как дела?"}, // guessed
		{"\x1b$BF|K\\8l\x1b(B news", "日本語 news"},
		{"café", "café"}, // raw UTF-8
		{"a\tb\x1b[0m", "a b [0m"},
		{"=?utf-8?Q?a=0D=0AX:_y?=", "a  X: y"}, // a line's end within a word
	} {
		if got := Words(c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"=?utf-8?Q?a=0D=0A?=", "=?koi8-r?B?8NLJ18XU?=", "\xff", "=?a?b?c?=", "=?a?b?"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got := Words(in)
		if !utf8.ValidString(got) || strings.IndexFunc(got, control) >= 0 {
			t.Errorf("%q: got %q, want UTF-8 without control characters", in, got)
		}
	})
}

// Raw bytes are in the charset of the body.
func TestWordsInACharset(t *testing.T) {
	for _, c := range []struct{ in, label, want string }{
		{"\xf0\xd2\xc9\xd7\xc5\xd4", "koi8-r", "Привет"},
		{"\xcf", "windows-1251", "П"},
		{"\x93q\x94", "iso-8859-1", "“q”"},
		{"\x1b$BF|K\\\x1b(B", "iso-2022-jp", "日本"},
		{"\x1b$BF|K\\\x1b(B", "us-ascii", "日本"},
		{"Grüße", "koi8-r", "Grüße"},
		{"caf\xe9", "utf-16", "café"}, // of the body
		{"caf\xe9", "ibm037", "café"},
		{"\xf0 =?utf-8?Q?=C3=A9?=", "koi8-r", "П é"},
	} {
		if got := WordsIn(c.in, c.label); got != c.want {
			t.Errorf("%q in %s: got %q, want %q", c.in, c.label, got, c.want)
		}
	}
	if got, want := EncodedWords("\xf0 =?utf-8?Q?=C3=A9=0A?="), "\xf0 é "; got != want {
		t.Errorf("got %q, want %q with its raw byte", got, want)
	}
	h := Header{{Name: "Subject", Value: "\xf0\xd2\xc9\xd7\xc5\xd4 \xd7\xd3\xc5\xcd"}, {Name: "Content-Type", Value: "text/plain"}}
	if got := h.Charset(); got != "koi8-r" {
		t.Errorf("got %q, want koi8-r by the subject", got)
	}
	h[1].Value = "text/plain; charset=windows-1251"
	if got := h.Charset(); got != "windows-1251" {
		t.Errorf("got %q, want that of the body, windows-1251", got)
	}
}

func TestNamesOfParts(t *testing.T) {
	for disposition, want := range map[string]string{
		"attachment; filename*=koi8-r''%F0%D2%C9.txt":                            "При.txt",
		"attachment; filename*0*=koi8-r''%F0; filename*1*=%D2; filename*2=i.txt": "Прi.txt",
		"attachment; filename*=utf-8''%C3%A9.txt":                                "é.txt",
		"attachment; filename*0*=koi8-r''%F0; filename*1=1; filename*2=2; filename*3=3; filename*4=4; filename*5=5; filename*6=6; filename*7=7; filename*8=8; " +
			"filename*9=9; filename*10=.; filename*11=txt": "П123456789.txt",
		"attachment; filename=\"=?koi8-r?B?8NLJ?=\"": "При",
		"attachment; filename=\"M\xfcller.txt\"":     "Müller.txt",
		"attachment; filename=plain.txt":             "plain.txt",
	} {
		msg := "Content-Type: application/octet-stream\nContent-Disposition: " + disposition + "\n\nx"
		for p, err := range Parts(strings.NewReader(msg), 0) {
			if p.Name != want || err != nil {
				t.Errorf("%q: got %q, %v, want %q", disposition, p.Name, err, want)
			}
		}
	}
}

// Dates in the usual form are those that net/mail reads, and cost one attempt.
func TestCommonDate(t *testing.T) {
	for _, s := range []string{"Tue, 20 Dec 1994 12:00:05 GMT", "20 Dec 1994 12:00:05 GMT", "Tue, 20 Dec 1994 13:00:05 +0100", "Tue, 6 Dec 1994 12:00:05 -0530"} {
		got, ok := commonDate(s)
		want, err := mail.ParseDate(s)
		if !ok || err != nil || !got.Equal(want) {
			t.Errorf("%s: got %v %t, want %v %v", s, got, ok, want, err)
		}
		if n := testing.AllocsPerRun(20, func() { _, ok = commonDate(s) }); n > 5 {
			t.Errorf("%s: got %v allocations, want at most 5", s, n)
		}
	}
	for _, s := range []string{"", "soon", "+0000", " GMT", "Tue, 20 Dec 94 07:00:05 EST", "Tue, 20 Dec 1994 12:00 +0000", "Tue, 40 Dec 1994 12:00:00 +0000",
		"Tue, 20 Dec 1994 12:00:05 +0000 (UTC)"} {
		if got, ok := commonDate(s); ok {
			t.Errorf("%q: got %v, want another form", s, got)
		}
	}
}
