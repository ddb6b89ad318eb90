package prospero

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/schemes/prospero/prosperotest"
	"example.org/deref/uri"
)

func files() fstest.MapFS {
	long := strings.Repeat("it's a long line\n", 5000)
	return fstest.MapFS{
		"pub/tides.txt":  {Data: []byte("high tide\nisn't low\n")},
		"pub/long.txt":   {Data: []byte(long)},
		"pub/bytes.bin":  {Data: allOctets()},
		"pub/two w.txt":  {Data: []byte("x")},
		"pub/void":       {Data: nil},
		"pub/deep/a.txt": {Data: []byte("a")},
	}
}

func allOctets() []byte {
	b := make([]byte, 256)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

// quick is the scheme with short delays.
func quick() fetch.Scheme {
	return (&ardp{randomID, 20 * time.Millisecond}).scheme()
}

func get(t *testing.T, url string, c *fetch.Client) (*fetch.Document, string, error) {
	t.Helper()
	if c == nil {
		c = fetch.New(quick())
	}
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse(url), nil)
	if d == nil {
		return nil, "", err
	}
	defer d.Body.Close()
	b, rerr := io.ReadAll(d.Body)
	return d, string(b), errors.Join(err, rerr)
}

func TestContents(t *testing.T) {
	fsys := files()
	s := prosperotest.NewServer(fsys, nil)
	defer s.Close()
	for path, name := range map[string]string{"AFTP/pub/tides.txt": "pub/tides.txt", "AFTP/pub/long.txt": "pub/long.txt",
		"AFTP/pub/bytes.bin": "pub/bytes.bin", "AFTP/pub/two%20w.txt": "pub/two w.txt", "AFTP/pub/void": "pub/void"} {
		_, body, err := get(t, s.URL+"/"+path, nil)
		if err != nil || body != string(fsys[name].Data) {
			t.Errorf("%s: got %d bytes, %v, want %d", path, len(body), err, len(fsys[name].Data))
		}
	}
}

// TestContentsAsFallBack checks that the server itself is tried if the method that it prefers fails.
func TestContentsAsFallBack(t *testing.T) {
	gone := prosperotest.NewServer(files(), nil)
	gone.Close()
	s := prosperotest.NewServer(files(), &prosperotest.Options{FTP: gone.Addr})
	defer s.Close()
	want, _, err := get(t, s.URL+"/AFTP/pub/tides.txt;ACCESS-METHOD=PROSPERO-CONTENTS", nil)
	if err != nil || len(want.Via) != 0 {
		t.Fatalf("got %+v, %v, want a document without referrals", want, err)
	}
	d, text, err := get(t, s.URL+"/AFTP/pub/tides.txt", fetch.New(quick(), broken("ftp")))
	if err != nil || len(d.Via) != 1 || text != string(files()["pub/tides.txt"].Data) || d.End != fetch.EndTerminated {
		t.Errorf("got %+v, %q, %v, want the file after one referral", d, text, err)
	}
	// In modes without fields that cannot be requested, so the first error remains.
	c := fetch.New(quick(), broken("ftp"))
	defer c.Close()
	if _, err := c.Get(context.Background(), uri.MustParse(s.URL+"/AFTP/pub/tides.txt"),
		&fetch.Options{Mode: uri.URL6}); fetch.KindOf(err) != fetch.ErrConnect {
		t.Errorf("got %v, want kind %s", err, fetch.ErrConnect)
	}
}

// broken is a scheme whose servers cannot be reached.
func broken(name string) fetch.Scheme {
	return fetch.Scheme{Names: []string{name}, Does: fetch.Does{Retrieves: true}, Plan: planUnreachable}
}

func planUnreachable(uri.URI, *fetch.Options) (*fetch.Plan, error) {
	run := func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
		return nil, fetch.Errorf(fetch.ErrConnect, "nobody is there")
	}
	return &fetch.Plan{Steps: []fetch.Step{{Verb: "try"}}, Run: run}, nil
}

func TestRefusals(t *testing.T) {
	s := prosperotest.NewServer(files(), nil)
	defer s.Close()
	for path, kind := range map[string]fetch.Kind{"AFTP/none": fetch.ErrNotFound, "/etc/hosts": fetch.ErrRefused} {
		if _, _, err := get(t, s.URL+"/"+path, nil); !errors.Is(err, kind) {
			t.Errorf("%s: got %v, want kind %s", path, err, kind)
		}
	}
	if _, _, err := get(t, s.URL+"/AFTP/pub/tides.txt%00", nil); err != nil {
		t.Errorf("an empty version: got %v, want the object", err)
	}
	o := &fetch.Options{Range: fetch.Range{From: 1}}
	if _, err := fetch.New(quick()).Get(context.Background(), uri.MustParse(s.URL+"/AFTP/pub/tides.txt"), o); !errors.Is(err, fetch.ErrRange) {
		t.Errorf("a range: got %v, want kind %s", err, fetch.ErrRange)
	}
}

