package gemini

import (
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/tofu"
	"example.org/deref/schemes/gemini/geminitest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

func site() fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return fstest.MapFS{
		"owl.gmi": file("# The owl\n=> /birds/ More birds\n=> dove.txt\n=> //other.example/x?y Elsewhere\n" +
			"=> mailto:owl@example.org Mail\n=> bad%zz Bad\n"),
		"dove.txt":        file("A dove.\n"),
		"birds/a b.txt":   file("a b\n"),
		"birds/bytes.bin": file("\x00\r\n.\r\n\xff"),
		"private/x.txt":   file("for friends\n"),
		"with/index.gmi":  file("an index\n"),
	}
}

// serve starts a server and a client that trusts its certificate.
func serve(t testing.TB, o *geminitest.Options) (*loopback.Server, *fetch.Client) {
	t.Helper()
	srv := geminitest.NewServer(site(), o)
	t.Cleanup(srv.Close)
	c := fetch.New(Scheme())
	c.TLS = &tls.Config{RootCAs: srv.Roots()}
	t.Cleanup(func() { c.Close() })
	return srv, c
}

func get(t testing.TB, c *fetch.Client, s string, o *fetch.Options) (*fetch.Document, string, error) {
	t.Helper()
	return fetchtest.GetWith(t, c, s, o)
}

func TestDocuments(t *testing.T) {
	srv, c := serve(t, nil)
	for _, tt := range []struct{ path, body, typ, at string }{
		{"/dove.txt", "A dove.\n", "text/plain", "/dove.txt"},
		{"/birds/a%20b.txt", "a b\n", "text/plain", "/birds/a%20b.txt"},
		{"/birds/bytes.bin", "\x00\r\n.\r\n\xff", "application/octet-stream", "/birds/bytes.bin"},
		{"", "# /\n=> ./birds/ birds/\n=> ./dove.txt dove.txt\n=> ./owl.gmi owl.gmi\n=> ./private/ private/\n=> ./with/ with/\n", "text/gemini",
			"/"},
		{"/birds", "# /birds\n=> ./a%20b.txt a b.txt\n=> ./bytes.bin bytes.bin\n", "text/gemini", "/birds/"}, // after a redirect
		{"/with/", "an index\n", "text/gemini", "/with/"},
		{"/search?A%20dove", "# \"A dove\"\n=> /dove.txt dove.txt\n", "text/gemini", "/search?A%20dove"},
	} {
		d, body, err := get(t, c, srv.URL+tt.path, nil)
		if err != nil || body != tt.body || d.Type != tt.typ || d.URI.String() != srv.URL+tt.at {
			t.Errorf("%s: got %q, %v, %+v, want %q, type %s, URI %s", tt.path, body, err, d, tt.body, tt.typ, srv.URL+tt.at)
		}
	}
}

// The server answers a request that is longer than any before it has the end of the line.
func TestLongRequest(t *testing.T) {
	srv, _ := serve(t, nil)
	for request, want := range map[string]string{
		srv.URL + "/" + strings.Repeat("x", 1023-len(srv.URL)) + "\r\n": "51 ", srv.URL + "/" + strings.Repeat("x", 1<<10): "59 ",
	} {
		c, err := tls.Dial("tcp", srv.Addr, &tls.Config{RootCAs: srv.Roots()})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprint(c, request)
		got := make([]byte, len(want))
		if _, err := c.Read(got); err != nil || string(got) != want {
			t.Errorf("%d bytes: got %q, %v, want %q", len(request), got, err, want)
		}
	}
}

func TestInput(t *testing.T) {
	srv, c := serve(t, nil)
	_, body, err := get(t, c, srv.URL+"/search", &fetch.Options{Search: []string{"A", "dove"}})
	if want := "=> /dove.txt"; err != nil || !strings.Contains(body, want) {
		t.Errorf("got %q, %v, want a document with %q", body, err, want)
	}
	if got, want := srv.Transcript()[0], srv.URL+"/search?A%20dove"; got != want {
		t.Errorf("got the request %q, want %q", got, want)
	}
	if _, _, err := get(t, c, srv.URL+"/search", nil); !errors.Is(err, fetch.ErrInteractive) {
		t.Errorf("without words: got %v, want %s", err, fetch.ErrInteractive)
	}
}

