package jar

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// give has u set the cookies, as a server writes them.
func give(j *Jar, u string, lines ...string) {
	p, _ := url.Parse(u)
	j.SetCookies(p, (&http.Response{Header: http.Header{"Set-Cookie": lines}}).Cookies())
}

func sent(j *Jar, u string) string {
	p, _ := url.Parse(u)
	var s []string
	for _, c := range j.Cookies(p) {
		s = append(s, c.Name+"="+c.Value)
	}
	return strings.Join(s, " ")
}

func TestRules(t *testing.T) {
	for _, c := range []struct{ by, line, to, want string }{
		{"http://a.example.org/", "x=1", "http://a.example.org/p", "x=1"},
		{"http://a.example.org/", "x=1", "http://b.a.example.org/", ""}, // host only
		{"http://a.example.org/", "x=1; Domain=example.org", "http://b.example.org/", "x=1"},
		{"http://a.example.org/", "x=1; Domain=.EXAMPLE.org", "http://example.org/", "x=1"},
		{"http://a.example.org/", "x=1; Domain=example.org", "http://badexample.org/", ""},
		{"http://a.example.org/", "x=1; Domain=other.org", "http://other.org/", ""},
		{"http://a.example.org/", "x=1; Domain=b.example.org", "http://b.example.org/", ""},
		{"http://a.example.org/", "x=1; Domain=org", "http://b.org/", ""}, // public suffix
		{"http://a.co.uk/", "x=1; Domain=co.uk", "http://b.co.uk/", ""},
		{"http://co.uk/", "x=1; Domain=co.uk", "http://b.co.uk/", ""},
		{"http://co.uk/", "x=1; Domain=co.uk", "http://co.uk/", "x=1"}, // RFC 6265 section 5.3 step 5
		{"http://127.0.0.1/", "x=1; Domain=127.0.0.1", "http://127.0.0.1/", "x=1"},
		{"http://127.0.0.1/", "x=1; Domain=0.0.1", "http://9.0.0.1/", ""},
		{"http://127.0.0.1:8080/", "x=1", "http://127.0.0.1:9090/", "x=1"}, // ports do not count
		{"http://h.org/a/b", "x=1", "http://h.org/a/c", "x=1"},             // default path
		{"http://h.org/a/b", "x=1", "http://h.org/b", ""},
		{"http://h.org/a%0Ab/c", "x=1", "http://h.org/a%0Ab/c", ""}, // the file would have two lines
		{"http://h.org/", "x=1; Path=/a", "http://h.org/ab", ""},
		{"http://h.org/", "x=1; Path=/a", "http://h.org/a/b", "x=1"},
		{"http://h.org/", "x=1; Secure", "https://h.org/", ""}, // set in clear
		{"https://h.org/", "x=1; Secure", "http://h.org/", ""},
		{"https://h.org/", "x=1; Secure", "https://h.org/", "x=1"},
		{"http://h.org/", "x=1; Max-Age=0", "http://h.org/", ""},
		{"http://h.org/", "x=1; Max-Age=60", "http://h.org/", "x=1"},
		{"http://h.org/", "x=1; Expires=Tue, 20 Dec 1994 12:00:00 GMT", "http://h.org/", ""},
		{"http://h.org/", "x=1; Expires=Monday, 13-Jun-1988 03:04:55 GMT", "http://h.org/", ""},
		{"http://h.org/", "x=1; Expires=Thu Jan  1 00:00:00 GMT 1970", "http://h.org/", ""},
		{"http://h.org/", "x=1; Expires=Monday, 13-Jun-2188 03:04:55 GMT", "http://h.org/", "x=1"},
		{"http://h.org/", "x=1; Expires=Monday, 13-Jun-1988 03:04:55 GMT; Max-Age=60", "http://h.org/", "x=1"},
		{"http://h.org/", "x=1; Expires=once upon a time", "http://h.org/", "x=1"}, // the attribute is ignored: RFC 6265 section 5.2.1
		{"https://h.org/", "__Host-x=1; Secure; Path=/", "https://h.org/", "__Host-x=1"},
		{"https://h.org/", "__Host-x=1; Secure; Path=/; Domain=h.org", "https://h.org/", ""},
		{"https://h.org/", "__secure-x=1", "https://h.org/", ""},
		{"http://h.org/", "x=" + strings.Repeat("y", 5000), "http://h.org/", ""},
		{"http://bücher.example/", "x=1; Domain=xn--bcher-kva.example", "http://bücher.example/", "x=1"},
	} {
		j := New()
		give(j, c.by, c.line)
		if got := sent(j, c.to); got != c.want {
			t.Errorf("%s sets %.60q, then a request for %s: got %q, want %q", c.by, c.line, c.to, got, c.want)
		}
	}
}