// TestLoss: datagrams that are lost, doubled, out of order, or sent again with the id swapped.
func TestLoss(t *testing.T) {
	var held []byte
	for name, fault := range map[string]prosperotest.Fault{
		"lost": func(n int, d []byte) [][]byte {
			if n%5 == 1 {
				return nil
			}
			return [][]byte{d}
		},
		"doubled": func(_ int, d []byte) [][]byte { return [][]byte{d, d} },
		"out of order": func(n int, d []byte) [][]byte {
			if n%4 == 1 {
				held = bytes.Clone(d)
				return nil
			}
			list := [][]byte{d}
			if held != nil {
				list, held = append(list, held), nil
			}
			return list
		},
		"swapped": func(_ int, d []byte) [][]byte {
			d = bytes.Clone(d)
			d[1], d[2] = d[2], d[1]
			return [][]byte{d}
		},
		"among others": func(_ int, d []byte) [][]byte {
			other := bytes.Clone(d)
			other[1]++
			other[len(other)-1] = 'X'
			return [][]byte{nil, []byte("hello"), other, d}
		},
		"after a wait": func(n int, d []byte) [][]byte {
			if n == 0 {
				return [][]byte{{11, d[1], d[2], 0, 0, 0, 0, 0, 0, 0, 1}, d}
			}
			return [][]byte{d}
		},
	} {
		s := prosperotest.NewServer(files(), &prosperotest.Options{Fault: fault})
		_, body, err := get(t, s.URL+"/AFTP/pub/long.txt", nil)
		if err != nil || body != string(files()["pub/long.txt"].Data) {
			t.Errorf("%s: got %d bytes, %v, want %d", name, len(body), err, len(files()["pub/long.txt"].Data))
		}
		s.Close()
	}
}

// TestControl: messages that a server sends by the header alone.
func TestControl(t *testing.T) {
	for name, c := range map[string]struct {
		packet func(n int, d []byte) []byte
		kind   fetch.Kind
	}{
		"refused":   {func(_ int, d []byte) []byte { return []byte{13, d[1], d[2], 0, 0, 0, 0, 0, 0, 0, 0, 0, 1} }, fetch.ErrRefused},
		"silent":    {func(int, []byte) []byte { return nil }, fetch.ErrTimeout},
		"wait":      {func(_ int, d []byte) []byte { return []byte{11, d[1], d[2], 0, 0, 0, 0, 0, 0, 3, 132} }, fetch.ErrTimeout},
		"two sizes": {func(n int, d []byte) []byte { return []byte{7, d[1], d[2], 0, 3, 0, 9 - byte(n&1)} }, fetch.ErrProtocol},
		"void":      {func(_ int, d []byte) []byte { return []byte{7, d[1], d[2], 0, 1, 0, 1} }, fetch.ErrProtocol},
		"circle": {func(_ int, d []byte) []byte {
			return []byte{19, d[1], d[2], 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1, 0, 25}
		}, fetch.ErrRefusedPort},
	} {
		s := prosperotest.NewServer(files(), &prosperotest.Options{Fault: func(n int, d []byte) [][]byte { return [][]byte{c.packet(n, d)} }})
		client := fetch.New(quick())
		if c.kind == fetch.ErrTimeout {
			client.Timeouts.Idle = 200 * time.Millisecond
		}
		if _, _, err := get(t, s.URL+"/AFTP/pub/long.txt", client); !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want kind %s", name, err, c.kind)
		}
		s.Close()
	}
}

