package dialogue_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
	schemehttp "example.org/deref/schemes/http"
	"example.org/deref/uri"
)

// A client that waits for what an edited script does not have gets an error that names the line. A client that is slow does not.
func TestPatience(t *testing.T) {
	for _, x := range []struct{ script, sends, got, read, closed string }{
		{"*: [connected]\nS: 220 a\nC: USER x", "", "220 a\r\n",
			`line 3: the client waits for the server, and does not send "USER x\r\n"`, `line 3: the client waits for the server, and does not send "USER x\r\n"`},
		{"# edited\n*: [connected]\nC: a\nS: b", "a\r\n", "b\r\n", "the recording ends after line 4, and the client waits for more", ""},
		{"C: a\nS: b\n*2: [connected]\nS2: c", "a\r\n", "b\r\n", "line 3: the client waits for the server, and does not connect",
			"line 3: the client waits for the server, and does not connect"},
		{"C: a\n*: [delay 1h]\nS: b\n*: [end]", "a\r\n", "b\r\n", "", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, err := dialogue.Parse(x.script)
			if err != nil {
				t.Fatal(err)
			}
			o := dialogue.NoFaults()
			o.Patience = 5 * time.Second
			p, err := dialogue.NewPlayer(s, &o)
			if err != nil {
				t.Fatal(err)
			}
			c, err := p.Dial(t.Context(), "tcp", "h:1")
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour) // a client that does not read may take its time
			io.WriteString(c, x.sends)
			b, err := io.ReadAll(c)
			if err == nil {
				err = io.EOF
			}
			if got := strings.TrimSuffix(err.Error(), "EOF"); string(b) != x.got || !strings.Contains(got, x.read) {
				t.Errorf("%q: got %q, %v, want %q, %q", x.script, b, err, x.got, x.read)
			}
			c.Close()
			closed := ""
			if err := p.Close(); err != nil {
				closed = err.Error()
			}
			if closed != x.closed {
				t.Errorf("%q: Close: got %q, want %q", x.script, closed, x.closed)
			}
		})
	}
}

// A client that waits for a datagram that an edited script does not have gets an error, too.
func TestPatienceForDatagrams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := dialogue.Parse("C0: ping\nC0: ping\nS0: pong")
		o := dialogue.NoFaults()
		o.Patience = time.Second
		p, err := dialogue.NewPlayer(s, &o)
		if err != nil {
			t.Fatal(err)
		}
		sock, _, err := p.Datagrams(t.Context(), "192.0.2.1:1")
		if err != nil {
			t.Fatal(err)
		}
		sock.WriteTo([]byte("ping"), nil)
		want := `line 2: the client waits for the server, and does not send "ping"`
		if _, _, err := sock.ReadFrom(make([]byte, 9)); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		sock.Close()
		if err := p.Close(); err == nil || err.Error() != want {
			t.Errorf("Close: got %v, want %s", err, want)
		}
	})
}