func TestOrderReplacementAndBounds(t *testing.T) {
	j := New()
	give(j, "http://h.org/a/b", "one=1; Path=/", "two=2; Path=/a", "three=3; Path=/")
	give(j, "http://h.org/a/b", "one=new; Path=/")
	if got, want := sent(j, "http://h.org/a/b"), "two=2 one=new three=3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	give(j, "http://h.org/", "one=; Max-Age=-1; Path=/")
	if got, want := sent(j, "http://h.org/"), "three=3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for i := range 500 {
		give(j, "http://h.org/", fmt.Sprintf("n%d=1", i))
	}
	if len(j.cookies) != maxPerDomain {
		t.Errorf("got %d cookies of one domain, want %d", len(j.cookies), maxPerDomain)
	}
}

// No cookie is kept for more than 400 days (RFC 6265bis section 5.5).
func TestLongestLife(t *testing.T) {
	for _, life := range []string{"Expires=Monday, 13-Jun-2188 03:04:55 GMT", "Max-Age=9223372036"} {
		synctest.Test(t, func(t *testing.T) {
			j := New()
			give(j, "http://h.org/", "x=1; "+life)
			for _, want := range []string{"x=1", ""} {
				if got := sent(j, "http://h.org/"); got != want {
					t.Errorf("%s: got %q after %s, want %q", life, got, time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)), want)
				}
				time.Sleep(400 * 24 * time.Hour)
			}
		})
	}
}

