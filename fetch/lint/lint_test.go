package lint_test

import (
	"bufio"
	"cmp"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/lint"
	"example.org/deref/fetch/tofu"
	"example.org/deref/schemes/dict"
	"example.org/deref/schemes/dict/dicttest"
	"example.org/deref/schemes/finger"
	"example.org/deref/schemes/finger/fingertest"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gemini"
	"example.org/deref/schemes/gemini/geminitest"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
	schemehttp "example.org/deref/schemes/http"
	"example.org/deref/schemes/news"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/schemes/whois"
	"example.org/deref/schemes/whois/whoistest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// servers starts a server of each protocol with checks, and returns the URIs to test, by scheme.
func servers(t *testing.T) map[string]string {
	t.Helper()
	started := func(url string, stop func(), err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stop)
		return url
	}
	site := testdata.Site()
	web := httptest.NewServer(pages(t, site, nil))
	t.Cleanup(web.Close)
	news, err := newstest.Listen(site, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(news.Close)
	return map[string]string{
		"ftp":    started(loopback.Running(ftptest.Listen(site, nil))) + "/history/",
		"gopher": started(loopback.Running(gophertest.Listen(site, nil))) + "/1/",
		"gemini": started(loopback.Running(geminitest.Listen(site, nil))) + "/",
		"http":   web.URL + "/README.txt",
		"news":   "news://" + news.Addr + "/*",
		"finger": started(loopback.Running(fingertest.Listen(site, nil))) + "/history/ftp.txt",
		"whois":  started(loopback.Running(whoistest.Listen(site, nil))) + "/history/ftp.txt",
		"dict":   started(loopback.Running(dicttest.Listen(site, nil))) + "/d:ftp",
	}
}

// pages serves the site, with an entity tag, and with faults.
func pages(t *testing.T, site fs.FS, fault func(w http.ResponseWriter, r *http.Request) bool) http.Handler {
	t.Helper()
	files := http.FileServerFS(site)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Last-Modified", "Tue, 20 Dec 1994 12:00:00 GMT")
		if fault == nil || !fault(w, r) {
			files.ServeHTTP(w, r)
		}
	})
}

func client(t *testing.T) *fetch.Client {
	t.Helper()
	c := fetch.New(slices.Concat(schemehttp.Schemes(nil), ftp.Schemes(nil), gopher.Schemes(), news.Schemes(nil), whois.Schemes(nil),
		[]fetch.Scheme{dict.Scheme(), finger.Scheme(), gemini.Scheme()})...)
	c.FirstUse = new(tofu.Store).Check
	t.Cleanup(func() { c.Close() })
	return c
}

// finds returns the report about a server, and checks what it found.
func finds(t *testing.T, at string, want ...string) *lint.Report {
	t.Helper()
	n := 0
	r, err := lint.Run(t.Context(), client(t), uri.MustParse(at), &lint.Options{Done: func(lint.Check) { n++ }})
	if err != nil {
		t.Fatal(err)
	}
	if n != len(r.Checks) || r.Requests > lint.MaxRequests {
		t.Errorf("got %d reports of %d checks and %d requests, want one of each and at most %d requests", n, len(r.Checks), r.Requests, lint.MaxRequests)
	}
	var found []string
	for _, ch := range r.Checks {
		for _, f := range ch.Findings {
			found = append(found, f.String())
		}
	}
	slices.Sort(found)
	if slices.Sort(want); !slices.Equal(found, want) || len(found) != r.Findings {
		t.Errorf("got %d findings\n\t%s\nwant\n\t%s", r.Findings, strings.Join(found, "\n\t"), strings.Join(want, "\n\t"))
	}
	return r
}

// TestCorrectServers: a correct server has no findings, and nearly every check is made.
func TestCorrectServers(t *testing.T) {
	t.Parallel()
	for scheme, at := range servers(t) {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			for _, ch := range finds(t, at).Checks {
				if ch.Name == "" || ch.Rule == "" || ch.Section == "" || ch.Skipped != "" {
					t.Errorf("got %+v, want name, rule and section of a check that was made", ch)
				}
			}
		})
	}
}

// A fault is a deliberate deviation: a line of the server, without its CRLF, and what is sent instead, whole; false if it stays.
type fault func(line string) (instead string, changed bool)

// replace replaces the beginning of lines.
func replace(old, new string) fault {
	return func(line string) (string, bool) {
		rest, ok := strings.CutPrefix(line, old)
		return new + rest + "\r\n", ok
	}
}