func TestEntries(t *testing.T) {
	srv, c := serve(t, nil)
	d, err := c.Get(t.Context(), uri.MustParse(srv.URL+"/owl.gmi"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	var got [][3]string
	for e, err := range d.Entries {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, [3]string{string(e.Kind), e.Title, e.URI.String()})
	}
	want := [][3]string{
		{"text", "# The owl", ""}, {"link", "More birds", srv.URL + "/birds/"}, {"link", "dove.txt", srv.URL + "/dove.txt"},
		{"link", "Elsewhere", "gemini://other.example/x?y"}, {"link", "Mail", "mailto:owl@example.org"}, {"unknown", "Bad", ""},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestStatuses(t *testing.T) {
	for reply, want := range map[string]fetch.Kind{
		"10 Which?\r\n": fetch.ErrInteractive, "19 Which?\r\n": fetch.ErrInteractive, "11 Password?\r\n": fetch.ErrAuth,
		"30 gopher://h/\r\n": fetch.ErrRedirect, "30 http://h/\r\n": fetch.ErrRedirect, "31 /x\r\n": fetch.ErrRedirect,
		"30 file:///etc/passwd\r\n": fetch.ErrRedirect, "30 telnet://h/\r\n": fetch.ErrRedirect,
		"30 \r\n": fetch.ErrProtocol, "30 //x y/\r\n": fetch.ErrProtocol, "30 a%zz\r\n": fetch.ErrProtocol,
		"20 text/\x1b[2J\r\nx": fetch.ErrProtocol, "20 text/\x00\r\nx": fetch.ErrProtocol, "+2 text/plain\r\nx": fetch.ErrProtocol,
		"44 99999999999999999999\r\n": fetch.ErrUnavailable, "44 -1\r\n": fetch.ErrUnavailable, "44 60\r\n": fetch.ErrUnavailable,
		"40 later\r\n": fetch.ErrUnavailable, "41 later\r\n": fetch.ErrUnavailable, "42 cgi\r\n": fetch.ErrUnavailable,
		"43 proxy\r\n": fetch.ErrUnavailable, "49\r\n": fetch.ErrUnavailable,
		"50 no\r\n": fetch.ErrRefused, "51 no\r\n": fetch.ErrNotFound, "52 gone\r\n": fetch.ErrNotFound,
		"53 no proxy\r\n": fetch.ErrRefused, "59 bad\r\n": fetch.ErrRefused,
		"60 who?\r\n": fetch.ErrAuth, "61 not you\r\n": fetch.ErrAuth, "62 expired\r\n": fetch.ErrAuth,
		"70 what\r\n": fetch.ErrProtocol, "2 text/gemini\r\n": fetch.ErrProtocol,
		"HTTP/1.1 200 OK\r\n": fetch.ErrProtocol, "20 nonsense\r\nx": fetch.ErrProtocol,
		"20 text/gemini": fetch.ErrTruncated, "20" + strings.Repeat(" ", 1<<15) + "\r\n": fetch.ErrLimit,
		"20 text/plain\r\nx": "", "20\r\nx": "", "29 text/plain\nx": "",
	} {
		srv, c := serve(t, &geminitest.Options{Reply: map[string]string{"/x": reply}})
		if _, body, err := get(t, c, srv.URL+"/x", nil); fetch.KindOf(err) != want || want == "" && body != "x" {
			t.Errorf("%.40q: got %q, %v, kind %q, want kind %q", reply, body, err, fetch.KindOf(err), want)
		}
	}
}

func TestSecretIsSentOnlyOnRequest(t *testing.T) {
	srv, c := serve(t, &geminitest.Options{Reply: map[string]string{"/plain": "20 text/plain\r\nx", "/secret": "11 Password?\r\n"}})
	o := &fetch.Options{Login: fetch.Login{Password: "open sesame", Set: true}}
	var trace strings.Builder
	o.Trace = func(e fetch.Event) { trace.Write(e.Data); trace.WriteString(e.Note) }
	if _, _, err := get(t, c, srv.URL+"/plain", o); err != nil {
		t.Errorf("got %v, want no error", err)
	}
	if _, _, err := get(t, c, srv.URL+"/secret", o); !errors.Is(err, fetch.ErrAuth) || strings.Contains(err.Error(), "sesame") {
		t.Errorf("got %v, want %s without the secret", err, fetch.ErrAuth)
	}
	want := []string{srv.URL + "/plain", srv.URL + "/secret", srv.URL + "/secret?open%20sesame"}
	if got := srv.Transcript(); !reflect.DeepEqual(got, want) {
		t.Errorf("got the requests %q, want %q", got, want)
	}
	if strings.Contains(trace.String(), "sesame") {
		t.Errorf("got the trace %q, want it without the secret", trace.String())
	}
}

// pemFile writes a certificate and its key.
func pemFile(t *testing.T) string {
	t.Helper()
	cfg, _, err := loopback.SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	b, err := loopback.PEM(cfg)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "me.pem")
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestClientCertificate(t *testing.T) {
	other, _ := serve(t, &geminitest.Options{Private: "/private/"})
	srv, c := serve(t, &geminitest.Options{Private: "/private/", Reply: map[string]string{"/away": "30 " + other.URL + "/private/x.txt\r\n"}})
	c.TLS = nil
	c.FirstUse = new(tofu.Store).Check
	me := &fetch.Options{Set: map[string][]string{"gemini.cert": {pemFile(t)}}}
	if _, body, err := get(t, c, srv.URL+"/private/x.txt", me); err != nil || body != "for friends\n" {
		t.Errorf("got %q, %v, want %q", body, err, "for friends\n")
	}
	if _, _, err := get(t, c, srv.URL+"/private/x.txt", nil); !errors.Is(err, fetch.ErrAuth) {
		t.Errorf("without a certificate: got %v, want %s", err, fetch.ErrAuth)
	}
	if _, _, err := get(t, c, srv.URL+"/away", me); !errors.Is(err, fetch.ErrAuth) {
		t.Errorf("redirect to another host: got %v, want %s, as the certificate is not sent there", err, fetch.ErrAuth)
	}
	missing := &fetch.Options{Set: map[string][]string{"gemini.cert": {"/nonexistent"}}}
	if _, _, err := get(t, c, srv.URL+"/private/x.txt", missing); !errors.Is(err, fetch.ErrLocal) {
		t.Errorf("a missing file: got %v, want %s", err, fetch.ErrLocal)
	}
}

func TestPromise8TrustOnFirstUse(t *testing.T) {
	o := &geminitest.Options{Addr: loopback.Reserve(t)}
	srv, c := serve(t, o)
	c.TLS = nil
	if _, _, err := get(t, c, srv.URL+"/dove.txt", nil); !errors.Is(err, fetch.ErrTLS) {
		t.Fatalf("unknown authority: got %v, want %s", err, fetch.ErrTLS)
	}
	path := filepath.Join(t.TempDir(), "known-hosts")
	known, err := tofu.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	c.FirstUse = known.Check
	for range 2 {
		if _, body, err := get(t, c, srv.URL+"/dove.txt", nil); err != nil || body != "A dove.\n" {
			t.Errorf("got %q, %v, want %q", body, err, "A dove.\n")
		}
	}
	b, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(b), srv.Addr+" sha256:") || strings.Count(string(b), "\n") != 1 {
		t.Errorf("got %q, %v, want one line with the certificate of %s", b, err, srv.Addr)
	}
	srv.Close()
	again := geminitest.NewServer(site(), o) // with another key
	defer again.Close()
	if _, _, err := get(t, c, srv.URL+"/dove.txt", nil); !errors.Is(err, fetch.ErrTLS) || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("another key: got %v, want %s: ... has changed", err, fetch.ErrTLS)
	}
	c.TLS = &tls.Config{RootCAs: again.Roots()}
	if _, _, err := get(t, c, srv.URL+"/dove.txt", nil); err != nil {
		t.Errorf("signed by a trusted authority: got %v, want no error", err)
	}
}

func TestPlans(t *testing.T) {
	login := fetch.Options{Login: fetch.Login{Password: "p&q", Set: true}}
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "gemini://h", Want: "tcp h:1965 implicit document\ngemini://h/"},
		{URI: "gemini://H:1965/a%20b", Want: "tcp h:1965 implicit document\ngemini://h/a%20b"},
		{URI: "gemini://h:7000/a?b%20c", Want: "tcp h:7000 implicit search\ngemini://h:7000/a?b%20c"},
		{URI: "gemini://user@h/a#b", Want: "tcp h:1965 implicit document\ngemini://h/a"}, // userinfo and fragment are not sent
		{URI: "gemini://[::1]/caf\xc3\xa9", Want: "tcp [::1]:1965 implicit document\ngemini://[::1]/caf%C3%A9"},
		{URI: "gemini://h/a?old", Options: fetch.Options{Search: []string{"a+b", "c"}}, Want: "tcp h:1965 implicit search\ngemini://h/a?a+b%20c"},
		{URI: "gemini://h/a", Options: login,
			Want: "tcp h:1965 implicit document\ngemini://h/a\ngemini://h/a?p&q {if the server answered 11} {secret}"},
		{URI: "gemini:a", Kind: fetch.ErrRefusedURL},
		{URI: "gemini:///a", Kind: fetch.ErrRefusedURL},
		{URI: "gemini://h/" + strings.Repeat("a", 1024-11), Want: "tcp h:1965 implicit document\ngemini://h/" + strings.Repeat("a", 1024-11)},
		{URI: "gemini://h/" + strings.Repeat("a", 1024-10), Kind: fetch.ErrRefusedURL},
		{URI: "gemini://h:25/a", Kind: fetch.ErrRefusedPort},
		{URI: "gemini://h/a", Options: fetch.Options{Range: fetch.Range{From: 1}}, Kind: fetch.ErrRange},
		{URI: "gemini://h/a", Options: fetch.Options{Op: fetch.Send}, Kind: fetch.ErrUnsupported},
	}, Scheme())
}

