package uri

import "testing"

func TestOctetsAndText(t *testing.T) {
	for _, c := range []struct {
		mode         Mode
		text, octets string
		ok           bool
	}{
		{RFC3986, "é€", "é€", true},
		{RFC3986Scheme, "é", "é", true},
		{RFC1630, "caf\u00e9", "caf\xe9", true}, // D20
		{RFC2396, "\u00ff", "\xff", true},
		{RFC1738, "€", "", false}, // not in ISO Latin 1
	} {
		got, ok := c.mode.Octets(c.text)
		if got != c.octets || ok != c.ok {
			t.Errorf("%v: octets of %q are %q, %v", c.mode, c.text, got, ok)
		}
		if back := c.mode.Text(got); ok && back != c.text {
			t.Errorf("%v: text of %q is %q", c.mode, got, back)
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
	} {
		if got := c.context.Escape(c.mode, c.in); string(got) != c.want {
			t.Errorf("%v in %v: %q is %q, want %q", c.context, c.mode, c.in, got, c.want)
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

// TestEscapeBut: what stands is as asked, and all of it comes back.
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
			t.Errorf("%q but %q: %q, want %q", row.in, row.safe, got, row.want)
		}
	}
	if got := EscapeBut(string(all), "/"); Escaped(got).Decode() != string(all) {
		t.Errorf("%q", got)
	}
}
