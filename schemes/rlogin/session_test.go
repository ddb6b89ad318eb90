package rlogin

import (
	"context"
	"errors"
	"net"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/schemes/rlogin/rlogintest"
)

func site() fstest.MapFS {
	return fstest.MapFS{"motd": {Data: []byte("Welcome\nto the lab\n")}, "iac.bin": {Data: []byte("a\xff\xfeb\n")}}
}

func first(t *testing.T, c *fetch.Client, address string) (string, error) {
	t.Helper()
	_, body, err := fetchtest.GetWith(t, c, address, &fetch.Options{Set: map[string][]string{setIdle: {"0.1"}}})
	return body, err
}

func TestFirstScreen(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name string
		o    rlogintest.Options
		body string
		kind fetch.Kind
		text string
	}{
		{"ordinary", rlogintest.Options{Screen: "motd"}, "Welcome\r\nto the lab\r\nlab> ", fetch.ErrInteractive, "waits"},
		{"refused", rlogintest.Options{Refuse: "Permission denied."}, "", fetch.ErrRefused, "the host replied: Permission denied."},
	} {
		srv := rlogintest.NewServer(site(), &x.o)
		got, err := first(t, fetch.New(Scheme()), strings.Replace(srv.URL, "://", "://ann@", 1))
		if fetch.KindOf(err) != x.kind || got != x.body || !strings.Contains(err.Error(), x.text) {
			t.Errorf("%s: got %q, %v, want %q, kind %s, with %q", x.name, got, err, x.body, x.kind, x.text)
		}
		srv.Close()
		if log := strings.Join(srv.Transcript(), "|"); log != "ann ann xterm/38400" {
			t.Errorf("%s: got opening %q, want ann ann xterm/38400", x.name, log)
		}
	}
}

// A Dialer (a proxy) has no privileged port. The host closes the connection, and the error explains the likely cause.
func TestOrdinaryPort(t *testing.T) {
	srv := rlogintest.NewServer(site(), &rlogintest.Options{LowPort: true, Screen: "motd"})
	defer srv.Close()
	c := fetch.New(Scheme())
	c.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, addr)
	}
	_, err := first(t, c, srv.URL)
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || e.Kind != fetch.ErrConnection || !strings.Contains(e.Hint, "below 1024") {
		t.Errorf("got %v, want kind %s with a hint about ports below 1024", err, fetch.ErrConnection)
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	schemetest.Ends(t, "rlogin://ann@127.0.0.1", []fetch.Scheme{Scheme()}, []schemetest.Ending{
		{Name: "a document", Says: "\x00Friday\r\n", Closes: true, Body: "Friday\r\n"},
		{Name: "nothing", Closes: true, Kind: fetch.ErrConnection},
		{Name: "nothing after the NUL", Says: "\x00", Closes: true, Kind: fetch.ErrConnection},
		{Name: "words of another host", Says: "SSH-2.0-x\r\n", Closes: true, Kind: fetch.ErrRefused},
		{Name: "endless words", Says: strings.Repeat("x", 1<<20), Kind: fetch.ErrRefused},
		{Name: "endless text", Says: "\x00" + strings.Repeat("x\r\n", 1<<20), Body: "*", Kind: fetch.ErrLimit},
		{Name: "silence", Says: "\x00", Kind: fetch.ErrTimeout, Waits: time.Minute},
	})
}

// attach begins a session at a terminal of 100 x 30.
func attach(t *testing.T, address string) (s *fetchtest.Session, resized chan struct{}) {
	t.Helper()
	resized = make(chan struct{})
	return fetchtest.Attach(t, t.Context(), fetch.New(Scheme()), address, &fetch.Terminal{
		Resized: resized, Size: func() (int, int) { return 100, 30 }}), resized
}

func TestAttach(t *testing.T) {
	before := runtime.NumGoroutine()
	srv := rlogintest.NewServer(site(), &rlogintest.Options{Screen: "motd"})
	s, resized := attach(t, strings.Replace(srv.URL, "://", "://ann@", 1))
	s.Wait(t, rlogintest.Prompt)
	resized <- struct{}{}
	s.Type("who\r")
	s.Wait(t, "ann is ann at xterm/38400, 100 x 30")
	s.Type("show iac.bin\r")
	s.Wait(t, "a\xff\xfeb")
	s.Type("quit\r")
	if err := s.End(t); err != nil {
		t.Error(err)
	}
	s, _ = attach(t, srv.URL)
	s.Wait(t, rlogintest.Prompt)
	s.Keys.Close()
	if err := s.End(t); err != nil {
		t.Error(err)
	}
	srv.Close()
	fetchtest.NoGoroutinesLeft(t, before)
}

