package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// escape makes foreign text harmless on a terminal: controls, C1 octets and broken UTF-8 are shown, not sent.
func escape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1, r < ' ' && r != '\t', r >= 0x7f && r < 0xa0:
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		case r == 0x2028, r == 0x2029, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			fmt.Fprintf(&b, `\u%04x`, r) // separators and bidirectional overrides reorder what a person reads
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}