func TestListing(t *testing.T) {
	s := prosperotest.NewServer(files(), &prosperotest.Options{Links: map[string][]string{"links": {
		"LINK  U DIRECTORY union INTERNET-D 127.0.0.1(1) ASCII '/u' 0",
		"LINK  L EXTERNAL menu INTERNET-D localhost(7070) ASCII '0/notes/one two' 0",
		"ATTRIBUTE CACHED FIELD ACCESS-METHOD GOPHER INTERNET-D localhost(7070) ASCII '0/notes/one two'",
		"LINK L FILE elsewhere INTERNET-D archive.example.org ASCII '/pub/it''s' 3",
		"LINK L SYMBOLIC sym VIRTUAL-SYSTEM '/here' ASCII '/papers' 0",
		"LINK L FILE 'bad host' INTERNET-D 'a b' ASCII /x 0",
		"LINK L FILE",
	}}})
	defer s.Close()
	d, body, err := get(t, s.URL+"/links", nil)
	if err != nil || d.Type != fetch.ListingType {
		t.Fatal(err)
	}
	want := `{"uri":"gopher://127.0.0.1:7070/00/notes/one%20two","title":"menu","kind":"file","attr":{"access-method":["GOPHER INTERNET-D localhost(7070) ASCII '0/notes/one two'"]}}
{"uri":"prospero://archive.example.org//pub/it%27s%003","title":"elsewhere","kind":"file"}
{"title":"sym","kind":"link","attr":{"target":["/papers"]}}
{"title":"bad host","kind":"file"}
{"title":"LINK L FILE","kind":"unknown"}
{"uri":"prospero://127.0.0.1:1//u","title":"union","kind":"dir","attr":{"union":["yes"]}}
`
	if body != want {
		t.Errorf("got\n%s\nwant\n%s", body, want)
	}
	_, body, err = get(t, s.URL+"/AFTP/pub", nil)
	if err != nil || strings.Count(body, "\n") != 6 || !strings.Contains(body,
		fmt.Sprintf(`{"uri":"prospero://%s/AFTP/pub/tides.txt","title":"tides.txt","kind":"file","size":20`, s.Addr)) {
		t.Errorf("got %v\n%s\nwant 6 entries with tides.txt", err, body)
	}
}

// TestDirectories: dirsrv returns the methods of a file for a directory, too, but no contents. The directory is listed, whichever method is
// requested.
func TestDirectories(t *testing.T) {
	s := prosperotest.NewServer(files(), &prosperotest.Options{
		Methods:  map[string][]string{"old": {"PROSPERO-CONTENTS '' '' '' ''", "LOCAL '' '' '' ''"}},
		Contents: map[string]string{"old": "NONE-FOUND\n"},
		Links:    map[string][]string{"old": {"LINK L FILE x INTERNET-D h.example ASCII /x 0"}},
	})
	defer s.Close()
	for path, want := range map[string]string{"old": "x", "AFTP": "pub", "AFTP/pub/deep": "a.txt"} {
		_, body, err := get(t, s.URL+"/"+path, nil)
		if err != nil || !strings.Contains(body, `"title":"`+want+`"`) || strings.Count(body, "\n") != 1 {
			t.Errorf("%s: got %q, %v, want the link %s", path, body, err, want)
		}
	}
	if _, _, err := get(t, s.URL+"/AFTP/pub;ACCESS-METHOD=PROSPERO-CONTENTS", nil); !errors.Is(err, fetch.ErrNotFound) {
		t.Errorf("contents of a directory: got %v, want %s", err, fetch.ErrNotFound)
	}
	// Without UNIX-MODES the answers are those of a file.
	var asked []string
	for _, l := range s.Transcript() {
		asked = append(asked, strings.Split(l, "\n")...)
	}
	if want := "GET-OBJECT-INFO ACCESS-METHOD+SIZE+UNIX-MODES ASCII AFTP/pub/deep 0"; !slices.Contains(asked, want) {
		t.Errorf("got the requests %q, want %s among them", asked, want)
	}
}

// TestItemTypes: the last word of the method GOPHER is a transfer mode or an item type, that of AFTP a transfer mode.
func TestItemTypes(t *testing.T) {
	at := place{hostType: "INTERNET-D", host: "h", hsoType: "ASCII", hsoname: "1/x"}
	for _, c := range []struct{ method, extra, want string }{
		{"GOPHER", "TEXT", "gopher://h/01/x"}, {"GOPHER", "ASCII", "gopher://h/01/x"}, {"GOPHER", "text", "gopher://h/01/x"},
		{"GOPHER", "BINARY", "gopher://h/91/x"}, {"GOPHER", "IMAGE", "gopher://h/91/x"},
		{"GOPHER", "0", "gopher://h/01/x"}, {"GOPHER", "g", "gopher://h/g1/x"}, {"GOPHER", "T", "gopher://h/T1/x"},
		{"GOPHER", "+", "gopher://h/+1/x"},
		{"GOPHER", "", "gopher://h/11/x"}, {"GOPHER", "MENU", "gopher://h/11/x"},
		{"AFTP", "ASCII", "ftp://h/1/x;type=a"}, {"AFTP", "TEXT", "ftp://h/1/x;type=a"}, {"AFTP", "BINARY", "ftp://h/1/x;type=i"},
		{"AFTP", "IMAGE", "ftp://h/1/x;type=i"},
		{"FTP", "ascii", "ftp://h/%2F1/x;type=a"}, {"AFTP", "", "ftp://h/1/x"}, {"AFTP", "EBCDIC", "ftp://h/1/x"},
	} {
		if got := (server{}).write(c.method, at, c.extra); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.method, c.extra, got, c.want)
		}
	}
}

