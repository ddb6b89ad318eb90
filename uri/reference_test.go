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
