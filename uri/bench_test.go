package uri

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// The goals, compared with net/url on the same strings: Parse takes at most 1/4 of its time and does not allocate, and Parse, Resolve and
// Normalize together take at most 1/2 and allocate only their results.

// samples are typical URIs: long and short, with and without each part.
func samples() []string {
	return []string{
		"http://www.ics.uci.edu/pub/ietf/uri/#Related",
		"ftp://ftp.is.co.za/rfc/rfc1808.txt",
		"https://en.wikipedia.org/wiki/Uniform_Resource_Identifier?action=history&limit=50#Syntax",
		"gopher://spinaltap.micro.umn.edu/00/Weather/California/Los%20Angeles",
		"http://user@example.com:8080/a/b/c/d/e.html?name=ferret&colour=purple",
		"ldap://[2001:db8::7]/c=GB?objectClass?one",
		"news:comp.infosystems.www.servers.unix",
		"mailto:John.Doe@example.com",
	}
}

func references() []string {
	return []string{"../g/h.html", "g?y=1", "/a/b/../c", "//other.example/x", "#frag", "./a%20b", "..", "http://h/x/y"}
}

func BenchmarkParse(b *testing.B) {
	s := samples()
	b.ReportAllocs()
	for b.Loop() {
		for _, x := range s {
			if _, err := Parse(x); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkParseNetURL(b *testing.B) {
	s := samples()
	b.ReportAllocs()
	for b.Loop() {
		for _, x := range s {
			if _, err := url.Parse(x); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkParseResolveNormalize(b *testing.B) {
	base := MustParse("http://a.example/b/c/d;p?q")
	s := references()
	buf := make([]byte, 0, 256)
	b.ReportAllocs()
	for b.Loop() {
		for _, x := range s {
			u, err := Parse(x)
			if err != nil {
				b.Fatal(err)
			}
			buf = RFC3986.AppendNormalize(buf[:0], base.Resolve(u), nil)
		}
	}
}

func BenchmarkParseResolveNormalizeNetURL(b *testing.B) {
	base, err := url.Parse("http://a.example/b/c/d;p?q")
	if err != nil {
		b.Fatal(err)
	}
	s := references()
	buf := make([]byte, 0, 256)
	b.ReportAllocs()
	for b.Loop() {
		for _, x := range s {
			u, err := url.Parse(x)
			if err != nil {
				b.Fatal(err)
			}
			buf = append(buf[:0], base.ResolveReference(u).String()...)
		}
	}
}

// BenchmarkDepth resolves and normalizes paths of one to 10,000 segments.
func BenchmarkDepth(b *testing.B) {
	for n := 1; n <= 10_000; n *= 10 {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			base := MustParse("http://a.example/" + strings.Repeat("segment/", n))
			ref := MustParse(strings.Repeat("../", n/2) + strings.Repeat("./%7Ea/", n/2) + "g")
			b.SetBytes(int64(len(base.String())))
			b.ReportAllocs()
			buf := make([]byte, 0, 1<<18)
			for b.Loop() {
				buf = RFC3986.AppendNormalize(buf[:0], base.Resolve(ref), nil)
			}
		})
	}
}