// TestSilence checks that a server that sends nothing causes a timeout within 30 s, unless it has requested a longer wait.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &mute{}
		c := fetch.New(Scheme())
		c.Datagrams = func(context.Context, string) (net.PacketConn, netip.AddrPort, error) {
			return server, netip.MustParseAddrPort("192.0.2.1:1525"), nil
		}
		began := time.Now()
		_, _, err := get(t, "prospero://p.example//AFTP/pub/long.txt", c)
		if took := time.Since(began); fetch.KindOf(err) != fetch.ErrTimeout || took != 30*time.Second {
			t.Errorf("got %v after %v, want a timeout after 30 s", err, took)
		}
		var at []time.Duration
		for _, sent := range server.sent {
			at = append(at, sent.Sub(began))
		}
		if want := []time.Duration{0, 4 * time.Second, 12 * time.Second, 28 * time.Second, 30 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("got packets at %v, want them at %v, the last of them to cancel", at, want)
		}
	})
}

// mute is a socket whose peer never answers.
type mute struct {
	net.PacketConn // for the methods that are not called
	sent           []time.Time
	deadline       time.Time
}

func (m *mute) WriteTo(b []byte, _ net.Addr) (int, error) {
	m.sent = append(m.sent, time.Now())
	return len(b), nil
}

func (m *mute) SetReadDeadline(at time.Time) error {
	m.deadline = at
	return nil
}

func (m *mute) ReadFrom([]byte) (int, net.Addr, error) {
	time.Sleep(time.Until(m.deadline))
	return 0, nil, os.ErrDeadlineExceeded
}

func (*mute) Close() error { return nil }

// TestReferrals: methods become URIs, in the server's order.
func TestReferrals(t *testing.T) {
	s := prosperotest.NewServer(files(), &prosperotest.Options{
		Methods: map[string][]string{"/o": {
			"PROSPERO-CONTENTS '' '' '' ''", "LOCAL '' '' '' '/loc'", "TELNET INTERNET-D t.example(2323) '' ''",
			"AFTP INTERNET-D F.EXAMPLE ASCII '/a b' BINARY", "FTP INTERNET-D f.example ASCII /abs TEXT",
			"GOPHER INTERNET-D g.example(7070) ASCII '/x' 1", "RCP INTERNET-D r ASCII /x", "HTTP INTERNET-D w.example ASCII /i?q",
			"AFS '' '' '' /cell/x", "WAIS INTERNET-D w.example(210) ASCII WAIS/OBJECT/db/TEXT/1",
			"AFTP INTERNET-D 'f/..' ASCII /x", "AFTP INTERNET-D f(99999) ASCII /x", "PROSPERO-CONTENTS INTERNET-D p.example ASCII /y", "X",
		}},
		Forward: map[string]string{"/f": "far.example.org(191)"},
	})
	defer s.Close()
	for path, want := range map[string]string{
		"/o": "ftp://f.example/a%20b;type=i ftp://f.example/%2Fabs;type=a gopher://g.example:7070/1/x http://w.example/i?q afs://cell/x " +
			"wais://w.example/db/TEXT/1 prospero://p.example//y SELF;ACCESS-METHOD=PROSPERO-CONTENTS telnet://t.example:2323 file:///loc",
		"/f": "prospero://far.example.org:191//f",
	} {
		c := fetch.New(quick())
		c.Policy.NoFollow = true
		d, _, err := get(t, s.URL+"/"+path, c)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range d.Referrals {
			got = append(got, r.URI.String())
		}
		if strings.Join(got, " ") != strings.ReplaceAll(want, "SELF", s.URL+"/"+path) {
			t.Errorf("%s: got %s, want %s", path, strings.Join(got, " "), want)
		}
	}
}

func TestForwardedCircle(t *testing.T) {
	s := prosperotest.NewServer(files(), nil)
	s.Close() // its port is free now
	forward := map[string]string{"/f": "127.0.0.1(" + strings.TrimPrefix(s.Addr, "127.0.0.1:") + ")"}
	s = prosperotest.NewServer(files(), &prosperotest.Options{Addr: s.Addr, Forward: forward})
	defer s.Close()
	if _, _, err := get(t, s.URL+"//f", nil); !errors.Is(err, fetch.ErrRedirect) {
		t.Errorf("got %v, want kind %s", err, fetch.ErrRedirect)
	}
}

