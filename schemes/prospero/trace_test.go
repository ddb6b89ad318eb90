package prospero

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/schemes/prospero/internal/wire"
	"example.org/deref/uri"
)

// A datagram of an exchange captured from dirsrv PreAlpha.5.3.
type datagram struct {
	dir  byte
	data []byte
}

// capture reads testdata/traces/NAME.udp.
func capture(t testing.TB, name string) (list []datagram) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "traces", name+".udp"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		b, err := hex.DecodeString(strings.TrimSpace(line[2:]))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, datagram{line[0], b})
	}
	return list
}

// text returns the data of one side's packets, each once.
func text(t testing.TB, list []datagram, dir byte) (b []byte, first wire.Header, size int) {
	for _, d := range list {
		h, data, err := wire.Decode(d.data)
		if err != nil {
			t.Fatal(err)
		}
		if d.dir != dir || h.Number == 0 {
			continue
		}
		if b == nil {
			first, size = h, len(data)
		}
		b = append(b, data...)
	}
	return b, first, size
}

func traces(t testing.TB) (names []string) {
	list, err := filepath.Glob(filepath.Join("testdata", "traces", "*.udp"))
	if err != nil || len(list) != 25 {
		t.Fatalf("got %d traces, %v, want 25", len(list), err)
	}
	for _, f := range list {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".udp"))
	}
	return names
}

// A repeater sends one message and returns the raw reply.
type repeater struct {
	message []byte
	window  uint16
	size    int
}

func (r repeater) plan(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
	addr, err := u.HostPort(port)
	return &fetch.Plan{Network: "udp", Addr: addr, Steps: []fetch.Step{{Verb: "x"}}, Run: r.run}, err
}

func (r repeater) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	net, err := env.Packets(ctx, p.Addr)
	if err != nil {
		return nil, err
	}
	c := &exchange{net: net, ctx: ctx, idle: env.Timeouts().Idle, cid: 0x1234}
	c.startBody()
	if err := c.begin(r.message, r.window); err != nil {
		return nil, err
	}
	return fetch.NewDocument(io.NopCloser(c)), nil
}

// TestTracesAsClient checks that for the message of a trace, the client sends the same datagrams in the same order, and reads the whole reply.
// Two traces were captured with another client (other packet sizes, a priority). They only check the reply.
func TestTracesAsClient(t *testing.T) {
	for _, name := range traces(t) {
		list := capture(t, name)
		request, first, size := text(t, list, 'C')
		want, _, _ := text(t, list, 'S')
		script := ""
		for _, d := range list {
			if (name == "request-two-packets" || name == "priority") && d.dir == 'C' {
				if script == "" {
					script = "C0= " + base64.StdEncoding.EncodeToString(packets(request, 0x1234, first.Window, packetData)[0]) + "\n"
				}
				continue
			}
			script += fmt.Sprintf("%c0= %s\n", d.dir, base64.StdEncoding.EncodeToString(d.data))
		}
		s, err := dialogue.Parse(script)
		if err != nil {
			t.Fatal(err)
		}
		faults := dialogue.NoFaults()
		faults.Strict = true
		p, err := dialogue.NewPlayer(s, &faults)
		if err != nil {
			t.Fatal(err)
		}
		c := fetch.New(fetch.Scheme{Names: []string{"x"}, Plan: repeater{request, first.Window, size}.plan})
		p.Attach(c)
		_, body, err := get(t, "x://h", c)
		if perr := p.Close(); err != nil || perr != nil || body != string(want) {
			t.Errorf("%s: got %d bytes, %v, %v, want %d", name, len(body), err, perr, len(want))
		}
	}
}

