package mimemail

import (
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
		{"caf\xe9", "café"}, // raw Latin-1
		{"café", "café"},    // raw UTF-8
		{"a\tb\x1b[0m", "a b [0m"},
		{"=?utf-8?Q?a=0D=0AX:_y?=", "a  X: y"}, // a line's end within a word
	} {
		if got := Words(c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"=?utf-8?Q?a=0D=0A?=", "=?koi8-r?B?8NLJ18XU?=", "\xff", "=?a?b?c?="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got := Words(in)
		if !utf8.ValidString(got) || strings.IndexFunc(got, control) >= 0 {
			t.Errorf("%q: got %q, want UTF-8 without control characters", in, got)
		}
	})
}