func TestMetadata(t *testing.T) {
	s := prosperotest.NewServer(files(), nil)
	defer s.Close()
	d, err := fetch.New(quick()).Get(context.Background(), uri.MustParse(s.URL+"/AFTP/pub/tides.txt"), &fetch.Options{Op: fetch.Metadata})
	if err != nil || d.Size != 20 || d.Type != "text/plain" || d.Header.Get("Unix-Modes") == "" {
		t.Errorf("got %+v, %v, want text/plain of 20 bytes with Unix-Modes", d, err)
	}
}

// TestRedirected checks that the request is repeated at the address in the header.
func TestRedirected(t *testing.T) {
	there := prosperotest.NewServer(files(), nil)
	defer there.Close()
	to := netip.MustParseAddrPort(there.Addr)
	here := prosperotest.NewServer(files(), &prosperotest.Options{Fault: func(_ int, d []byte) [][]byte {
		return [][]byte{{19, d[1], d[2], 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1, byte(to.Port() >> 8), byte(to.Port())}}
	}})
	defer here.Close()
	d, body, err := get(t, here.URL+"/AFTP/pub/deep/a.txt", nil)
	if err != nil || body != "a" || d.URI.String() != there.URL+"/AFTP/pub/deep/a.txt" {
		t.Errorf("got %q, %v, want a from the other server", body, err)
	}
}

// TestLongRequest: a name that needs several packets.
func TestLongRequest(t *testing.T) {
	name := strings.Repeat("long name/", 400) + "x"
	fsys := fstest.MapFS{name: {Data: []byte("far down")}}
	lose := 0
	s := prosperotest.NewServer(fsys, &prosperotest.Options{Fault: func(_ int, d []byte) [][]byte {
		if lose++; lose == 1 {
			return nil
		}
		return [][]byte{d}
	}})
	defer s.Close()
	if _, body, err := get(t, s.URL+"/AFTP/"+strings.ReplaceAll(name, " ", "%20"), nil); err != nil || body != "far down" {
		t.Errorf("got %q, %v, want far down", body, err)
	}
}

// TestUnspeakable checks that the error names the methods that are not supported.
func TestUnspeakable(t *testing.T) {
	s := prosperotest.NewServer(files(), &prosperotest.Options{Methods: map[string][]string{"AFTP/pub/void": {"NFS INTERNET-D h ASCII /x fs",
		"RCP '' '' '' ''"}}})
	defer s.Close()
	if _, _, err := get(t, s.URL+"/AFTP/pub/void", nil); !errors.Is(err, fetch.ErrUnsupported) || !strings.Contains(err.Error(), "NFS, RCP") {
		t.Errorf("got %v, want kind %s with NFS, RCP", err, fetch.ErrUnsupported)
	}
}

func BenchmarkContents(b *testing.B) {
	s := prosperotest.NewServer(files(), nil)
	defer s.Close()
	c := fetch.New(Scheme())
	u := uri.MustParse(s.URL + "/AFTP/pub/long.txt")
	b.ReportAllocs()
	b.SetBytes(int64(len(files()["pub/long.txt"].Data)))
	for b.Loop() {
		d, err := c.Get(context.Background(), u, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, d.Body); err != nil {
			b.Fatal(err)
		}
		d.Body.Close()
	}
}

// TestReplay: a recording is replayed with the connection ID that it contains.
func TestReplay(t *testing.T) {
	s := prosperotest.NewServer(files(), nil)
	defer s.Close()
	var script strings.Builder
	rec := dialogue.NewRecorder(&script)
	u := uri.MustParse(s.URL + "/AFTP/pub/long.txt")
	o := &fetch.Options{Set: map[string][]string{settingID: {"65535"}}, Trace: rec.Trace}
	d, err := fetch.New(quick()).Get(context.Background(), u, o)
	if err != nil {
		t.Fatal(err)
	}
	want, err := io.ReadAll(d.Body)
	d.Body.Close()
	if rec.Flush(); err != nil {
		t.Fatal(err)
	}
	parsed, err := dialogue.Parse(script.String())
	if err != nil {
		t.Fatal(err)
	}
	p, err := dialogue.NewPlayer(parsed, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(Scheme())
	p.Attach(c)
	o.Trace = nil
	d, err = c.Get(context.Background(), u, o)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	if got, err := io.ReadAll(d.Body); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, %v, want %d", len(got), err, len(want))
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	o.Set[settingID] = []string{"0"}
	if _, err := fetch.New(quick()).Get(context.Background(), u, o); !errors.Is(err, fetch.ErrLocal) {
		t.Errorf("%s=0: got %v, want kind %s", settingID, err, fetch.ErrLocal)
	}
}