func TestRlogind(t *testing.T) {
	addr := lab.Server(t, "rlogind")
	got, err := first(t, fetch.New(Scheme()), "rlogin://labguest@"+addr+"/")
	if e, ok := errors.AsType[*fetch.Error](err); ok && strings.Contains(e.Hint, "below 1024") {
		t.Skip("ports below 1024 need a privilege: ", err)
	}
	if fetch.KindOf(err) != fetch.ErrInteractive || !strings.HasSuffix(got, "\r\nlab> ") {
		t.Errorf("got %q, %v, want a prompt and kind %s", got, err, fetch.ErrInteractive)
	}
	s, resized := attach(t, "rlogin://labguest@"+addr+"/")
	s.Wait(t, "lab> ")
	resized <- struct{}{}
	resized <- struct{}{}
	s.Type("echo caf\xc3\xa9\r")
	s.Wait(t, "You said: caf\xc3\xa9\r\n") // without the sizes
	s.Type("quit\r")
	if err := s.End(t); err != nil {
		t.Error(err)
	}
}

func TestRows(t *testing.T) {
	if n := schemetest.Rows(t, Scheme()); n < 1 {
		t.Errorf("got %d rows, want more", n)
	}
}

func TestPlans(t *testing.T) {
	const size = "\nsize <rows> <columns> {if the terminal has a size, whenever it has another, and when the host asks}"
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "rlogin://ann@h", Want: "tcp h:513 none session\nopen ann ann xterm/38400\nread {again until the host waits}"},
		{URI: "rlogin://h/", Want: "tcp h:513 none session\nopen   xterm/38400\nread {again until the host waits}"},
		{URI: "rlogin://ann@h/", Options: fetch.Options{Op: fetch.Attach, Set: map[string][]string{setLocal: {"bob"}, setTerm: {"vt100/9600"}}},
			Want: "tcp h:513 none session\nopen bob ann vt100/9600\nattach the terminal" + size},
		{URI: "rlogin://-froot@h/", Kind: fetch.ErrRefusedURL},
		{URI: "rlogin://h/x", Kind: fetch.ErrRefusedURL},
		{URI: "rlogin://h:514/", Kind: fetch.ErrRefusedPort},
		{URI: "rlogin://h/", Options: fetch.Options{Op: fetch.Metadata}, Kind: fetch.ErrUnsupported},
		{URI: "rlogin://h/", Options: fetch.Options{Range: fetch.Range{From: 1}}, Kind: fetch.ErrRange},
	}, Scheme())
}

func TestInjection(t *testing.T) {
	fetchtest.Injection(t, []string{"rlogin://u{}@h/", "rlogin://h{}/"}, nil, Scheme())
}

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"rlogin://h", "rlogin://u:p@h:513/", "rlogin://%00@h", "rlogin:h"}, Scheme())
}

func TestPage(t *testing.T) { schemetest.Page(t, outcomes, Scheme()) }

func TestConformance(t *testing.T) {
	idle := fetch.Options{Set: map[string][]string{setIdle: {"0.05"}}}
	fetchtest.Test(t, Scheme(),
		fetchtest.Case{Name: "document", URI: "rlogin://ann@host.example/", Body: "Friday\r\n", Type: "text/plain", End: fetch.EndClosed, Script: `
*: [connected to 127.0.0.1:513]
*: open ann ann xterm/38400
C= AGFubgBhbm4AeHRlcm0vMzg0MDAA
*: read
S= AEZyaWRheQ0K
*: [end]
`},
		fetchtest.Case{Name: "screen", URI: "rlogin://ann@host.example/", Options: idle, Err: fetch.ErrInteractive, Script: `
*: [connected to 127.0.0.1:513]
*: open ann ann xterm/38400
C= AGFubgBhbm4AeHRlcm0vMzg0MDAA
*: read
S= AFBhc3N3b3JkOiA=
`},
		fetchtest.Case{Name: "refused", URI: "rlogin://ann@host.example/", Err: fetch.ErrRefused, Script: `
*: [connected to 127.0.0.1:513]
*: open ann ann xterm/38400
C= AGFubgBhbm4AeHRlcm0vMzg0MDAA
*: read
S= AXJsb2dpbmQ6IFBlcm1pc3Npb24gZGVuaWVkLg0K
*: [end]
`},
		fetchtest.Case{Name: "an option for login", URI: "rlogin://%2Dfroot@host.example/", Err: fetch.ErrRefusedURL},
		fetchtest.Case{Name: "injection", URI: "rlogin://a%00b@host.example/", Err: fetch.ErrRefusedURL},
	)
}

func FuzzDecode(f *testing.F) {
	schemetest.FuzzDecode(f, Scheme(),
		"\x00ann\x00bob\x00xterm/38400\x00ls\r\xff\xffss\x00\x18\x00\x50\x00\x00\x00\x00exit\r",
		"\x00Welcome\r\n", "\x01Permission denied.\r\n", "\xff\xffs", "\x00secret\x00\x00\x00",
	)
}