// TestPage checks that the table of replies is documented.
func TestPage(t *testing.T) { schemetest.Page(t, statuses, Scheme()) }

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"gemini://h/a?b", "gemini://u:p@h:1/%0D%0A#f", "gemini://[::1]/\xff", "gemini:x"}, Scheme())
}

// FuzzStatus checks that a parsed status is the one of the line, and that every error has a kind.
func FuzzStatus(f *testing.F) {
	for _, s := range []string{"20 text/gemini", "31 ../x", "11 Password?", "99", "2", "20 ", "30 \x1b[2J"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		s, err := parseStatus(line)
		if err != nil {
			if fetch.KindOf(err) != fetch.ErrProtocol {
				t.Errorf("%q: got %v, want %s", line, err, fetch.ErrProtocol)
			}
			return
		}
		if s.code < 10 || s.code > 69 || !strings.HasSuffix(strings.TrimSpace(line), s.meta) {
			t.Errorf("%q: got %+v, want its code and meta", line, s)
		}
		if err := s.failure(); (err == nil) != (s.code/10 == 2 || s.code/10 == 3) || err != nil && fetch.KindOf(err) == "" {
			t.Errorf("%q: got %v, want an error with a kind, and none for 2x and 3x", line, err)
		}
		if r, err := s.referral(uri.MustParse("gemini://h/a/b")); err == nil && !r.URI.IsAbs() {
			t.Errorf("%q: got a referral to %q, want an absolute URI", line, r.URI)
		}
		if mt, err := s.mediaType(); err == nil && (mt == "" || strings.ContainsAny(mt, "\r\n\x00")) {
			t.Errorf("%q: got type %q, want one without line ends", line, mt)
		}
	})
}