// bareLF removes the CR of lines that begin so.
func bareLF(prefix string) fault {
	return func(line string) (string, bool) { return line + "\n", strings.HasPrefix(line, prefix) }
}

// whole replaces whole lines that begin so.
func whole(prefix, new string) fault {
	return func(line string) (string, bool) { return new + "\r\n", strings.HasPrefix(line, prefix) }
}

// relay starts a server that passes everything on to the one at addr, and changes the lines that come back. It returns its address.
func relay(t *testing.T, addr string, faults ...fault) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	own := l.Addr().String()
	_, realPort, _ := net.SplitHostPort(addr)
	_, ownPort, _ := net.SplitHostPort(own)
	faults = append(faults, func(line string) (string, bool) { // menus name the server's port
		return strings.Replace(line, "\t"+realPort, "\t"+ownPort, 1) + "\r\n", strings.Contains(line, "\t"+realPort)
	})
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go pass(in, addr, faults)
		}
	}()
	return own
}

func pass(in net.Conn, addr string, faults []fault) {
	defer in.Close()
	out, err := net.Dial("tcp", addr)
	if err != nil {
		return
	}
	defer out.Close()
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := in.Read(buf)
			if out.Write(buf[:n]); err != nil {
				out.Close()
				return
			}
		}
	}()
	for r := bufio.NewReader(out); ; {
		line, err := r.ReadString('\n')
		if text, ok := strings.CutSuffix(line, "\r\n"); ok {
			for _, f := range faults {
				if instead, changed := f(text); changed {
					line = instead
					break
				}
			}
		}
		if in.Write([]byte(line)); err != nil {
			return
		}
	}
}

// TestFaultyServers: each deliberate deviation is one finding, and nothing else is.
func TestFaultyServers(t *testing.T) {
	t.Parallel()
	for scheme, at := range servers(t) {
		tt, ok := faulty()[scheme]
		if !ok {
			continue
		}
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			u := uri.MustParse(at)
			addr, err := u.HostPort(0)
			if err != nil {
				t.Fatal(err)
			}
			finds(t, strings.Replace(at, addr, relay(t, addr, tt.faults...), 1), tt.want...)
		})
	}
}

type faultyServer struct {
	faults []fault
	want   []string
}

func faulty() map[string]faultyServer {
	return map[string]faultyServer{
		"ftp": {[]fault{replace("220 ", "221 "), bareLF("331 "), replace("200 ", "250 "), replace("226 ", "250 "), replace("213 1994", "213 1/94")}, []string{
			"the greeting: 221 instead of 120 or 220 (RFC 959 section 5.4)",
			"a line of a reply: LF without CR (RFC 959 section 4.2)",
			"the reply to TYPE: 250 instead of 200 (RFC 959 section 5.4)",
			"the reply after the transfer: 250 instead of 110 or 125 or 150 or 226 (RFC 959 section 5.2)",
			`the reply to MDTM: "1/941220120000" instead of YYYYMMDDHHMMSS (RFC 3659 section 2.3)`,
		}},
		"gopher": {[]fault{bareLF("iWelcome"), replace("TA catalogue", "QA catalogue"), whole("iElsewhere", "0without a TAB"), whole("8A catalogue", "0a port\t/a\th\tx"),
			replace("Everything here", ".Everything here"), replace("3'", "Error: no such file\r\n___________________________________\r\n")}, []string{
			"a line of the menu: LF without CR (RFC 1436 Appendix)",
			"the menu: an item of the unknown type 'Q' (RFC 1436 section 3.8)",
			"the menu: an item of which fields are missing (RFC 1436 Appendix)",
			"the menu: an item of which host, port or URL do not form a URI (RFC 1436 Appendix)",
			"the text: a line that begins with one dot (RFC 1436 Appendix)",
			"the error: a text instead of an item of type 3 (RFC 1436 section 3.8)",
		}},
		"news": {[]fault{replace("423 ", "430 "), bareLF("211 "), bareLF("From: ")}, []string{
			"a line of the text: LF without CR (RFC 3977 section 3.1.1)",
			"the reply to ARTICLE with a number: 430 instead of 423 (RFC 3977 section 6.2.1)",
			"a line of a reply: LF without CR (RFC 3977 section 3.1)",
		}},
		"finger": {[]fault{bareLF("---")}, []string{"a line: LF without CR (RFC 1288 section 2.2)"}},
		"whois":  {[]fault{bareLF("---")}, []string{"a line: LF without CR (RFC 3912 section 2)"}},
		"dict": {[]fault{replace("220 dicttest <auth> <1.2@dict.test>", "220 dicttest <auth>"), replace("150 1 ", "150 some "), bareLF("151 "), replace("exact ", "precise ")}, []string{
			"the greeting: no <msg-id> at its end (RFC 2229 section 3.1)",
			"the first reply: 150 without a number (RFC 2229 section 3.2.2)",
			"a line: LF without CR (RFC 2229 section 2.4)",
			"SHOW STRAT: the strategy exact is missing (RFC 2229 section 3.3.1)",
		}},
	}
}

