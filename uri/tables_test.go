package uri

import (
	"strings"
	"testing"
)

const (
	letters  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits   = "0123456789"
	marks    = "-._~"
	subs     = "!$&'()*+,;="
	controls = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f"
)

func in(set string, c byte) bool { return strings.IndexByte(set, c) >= 0 }

// TestOctets computes the table of chars.go from RFC 3986 appendix A.
func TestOctets(t *testing.T) {
	for i := range 256 {
		c := byte(i)
		for _, k := range []struct {
			class class
			want  bool
		}{
			{clAlpha, in(letters, c)}, {clDigit, in(digits, c)}, {clMark, in(marks, c)}, {clSub, in(subs, c)},
			{clControl, in(controls, c)}, {clHigh, c >= 0x80}, {clBad, in(" \"<>\\^`{|}", c)},
			{clUpper, in(letters[26:], c)}, {clScheme, in(letters+digits+"+-.", c)}, {clPlain, !in(controls+"%?#", c)},
		} {
			if k.class.has(c) != k.want {
				t.Errorf("byte %q, class %#x: want %v", c, k.class, k.want)
			}
		}
	}
}

// TestLegals computes the table of legal.go.
func TestLegals(t *testing.T) {
	pchar := letters + digits + marks + subs + ":@"
	without := func(s, cut string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(cut, r) {
				return -1
			}
			return r
		}, s)
	}
	for i := range 256 {
		c := byte(i)
		for _, k := range []struct {
			legal legal
			set   string
		}{
			{lgPath, pchar + "/"}, {lgQuery, pchar + "/?"}, {lgUserinfo, without(pchar, "@")}, {lgSegment, pchar},
			{lgWords, without(pchar, "+&=;")}, {lgName, without(pchar, ":@")}, {lgFTP, without(pchar, ";")},
			{lgGopher, pchar + "/"}, {lgMailto, without(pchar, "&;=,")}, {lgMid, pchar},
			{lgProspero, letters + digits + "-_./"}, {lgUnreserved, letters + digits + marks},
		} {
			if k.legal.has(c) != in(k.set, c) {
				t.Errorf("byte %q, place %#x: want %v", c, k.legal, in(k.set, c))
			}
		}
	}
}

// TestCustoms computes the table of custom.go.
func TestCustoms(t *testing.T) {
	excluded := controls + " {}|[]\\^`<>\"#"
	for i := range 256 {
		c := byte(i)
		for _, k := range []struct {
			custom custom
			want   bool
		}{
			{dec1630, in(letters+digits+"-_.$&'(),", c)}, {enc1630, in(excluded+"~", c) || c >= 0x80},
			{dec1738, in(letters+digits+"$-_.!*'(),", c)}, {enc1738, in(excluded+"~", c) || c >= 0x80},
			{dec2396, in(letters+digits+"-_.!~*'()", c)}, {enc2396, in(excluded, c) || c >= 0x80},
		} {
			if k.custom.has(c) != k.want {
				t.Errorf("byte %q, set %#x: want %v", c, k.custom, k.want)
			}
		}
	}
}

func TestNamesReadBack(t *testing.T) {
	for m := range Mode(modes) {
		if got, ok := ParseMode(strings.ToUpper(m.String())); !ok || got != m {
			t.Errorf("ParseMode(%q): got %v, want %[1]v", m, got)
		}
	}
	for c := range Context(contexts) {
		if got, ok := ParseContext(c.String()); !ok || got != c {
			t.Errorf("ParseContext(%q): got %v, want %[1]v", c, got)
		}
	}
	for s := SafeRFC3986; s <= SafePrint; s++ {
		if got, ok := ParseSafe(s.String()); !ok || got != s {
			t.Errorf("ParseSafe(%q): got %v, want %[1]v", s, got)
		}
	}
	if _, ok := ParseMode("unknown"); ok {
		t.Error("ParseMode(unknown) returns true, want false")
	}
	if _, ok := ParseContext("unknown"); ok {
		t.Error("ParseContext(unknown) returns true, want false")
	}
}
