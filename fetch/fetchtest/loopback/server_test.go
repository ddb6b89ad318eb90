package loopback

import (
	"bytes"
	"crypto/tls"
	"io"
	"io/fs"
	"net"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// A host is a server like those of the schemes.
type host struct {
	Server
	cfg *tls.Config
}

func listen(addr string) (*host, error) {
	h := &host{}
	var err error
	if h.cfg, err = Certify(h); err != nil {
		return nil, err
	}
	_, err = Start(h, "x", addr, h.serve)
	return h, err
}

func (h *host) serve(c net.Conn) {
	h.Net.Note("request " + h.URL)
	t := tls.Server(c, h.cfg)
	io.WriteString(t, h.Addr)
	Finish(t)
}

func TestBase(t *testing.T) {
	h := Must(listen(""))
	defer h.Close()
	if h.URL != "x://"+h.Addr {
		t.Errorf("got URL %q, want x://%s", h.URL, h.Addr)
	}
	c, err := tls.Dial("tcp", h.Addr, &tls.Config{RootCAs: h.Roots()})
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(c)
	c.Close()
	if string(b) != h.Addr || err != nil {
		t.Errorf("got %q, %v, want %q", b, err, h.Addr)
	}
	if !h.Wait(10 * time.Second) {
		t.Error("Wait returned false after the client had closed, want true")
	}
	if log := h.Transcript(); len(log) != 1 || log[0] != "request "+h.URL || h.Sessions() != 1 {
		t.Errorf("got %d sessions, transcript %q, want 1 session with a request", h.Sessions(), log)
	}
}

func TestMustNamesThePackage(t *testing.T) {
	h := Must(listen(""))
	defer h.Close()
	defer func() {
		if text, want := recover().(string), "loopback: listen tcp "+h.Addr; !strings.HasPrefix(text, want) {
			t.Errorf("panic %q, want %q", text, want)
		}
	}()
	Must(listen(h.Addr))
	t.Error("listening twice on one address works")
}

func TestOptions(t *testing.T) {
	type options struct{ Idle time.Duration }
	for _, row := range []struct {
		given *options
		want  time.Duration
	}{
		{nil, time.Minute},
		{&options{}, time.Minute},
		{&options{-1}, time.Minute},
		{&options{time.Second}, time.Second},
	} {
		o := Given(row.given)
		if Default(&o.Idle, time.Minute); o.Idle != row.want {
			t.Errorf("%v: got %v, want %v", row.given, o.Idle, row.want)
		}
	}
}

func TestFiles(t *testing.T) {
	site := fstest.MapFS{
		"a": {Data: []byte("text")}, "b/c": {}, "fifo": {Mode: fs.ModeNamedPipe},
		"most": {Data: make([]byte, maxRead)}, "more": {Data: make([]byte, maxRead+1)},
	}
	for name, want := range map[string]int{"a": 4, "b/c": 0, "most": maxRead, "more": -1, "b": -1, "x": -1, "../a": -1, "fifo": -1} {
		b, err := ReadFile(site, name)
		if (err == nil) != (want >= 0) || len(b) != max(want, 0) {
			t.Errorf("%s: got %d bytes, %v, want %d (-1: an error)", name, len(b), err, want)
		}
		var out bytes.Buffer
		err = SendFile(&out, site, name, "head ")
		switch {
		case name == "more":
			want = maxRead + 1 // SendFile does not hold it in memory
			fallthrough
		case want >= 0:
			if err != nil || out.Len() != want+5 || !strings.HasPrefix(out.String(), "head ") {
				t.Errorf("%s: %d bytes are sent, %v, want %d", name, out.Len(), err, want+5)
			}
		case err == nil || out.Len() > 0:
			t.Errorf("%s: got %q, %v, want an error", name, out.String(), err)
		}
	}
}