// TestFaultyWebServer: likewise, for a protocol in which the faults are in programs.
func TestFaultyWebServer(t *testing.T) {
	t.Parallel()
	site := testdata.Site()
	srv := httptest.NewServer(pages(t, site, func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case !strings.HasSuffix(r.URL.Path, "README.txt") && r.Method == http.MethodGet: // 1: a page for everything
			fmt.Fprintln(w, "We could not find that.")
			return true
		case r.Method == http.MethodHead && strings.HasSuffix(r.URL.Path, "README.txt"): // 2: another type with HEAD
			w.Header().Set("Content-Type", "text/html")
			return true
		case r.Header.Get("If-None-Match") != "": // 3: the tag is ignored, or 4: any tag fits
			if r.Header.Get("If-None-Match") == `"1"` {
				r.Header.Del("If-None-Match")
				return false
			}
			w.WriteHeader(http.StatusNotModified)
			return true
		case r.Header.Get("Range") == "bytes=1-": // 5: another part than the one in Content-Range
			w.Header().Set("Content-Range", "bytes 1-1042/1043")
			w.WriteHeader(http.StatusPartialContent)
			w.Write([]byte(strings.Repeat("x", 1042)))
			return true
		}
		w.Header().Set("Last-Modified", "1994") // 6: not a date
		return false
	}))
	t.Cleanup(srv.Close)
	finds(t, srv.URL+"/README.txt",
		"a missing document: got a document, want a refusal (RFC 9110 section 15.5.5)",
		`HEAD: Content-Type is ["text/html"], but ["text/plain; charset=utf-8"] with GET (RFC 9110 section 9.3.2)`,
		"GET with the document's tag: got 200, want 304 (RFC 9110 section 13.1.2)",
		"GET with another tag: got 304, want the document (RFC 9110 section 13.1.2)",
		"all but the first byte: got 1042 bytes that are not the requested part, want 1042 (RFC 9110 section 14.2)",
		`the field Last-Modified: "1994" is not a date (RFC 9110 section 5.6.7)`)
}

// TestFaultyGeminiServer: likewise, within TLS.
func TestFaultyGeminiServer(t *testing.T) {
	t.Parallel()
	srv := geminitest.NewServer(testdata.Site(), &geminitest.Options{Reply: map[string]string{
		"/README.txt":                  "20 \r\nhello\n",              // 1: no type
		"/a/":                          "29 text/gemini\n",            // 2: LF alone, 3: an unknown code
		"/deref-lint-no-such-name.gmi": "20 text/gemini\r\n# Sorry\n", // 4: a page for everything
	}})
	t.Cleanup(srv.Close)
	finds(t, srv.URL+"/",
		"a line of a reply: LF without CR (gemini protocol 0.24.1, Responses)",
		"a missing document: got a document, want a refusal (gemini protocol 0.24.1, Responses)",
		"the status line: nothing after the code 20 (gemini protocol 0.24.1, Responses)",
		"the status line: the unknown code 29 (gemini protocol 0.24.1, Responses)")
}

// TestUnreachable: a server that cannot be tested is an error, not a report.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	c := client(t)
	c.Timeouts.Connect = time.Second
	if _, err := lint.Run(t.Context(), c, uri.MustParse("ldap://127.0.0.1/"), nil); fetch.KindOf(err) != fetch.ErrUnsupported {
		t.Errorf("got %v, want ErrUnsupported", err)
	}
	r, err := lint.Run(t.Context(), c, uri.MustParse("gopher://"+loopback.Reserve(t)+"/1/"), nil)
	if fetch.KindOf(err) != fetch.ErrConnect || cmp.Or(len(r.Checks), 1) != 1 {
		t.Errorf("got %+v, %v, want ErrConnect after the first request", r, err)
	}
	if got := lint.Schemes(); !slices.Contains(got, "ftp") || len(got) < 8 {
		t.Errorf("got %q, want at least eight schemes", got)
	}
}