// TestTracesRead checks the meaning of each reply.
func TestTracesRead(t *testing.T) {
	srv := server{host: "pros.example", port: port}
	own := place{hostType: "INTERNET-D", host: "pros.example", hsoType: "ASCII", hsoname: "AFTP/x"}
	for name, want := range map[string]string{
		"goi-access-method": "ftp://pros.example/pub/papers/tides.txt;type=i",
		"goi-all":           "ftp://pros.example/pub/papers/tides.txt;type=i",
		"goi-quoted":        "ftp://pros.example/pub/papers/it%27s.txt;type=i",
		"priority":          "ftp://pros.example/pub/papers/tides.txt;type=i",
		"goi-missing":       "notfound", "goi-forbidden": "refused", "not-a-directory": "notfound", "error": "protocol",
		"version-bad":   "unsupported",
		"goi-directory": "", "two-commands": "", "version": "",
	} {
		reply, _, _ := text(t, capture(t, name), 'S')
		about, err := readInfo(wire.NewScanner(bytes.NewReader(reply), 1<<20))
		got := string(fetch.KindOf(err))
		list, _ := srv.referrals(about.attributes, own)
		for _, r := range list {
			got += r.URI.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestTracesList: the entries of the directories.
func TestTracesList(t *testing.T) {
	const here = "prospero://pros.example:21525/"
	for name, want := range map[string]string{
		"list":           "dir " + here + "AFTP/pub/pictures -1,dir " + here + "AFTP/pub/papers -1",
		"list-none":      "",
		"list-component": "file " + here + "AFTP/pub/papers/tides.txt 148",
		"list-external":  "file gopher://pros.example:7070/00/notes/one%20two -1,dir " + here + "AFTP/pub -1",
		"list-unresolved": "dir prospero://far.example.org/AFTP/pub -1,link prospero://far.example.org/AFTP/pub/papers/tides.txt -1,link " +
			here + "AFTP/pub/papers/tides.txt -1,dir " + here + "AFTP/pub -1",
		"list-links": "file gopher://pros.example:7070/00/notes/one%20two -1,file " + here +
			"AFTP/pub/papers/tides.txt -1,file prospero://archive.example.org//pub/thing -1," +
			"dir prospero://far.example.org/AFTP/pub -1,link  -1,file " + here + "AFTP/pub/papers/two%20words.txt -1,dir " + here + "AFTP/pub -1",
	} {
		if got := strings.Join(entries(t, name), ","); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	for name, n := range map[string]int{"list-attributes": 6, "list-window4": 61} {
		if got := entries(t, name); len(got) != n {
			t.Errorf("%s: got %d entries, want %d", name, len(got), n)
		}
	}
}

func entries(t testing.TB, name string) (got []string) {
	reply, _, _ := text(t, capture(t, name), 'S')
	l := &lister{session: &session{server: server{host: "pros.example", port: port}}, scan: wire.NewScanner(bytes.NewReader(reply), 1<<20)}
	l.odd = func(text string) {
		t.Errorf("%s: got a LINK line of %s, want none from an original server", name, text)
	}
	line, err := l.scan.Line()
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range l.entries(line) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(e.Kind, " ", e.URI, " ", e.Size))
	}
	return got
}

// TestTracesContents checks the contents byte for byte, of the long one by its checksum.
func TestTracesContents(t *testing.T) {
	for name, n := range map[string]int{"contents-text": 148, "contents-long": 123015, "contents-gif": 331} {
		reply, _, _ := text(t, capture(t, name), 'S')
		s := wire.NewScanner(bytes.NewReader(reply), 1<<20)
		if line, err := s.LineUntil(isContents); err != nil || !isContents(line) {
			t.Fatalf("got %q, %v, want the line before the contents", line, err)
		}
		b, err := io.ReadAll(s.Value())
		if err != nil || len(b) != n {
			t.Errorf("%s: got %d bytes, %v, want %d", name, len(b), err, n)
		}
	}
}

// FuzzReply checks that a reply never causes a panic or URIs of schemes that no method has.
func FuzzReply(f *testing.F) {
	for _, name := range traces(f) {
		reply, _, _ := text(f, capture(f, name), 'S')
		if len(reply) < 5000 {
			f.Add(reply)
		}
	}
	f.Fuzz(func(t *testing.T, reply []byte) {
		srv := server{host: "pros.example", port: port}
		about, _ := readInfo(wire.NewScanner(bytes.NewReader(reply), 1<<16))
		list, _ := srv.referrals(about.attributes, place{hostType: "INTERNET-D", host: "pros.example", hsoname: "x"})
		list = append(list, (&session{server: srv, request: new(request)}).elsewhere(about)...)
		for _, r := range list {
			if !strings.Contains(" ftp gopher wais http afs telnet tn3270 rlogin prospero ", " "+r.URI.Scheme()+" ") {
				t.Fatalf("%q refers to %s, want a scheme that methods have", reply, r.URI)
			}
		}
		l := &lister{session: &session{server: srv}, scan: wire.NewScanner(bytes.NewReader(reply), 1<<16)}
		odd, unknown := 0, 0
		l.odd = func(string) { odd++ }
		line, _ := l.scan.Line()
		for e, err := range l.entries(line) {
			if err == nil && !e.URI.IsZero() && !e.URI.IsAbs() {
				t.Fatalf("%q: got entry %v, want an absolute URI", reply, e)
			}
			if e.Kind == fetch.KindUnknown && strings.HasPrefix(e.Title, "LINK") {
				unknown++
			}
		}
		if unknown < odd {
			t.Fatalf("%q: got %d entries of unknown kind, want one for each of %d odd LINK lines", reply, unknown, odd)
		}
	})
}

// FuzzPackets checks that a repeated packet is stored once.
func FuzzPackets(f *testing.F) {
	f.Add([]byte("\x03\x124hello"))
	f.Add([]byte("\x07\x124\x00\x01\x00\x02ab"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, data, err := wire.Decode(b)
		if err != nil || h.Flags&wire.PleaseAck != 0 {
			return
		}
		c := &exchange{ahead: map[uint16][]byte{}, out: [][]byte{{}}}
		c.handle(h, data)
		if c.handle(h, data); len(c.ahead) > 1 {
			t.Fatalf("%x is stored %d times, want once", b, len(c.ahead))
		}
	})
}