// Frames are recorded with escapes, below their words. A text in them is not divided between rows.
func TestRecorderOfFrames(t *testing.T) {
	var b strings.Builder
	r := dialogue.NewRecorder(&b)
	long := append(bytes.Repeat([]byte{0xff}, 60), "a text that is longer than the rest of a row\x00\\\r\n "...)
	r.Trace(fetch.Event{Conn: 1, Dir: 'C', Data: []byte("\x30\x00******** \n"), Frames: []string{"one", "two"}})
	r.Trace(fetch.Event{Conn: 1, Dir: 'S', Data: long, Frames: []string{"three"}})
	r.Trace(fetch.Event{Dir: 'S', Data: long, Frames: []string{"a datagram"}})
	r.Trace(fetch.Event{Conn: 1, Dir: 'S', Data: []byte{0, 1, 2}})
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	ff := strings.Repeat(`\xff`, 60) + `a text that is longer than the rest of a row\` + "\n"
	want := "# C: one\n# C: two\nC: 0\\x00******** \\n\\\n# S: three\nS: " + ff + "S: \\x00\\\\\\r\\n \\\n# S: a datagram\nS0: " + ff + "S0: \\x00\\\\\\r\\n\\x20\nS= AAEC\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s, err := dialogue.Parse("\ufeff" + strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", "\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := bytesOf(s, 1, 'S'), append(bytes.Clone(long), 0, 1, 2); !bytes.Equal(got, want) {
		t.Errorf("got %q after an editor, want %q", got, want)
	}
	if got := bytesOf(s, 0, 'S'); !bytes.Equal(got, long) {
		t.Errorf("got the datagram %q after an editor, want %q", got, long)
	}
}

// place has a server of each protocol, over the same files.
type place struct {
	ftp, ftps, gopher, gophers, http, https string
	roots                                   *x509.CertPool
}

func newPlace(t *testing.T) *place {
	t.Helper()
	fsys := fstest.MapFS{
		"about.txt": {Data: []byte("All about us.\n.\nend")}, "dir/pic.gif": {Data: []byte("GIF89a\x00\xff\x01\x02\x03")},
		"big.bin": {Data: []byte(strings.Repeat("0123456789abcde\n", 20000))},
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(fsys))
	mux.Handle("/moved", http.RedirectHandler("/about.txt", http.StatusFound))
	plain, secure := httptest.NewServer(mux), httptest.NewTLSServer(mux)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	cfg := &tls.Config{Certificates: secure.TLS.Certificates}
	users := map[string]ftptest.User{"alice": {Password: "open sesame"}}
	f, fs := ftptest.NewServer(fsys, &ftptest.Options{Users: users}),
		ftptest.NewServer(fsys, &ftptest.Options{Users: users, TLS: cfg, RequireTLS: true})
	g, gs := gophertest.NewServer(fsys, nil), gophertest.NewServer(fsys, &gophertest.Options{TLS: cfg})
	t.Cleanup(func() { f.Close(); fs.Close(); g.Close(); gs.Close() })
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	login := func(u string) string { return strings.Replace(u, "//", "//alice:open%20sesame@", 1) }
	return &place{login(f.URL), login(fs.URL), g.URL, gs.URL, plain.URL, secure.URL, roots}
}

func everything() *fetch.Client {
	var all []fetch.Scheme
	all = append(append(append(all, gopher.Schemes()...), ftp.Schemes(nil)...), schemehttp.Schemes(nil)...)
	return fetch.New(all...)
}

// outcome is the result that a user sees.
type outcome struct {
	body, typ, final string
	size             int64
	kind             fetch.Kind
}

func look(t *testing.T, c *fetch.Client, u string, o fetch.Options, trace func(fetch.Event)) outcome {
	t.Helper()
	defer c.Close()
	o.Trace = trace
	d, err := c.Get(t.Context(), uri.MustParse(u), &o)
	out := outcome{}
	if d != nil {
		b, rerr := io.ReadAll(d.Body)
		d.Body.Close()
		out = outcome{body: string(b), typ: d.Type, final: d.URI.String(), size: d.Size}
		err = errors.Join(err, rerr)
	}
	out.kind = fetch.KindOf(err)
	return out
}

// TestRecordAndReplay: replaying a recorded dialogue gives the same result without a server.
func TestRecordAndReplay(t *testing.T) {
	p := newPlace(t)
	for _, u := range []string{
		p.gopher + "/0/about.txt", p.gopher + "/1/", p.gopher + "/g/dir/pic.gif", p.gopher + "/0/none", p.gophers + "/0/about.txt",
		p.ftp + "/about.txt", p.ftp + "/dir/", p.ftp + "/dir/pic.gif", p.ftp + "/none", p.ftp + "/big.bin", p.ftps + "/about.txt",
		p.ftps + "/dir/",
		strings.Replace(p.ftp, "sesame", "barley", 1) + "/about.txt",
		p.ftp + "/about.txt#active", p.ftp + "/dir/#active", p.ftps + "/dir/pic.gif#active", p.ftp + "/none#active",
		p.http + "/about.txt", p.http + "/moved", p.http + "/none", p.http + "/big.bin", p.https + "/about.txt", p.https + "/moved",
	} {
		t.Run(u, func(t *testing.T) {
			u, active := strings.CutSuffix(u, "#active")
			o := fetch.Options{}
			if active { // the server connects to us
				o.Set = map[string][]string{"ftp.active": {"yes"}}
			}
			var b strings.Builder
			r := dialogue.NewRecorder(&b)
			c := everything()
			c.TLS = &tls.Config{RootCAs: p.roots}
			first := look(t, c, u, o, r.Trace)
			if err := r.Flush(); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(b.String(), "sesame") {
				t.Errorf("the password is in\n%s", b.String())
			}
			s, err := dialogue.Parse(b.String())
			if err != nil {
				t.Fatal(err)
			}
			player, err := dialogue.NewPlayer(s, nil)
			if err != nil {
				t.Fatal(err)
			}
			c = everything()
			player.Attach(c)
			second := look(t, c, u, o, nil)
			if err := player.Close(); err != nil {
				t.Errorf("the replay deviates: %v in\n%s", err, head(b.String()))
			}
			if first != second {
				t.Errorf("replaying gives %.300v, want %.300v, from\n%s", second, first, head(b.String()))
			}
		})
	}
}

func head(s string) string { return s[:min(len(s), 3000)] }