// A page without TLS replaces no cookie that was set within TLS.
func TestSecureCookiesAreLeftAlone(t *testing.T) {
	for line, want := range map[string]string{
		"x=2; Path=/": "x=1", "x=2; Path=/a/b": "x=1", "x=; Path=/; Max-Age=0": "x=1", "x=2; Path=/; Domain=org.example": "x=1", "y=2; Path=/": "x=1 y=2",
	} {
		j := New()
		give(j, "https://h.org.example/", "x=1; Secure; Path=/")
		give(j, "http://h.org.example/", line)
		if got := sent(j, "https://h.org.example/a/b"); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

func TestNetscapeFile(t *testing.T) {
	j := New()
	file := "# Netscape HTTP Cookie File\n\n.example.org\tTRUE\t/\tFALSE\t9999999999\ta\t1\n#HttpOnly_h.org\tFALSE\t/x\tTRUE\t0\tb\tv w\n"
	if err := j.Load(strings.NewReader(file + ".example.org\tTRUE\t/\tFALSE\t500\told\t1\n#comment\r\n")); err != nil {
		t.Fatal(err)
	}
	got := sent(j, "http://www.example.org/") + "|" + sent(j, "https://h.org/x/y") + "|" + sent(j, "http://h.org/x")
	if want := "a=1|b=v w|"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var b bytes.Buffer
	if err := j.Save(&b); err != nil || b.String() != file {
		t.Errorf("got %q, %v, want %q", b.String(), err, file)
	}
	long := "http://h.org/" + strings.Repeat("p", 20<<10) + "/"
	give(j, "http://[::1]:8080/a;b/", "address=1")
	give(j, long, "default=1", "x=1; Path=/"+strings.Repeat("p", 20<<10))
	b.Reset()
	j.Save(&b)
	saved := New()
	if err := saved.Load(&b); err != nil || sent(saved, "http://[::1]/a;b/") != "address=1" || sent(j, long) != "" {
		t.Errorf("the cookies of an address, and those of a long path: got %v, %q and %q; want only the first", err, sent(saved, "http://[::1]/a;b/"), sent(j, long))
	}
	for _, bad := range []string{
		"nonsense", "h\tFALSE\t/\tFALSE\t0\ta\t" + strings.Repeat("x", 20<<10), "h\tFALSE\t/\tFALSE\tsoon\ta\t1",
		"h\tFALSE\tx\tFALSE\t0\ta\t1", "h\tFALSE\t/\tFALSE\t0\ta\tb;c",
	} {
		if err := New().Load(strings.NewReader(bad)); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: got %v, want %v", bad, err, ErrFormat)
		}
	}
}

// TestMalformedLines checks that a line that is not a cookie is reported and skipped.
func TestMalformedLines(t *testing.T) {
	const good = "h.org\tFALSE\t/\tFALSE\t0\t%s\t1\n"
	long := strings.Repeat("x", 100<<10) + "\n"
	for _, c := range []struct{ file, want, text string }{
		{fmt.Sprintf(good, "a") + "nonsense\n" + fmt.Sprintf(good, "b"), "a=1 b=1", "line 2: not a cookie"},
		{fmt.Sprintf(good, "a") + long + fmt.Sprintf(good, "b") + "end", "a=1 b=1", "line 2, 4: not a cookie"},
		{strings.Repeat("<html>\n", 7) + fmt.Sprintf(good, "a"), "a=1", "line 1, 2, 3, 4, 5 and 2 more: not a cookie"},
		{"h.org\tFALSE\t/\tFALSE\t0\t__Secure-x\t1\nnonsense\n" + fmt.Sprintf(good, "a"), "a=1", "line 2: not a cookie\n" +
			"line 1: not a cookie with the attributes that the prefix of its name requires (RFC 6265bis section 4.1.3)"},
		{"# comment\n\n" + strings.TrimSuffix(fmt.Sprintf(good, "a"), "\n"), "a=1", ""},
	} {
		j := New()
		err := j.Load(strings.NewReader(c.file))
		if got := sent(j, "http://h.org/"); got != c.want {
			t.Errorf("%.40q: got %q, want %q", c.file, got, c.want)
		}
		switch {
		case c.text == "" && err != nil, c.text != "" && (!errors.Is(err, ErrFormat) || err.Error() != c.text):
			t.Errorf("%.40q: got error %v, want %q", c.file, err, c.text)
		}
	}
	broken := errors.New("broken")
	if err := New().Load(iotest.ErrReader(broken)); err != broken {
		t.Errorf("got %v, want %v", err, broken)
	}
}

// TestPrefixesInFiles checks that a file cannot contain a cookie that its prefix forbids: RFC 6265bis section 4.1.3.
func TestPrefixesInFiles(t *testing.T) {
	for _, c := range []struct{ line, https string }{
		{"h.org\tFALSE\t/\tFALSE\t0\t__Secure-x\t1", ""},
		{"#HttpOnly_h.org\tFALSE\t/\tFALSE\t0\t__secure-x\t1", ""},
		{"h.org\tFALSE\t/\tFALSE\t0\t__Host-x\t1", ""},
		{".h.org\tTRUE\t/\tTRUE\t0\t__Host-x\t1", ""},
		{"h.org\tFALSE\t/a\tTRUE\t0\t__HOST-x\t1", ""},
		{".h.org\tTRUE\t/a\tTRUE\t0\t__Secure-x\t1", "__Secure-x=1"},
		{"h.org\tFALSE\t/\tTRUE\t0\t__Host-x\t1", "__Host-x=1"},
	} {
		j := New()
		err := j.Load(strings.NewReader(c.line + "\n"))
		if got := sent(j, "http://h.org/a"); got != "" {
			t.Errorf("%q: got %q in clear, want nothing", c.line, got)
		}
		if got := sent(j, "https://h.org/a"); got != c.https || errors.Is(err, ErrFormat) != (c.https == "") {
			t.Errorf("%q: got %q, %v; want %q", c.line, got, err, c.https)
		}
	}
}

func FuzzNetscape(f *testing.F) {
	f.Add(".example.org\tTRUE\t/\tFALSE\t2000000000000\ta\t1\n#HttpOnly_h.org\tFALSE\t/x\tTRUE\t0\tb\tv")
	f.Fuzz(func(t *testing.T, s string) {
		j := New()
		if err := j.Load(strings.NewReader(s)); err != nil && !errors.Is(err, ErrFormat) {
			t.Fatalf("%q: got %v, want %v or no error", s, err, ErrFormat)
		}
		var b, c bytes.Buffer
		j.Save(&b)
		k := New()
		if err := k.Load(bytes.NewReader(b.Bytes())); err != nil {
			t.Fatalf("%q: got %v, want no error", b.String(), err)
		}
		if k.Save(&c); c.String() != b.String() {
			t.Errorf("got %q, want %q, as saved before", c.String(), b.String())
		}
	})
}

func TestParseDate(t *testing.T) {
	for s, want := range map[string]string{
		"Sun, 06 Nov 1994 08:49:37 GMT":                  "1994-11-06T08:49:37Z",
		"Sunday, 06-Nov-94 08:49:37 GMT":                 "1994-11-06T08:49:37Z",
		"Sun Nov  6 08:49:37 1994":                       "1994-11-06T08:49:37Z",
		"Monday, 13-Jun-1988 03:04:55 GMT":               "1988-06-13T03:04:55Z",
		"Thu Jan  1 00:00:00 GMT 1970":                   "1970-01-01T00:00:00Z",
		"dec 12 12:00:00 1999 GMT":                       "1999-12-12T12:00:00Z",
		"12 Dec 1999 12:12:12 GMT":                       "1999-12-12T12:12:12Z",
		"06-Nov-69 8:9:7":                                "2069-11-06T08:09:07Z",
		"06-Nov-70 8:9:7":                                "1970-11-06T08:09:07Z",
		"6 November 1994 08:49:37.5":                     "1994-11-06T08:49:37Z",
		"08:49:37 6th nov 94":                            "1994-11-06T08:49:37Z",
		"Tue, 29 Feb 2000 00:00:00 GMT":                  "2000-02-29T00:00:00Z",
		"Thu, 29 Feb 2001 00:00:00 GMT":                  "",
		"Thu, 31 Apr 2001 00:00:00 GMT":                  "",
		"Thu, 00 Apr 2001 00:00:00 GMT":                  "",
		"Thu, 32 Apr 2001 00:00:00 GMT":                  "",
		"Sun, 06 Nov 1600 08:49:37 GMT":                  "",
		"Sun, 06 Nov 1994 24:00:00 GMT":                  "",
		"Sun, 06 Nov 1994 08:60:00 GMT":                  "",
		"Sun, 06 Nov 1994 08:49:60 GMT":                  "",
		"Sun, 06 Nov 1994 08:49 GMT":                     "",
		"Sun, 06 Nov 1994":                               "",
		"Sun, 06 1994 08:49:37 GMT":                      "",
		"Nov 1994 08:49:37":                              "",
		"06 Nov 08:49:37":                                "",
		"Sun, 06 Nov 19945 08:49:37 GMT":                 "",
		"":                                               "",
		"1988-06-13T03:04:55Z":                           "",
		"Sun, 06 Nov 1994 08:49:37 GMT 7 Dec 2001 1:1:1": "1994-11-06T08:49:37Z", // the first of each counts
	} {
		d, ok := ParseDate(s)
		got := ""
		if ok {
			got = d.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}
