package uri

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"
	"testing"

	cases "example.org/deref/testdata/uri"
)

// parts holds the components of a reference, found by the regular expression of RFC 3986 appendix B.
type parts struct {
	scheme, authority, path, query, fragment string // with their marks
}

func apart(s string) parts {
	m := regexp.MustCompile(`^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?`).FindStringSubmatch(s)
	return parts{m[1], m[3], m[5], m[6], m[8]}
}

// plainResolve is a direct transcription of RFC 3986 §5.2.2, to compare Resolve with.
func plainResolve(base, ref string) string {
	b, r := apart(base), apart(ref)
	t := r
	switch {
	case r.scheme != "":
		t.path = plainDots(r.path)
	case r.authority != "":
		t.scheme, t.path = b.scheme, plainDots(r.path)
	case r.path == "":
		t.scheme, t.authority, t.path = b.scheme, b.authority, b.path
		if r.query == "" {
			t.query = b.query
		}
	default:
		t.scheme, t.authority = b.scheme, b.authority
		switch {
		case strings.HasPrefix(r.path, "/"):
			t.path = plainDots(r.path)
		case b.authority != "" && b.path == "":
			t.path = plainDots("/" + r.path)
		default:
			t.path = plainDots(b.path[:strings.LastIndex(b.path, "/")+1] + r.path)
		}
	}
	if t.authority == "" && strings.HasPrefix(t.path, "//") {
		t.path = "/." + t.path // D12
	}
	return t.scheme + t.authority + t.path + t.query + t.fragment
}

// plainDots is a direct transcription of RFC 3986 §5.2.4.
func plainDots(in string) string {
	var out []byte
	for in != "" {
		switch {
		case strings.HasPrefix(in, "../"):
			in = in[3:]
		case strings.HasPrefix(in, "./"):
			in = in[2:]
		case strings.HasPrefix(in, "/./"):
			in = in[2:]
		case in == "/.":
			in = "/"
		case strings.HasPrefix(in, "/../"), in == "/..":
			in = cmp.Or(in[3:], "/")
			out = out[:max(0, bytes.LastIndexByte(out, '/'))]
		case in == "." || in == "..":
			in = ""
		default:
			n := strings.Index(in[1:], "/") + 1
			if n == 0 {
				n = len(in)
			}
			out = append(out, in[:n]...)
			in = in[n:]
		}
	}
	return string(out)
}

func TestPlainResolve(t *testing.T) {
	for _, c := range cases.Own(t) {
		r := row(c)
		if r.Kind == "resolve" && r.Mode == "rfc3986" && !r.accepts("uri", plainResolve(r.Base, r.Ref), RFC3986) &&
			plainResolve(r.Base, r.Ref) != r.Expect["uri"] {
			t.Errorf("%s: plainResolve returns %q, which is not what the row expects", r.ID, plainResolve(r.Base, r.Ref))
		}
	}
}

func FuzzResolveAsWritten(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add("http://a/b/c/d;p?q", s)
		f.Add("x:a/b", s)
		f.Add(s, "../g/./h")
	}
	f.Fuzz(func(t *testing.T, b, s string) {
		base, err := Parse(b)
		if err != nil || !base.IsAbs() {
			return
		}
		ref, err := Parse(s)
		if err != nil || !ref.IsAbs() && strings.Contains(strings.SplitN(ref.String(), "/", 2)[0], ":") {
			return // a first segment with a colon: not in RFC 3986's grammar
		}
		if got, want := RFC3986.Resolve(base, ref).String(), plainResolve(base.String(), ref.String()); got != want {
			t.Errorf("%q on %q: %q, want %q", s, b, got, want)
		}
	})
}

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
			{clAlpha, in(letters, c)}, {clDigit, in(digits, c)}, {clUnreserved, in(letters+digits+marks, c)}, {clSub, in(subs, c)},
			{clControl, in(controls, c)}, {clHigh, c >= 0x80}, {clBad, in(" \"<>\\^`{|}", c)},
			{clUpper, in(letters[26:], c)}, {clScheme, in(letters+digits+"+-.", c)}, {clPlain, !in(controls+"%?#", c)},
		} {
			if k.class.has(c) != k.want {
				t.Errorf("byte %q, class %#x: want %v", c, k.class, k.want)
			}
		}
	}
}

// TestLegals computes the sets of chars.go.
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
			legal class
			set   string
		}{
			{lgPath, pchar + "/"}, {lgQuery, pchar + "/?"}, {lgUserinfo, without(pchar, "@")}, {lgSegment, pchar},
			{lgWords, without(pchar, "+&=;")}, {lgName, without(pchar, ":@")}, {lgFTP, without(pchar, ";")},
			{lgPath, pchar + "/"}, {lgMailto, without(pchar, "&;=,")}, {lgSegment, pchar},
			{lgProspero, letters + digits + "-_./"}, {clUnreserved, letters + digits + marks},
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
			custom bool
			want   bool
		}{
			{RFC1630.custom().decodes(c), in(letters+digits+"-_.$&'(),", c)}, {RFC1630.custom().encodes(c), in(excluded+"~", c) || c >= 0x80},
			{RFC1738.custom().decodes(c), in(letters+digits+"$-_.!*'(),", c)}, {RFC1738.custom().encodes(c), in(excluded+"~", c) || c >= 0x80},
			{RFC2396.custom().decodes(c), in(letters+digits+"-_.!~*'()", c)}, {RFC2396.custom().encodes(c), in(excluded, c) || c >= 0x80},
		} {
			if k.custom != k.want {
				t.Errorf("byte %q: got %v, want %v", c, k.custom, k.want)
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
