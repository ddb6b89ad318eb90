package rlogin

import (
	"testing"

	"example.org/deref/schemes/internal/schemetest"
)

func FuzzDecode(f *testing.F) {
	schemetest.FuzzDecode(f, Scheme(),
		"\x00ann\x00bob\x00xterm/38400\x00ls\r\xff\xffss\x00\x18\x00\x50\x00\x00\x00\x00exit\r",
		"\x00Welcome\r\n", "\x01Permission denied.\r\n", "\xff\xffs", "\x00secret\x00\x00\x00",
	)
}
