package uri

import "testing"

func TestOctetsAndText(t *testing.T) {
	for _, c := range []struct {
		mode        Mode
		text, bytes string
		ok          bool
	}{
		{RFC3986, "é€", "é€", true},
		{RFC3986Scheme, "é", "é", true},
		{RFC1630, "caf\u00e9", "caf\xe9", true}, // D20
		{RFC2396, "\u00ff", "\xff", true},
		{RFC1738, "€", "", false}, // not in ISO Latin 1
	} {
		got, ok := c.mode.Octets(c.text)
		if got != c.bytes || ok != c.ok {
			t.Errorf("%v: Octets(%q): got %q, %v, want %q, %v", c.mode, c.text, got, ok, c.bytes, c.ok)
		}
		if back := c.mode.Text(got); ok && back != c.text {
			t.Errorf("%v: Text(%q): got %q, want %q", c.mode, got, back, c.text)
		}
	}
}

func TestEscapeMore(t *testing.T) {
	for _, c := range []struct {
		context  Context
		mode     Mode
		in, want string
	}{
		{Segment, RFC3986, "a=b;c:d@e&f+g", "a=b;c:d@e&f+g"}, // pchar
		{Segment, RFC1630, "a=b", "a%3Db"},                   // "=" is nowhere in the drafts
		{Segment, RFC3986, "[x]|^", "%5Bx%5D%7C%5E"},
		{FirstSegment, RFC3986, "a", "a"},
		{FirstSegment, RFC3986, "a:b/c", "./a:b%2Fc"},
		{QueryText, RFC1630, "a/b?c", "a%2Fb%3Fc"},
		{FragmentText, RFC1630, "a+b", "a%2Bb"},
		{SearchWords, RFC3986, "a&b=c;d/e?f", "a%26b%3Dc%3Bd%2Fe%3Ff"},
		{User, RFC3986, "a:b@c/d?e#f%", "a%3Ab%40c%2Fd%3Fe%23f%25"},
		{FTPSegment, RFC1738, "a/b;c d", "a%2Fb%3Bc%20d"},
		{GopherSelector, RFC3986, "7/q?x", "7/q%3Fx"},
		{Mailto, RFC3986, "a,b?c/d&e=f@g", "a%2Cb%3Fc%2Fd%26e%3Df@g"}, // RFC 6068 §2
		{Mid, RFC2392, "a/b?c@d", "a%2Fb%3Fc@d"},
		{Password, RFC3986, "p:w@d/?#%+ ", "p%3Aw%40d%2F%3F%23%25+%20"},
		{CID, RFC2392, "foo4%foo1@bar.net", "foo4%25foo1@bar.net"}, // the example of RFC 2392 §2
		{CID, RFC3986, "a/b <c>", "a%2Fb%20%3Cc%3E"},
		{GopherPlus, RFC3986, "+\t1\r\n+-1\r\na b?\r\n.\r\n", "+%091%0D%0A+-1%0D%0Aa%20b%3F%0D%0A.%0D%0A"},
		{GopherPlus, RFC1738, "+application/PostScript Es_ES", "+application/PostScript%20Es_ES"},
		{ProsperoName, RFC3986, "/pros/it's;v=1?x+\x00", "/pros/it%27s%3Bv%3D1%3Fx%2B%00"},
		{AllButUnreserved, RFC3986, "aZ09-._~ !$&'()*+,;=:@/?#[]%\u00e9",
			"aZ09-._~%20%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A%40%2F%3F%23%5B%5D%25%C3%A9"},
	} {
		if got := c.context.Escape(c.mode, c.in); string(got) != c.want {
			t.Errorf("%v in %v: %q: got %q, want %q", c.context, c.mode, c.in, got, c.want)
		}
	}
}

// TestUnescapeMore: a plus sign is a blank only between search words.
func TestUnescapeMore(t *testing.T) {
	for _, c := range Contexts() {
		want := "a+b c/%\r\n"
		if c == SearchWords {
			want = "a b c/%\r\n"
		}
		if got, err := c.Unescape("a+b%20c%2F%25%0D%0A"); err != nil || got != want {
			t.Errorf("%v: got %q, %v, want %q", c, got, err, want)
		}
	}
}

func TestUnescapeRefusesBadEscapes(t *testing.T) {
	for _, s := range []Escaped{"%", "a%4", "%zz", "%%41"} {
		if got, err := Segment.Unescape(s); err == nil {
			t.Errorf("%q is %q", s, got)
		}
	}
	if got := Escaped("50%_%41").Decode(); got != "50%_A" { // Decode is for what Parse has seen
		t.Errorf("decoded %q", got)
	}
}

// TestEscapeBut: only safe characters stay, and decoding restores the text.
func TestEscapeBut(t *testing.T) {
	var all []byte
	for c := range 256 {
		all = append(all, byte(c))
	}
	for _, row := range []struct{ in, safe, want string }{
		{"", "", ""},
		{"aZ09", "", "aZ09"},
		{"a b/c%20\xe9", "", "a%20b%2Fc%2520%E9"},
		{"a-b.c_d~e", "-._~", "a-b.c_d~e"},
		{"@[`{/:", "", "%40%5B%60%7B%2F%3A"}, // the neighbours of letters and digits
	} {
		if got := EscapeBut(row.in, row.safe); got != row.want {
			t.Errorf("%q but %q: got %q, want %q", row.in, row.safe, got, row.want)
		}
	}
	if got := EscapeBut(string(all), "/"); Escaped(got).Decode() != string(all) {
		t.Errorf("got %q, want text that decodes to all bytes", got)
	}
}
