package check

import (
	"encoding/xml"
	"strings"
	"testing"
)

func TestEscapedIsXML(t *testing.T) {
	for _, s := range []string{"", "a<b>&\"'", "a\tb\nc\rd", "\x00\x01\x1f\x7f\u0085", "\ufffe\uffff\ufffd", "\xff\xc3", "é\U0001f600"} {
		var b strings.Builder
		if err := xml.EscapeText(&b, []byte(s)); err != nil || escapeXML(s) != b.String() {
			t.Errorf("%q: got %q, want %q as from encoding/xml", s, escapeXML(s), b.String())
		}
	}
}
