package telnet

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/internal/nvt"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/schemes/telnet/telnettest"
	"example.org/deref/uri"
)

func site() fstest.MapFS {
	return fstest.MapFS{"motd": {Data: []byte("Welcome\nto the lab\n")}, "iac.bin": {Data: []byte("a\xff\xfeb\n")}}
}

func quick() *fetch.Options {
	return &fetch.Options{Set: map[string][]string{setIdle: {"0.1"}}}
}

func TestFirstScreen(t *testing.T) {
	t.Parallel()
	cfg, roots, err := loopback.SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name string
		o    telnettest.Options
	}{{"options", telnettest.Options{}}, {"none", telnettest.Options{Plain: true}}, {"telnets", telnettest.Options{TLS: cfg}},
		{"START_TLS", telnettest.Options{StartTLS: cfg}}} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			x.o.Screen = "motd"
			srv := telnettest.NewServer(site(), &x.o)
			defer srv.Close()
			c := fetch.New(Schemes()...)
			c.TLS = &tls.Config{RootCAs: roots}
			_, got, err := fetchtest.GetWith(t, c, strings.Replace(srv.URL, "://", "://ann@", 1), quick())
			if fetch.KindOf(err) != fetch.ErrInteractive || got != "Welcome\r\nto the lab\r\nlab> " {
				t.Errorf("got %q, %v, want the motd and a prompt, kind %s", got, err, fetch.ErrInteractive)
			}
			if e, ok := err.(*fetch.Error); !ok || !strings.HasPrefix(e.Hint, hint.Attach+" telnet") {
				t.Errorf("got %v, want a hint to attach a terminal", err)
			}
		})
	}
}

// scripted attaches a terminal, on which script is typed, to a host in memory. It returns what is shown.
func scripted(t *testing.T, script string, o *fetch.Options, host func(net.Conn)) (shown string, err error) {
	t.Helper()
	c := fetch.New(Schemes()...)
	defer c.Close()
	c.Dialer = schemetest.Dialer(host)
	in, keys := io.Pipe()
	go io.WriteString(keys, script)
	var out fetchtest.Display
	err = c.Attach(t.Context(), uri.MustParse("telnet://h/"), &fetch.Terminal{In: in, Out: &out}, o)
	return out.String(), err
}

// TestTypedBeforeTLS: what a script types does not go out before the TLS that is required, and does not wait forever for it.
func TestTypedBeforeTLS(t *testing.T) {
	for _, says := range []string{"login: ", ""} {
		synctest.Test(t, func(t *testing.T) {
			var came fetchtest.Display
			_, err := scripted(t, "ann\rsecret\r", &fetch.Options{Set: map[string][]string{setTLS: {"require"}}}, func(c net.Conn) {
				go func() {
					time.Sleep(time.Millisecond) // everything has been typed
					io.WriteString(c, says)
				}()
				io.Copy(&came, c)
			})
			if fetch.KindOf(err) != fetch.ErrTLS || came.String() != "" {
				t.Errorf("%q: got %v, sent %q, want kind %s, nothing sent", says, err, came.String(), fetch.ErrTLS)
			}
		})
	}
}

// TestLongScript: a host that echoes gets all of a script that is larger than what a connection holds.
func TestLongScript(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := strings.Repeat("x", 1<<20)
		shown, err := scripted(t, script, nil, func(c net.Conn) { io.CopyN(c, c, int64(len(script))) })
		if err != nil || shown != script {
			t.Errorf("got %d bytes, %v, want %d", len(shown), err, len(script))
		}
	})
}

// TestAnswersAreBounded: a host that requests options without end, and does not read what is typed or the answers, is read no further.
func TestAnswersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 1 << 20
		var sent atomic.Int64
		_, err := scripted(t, strings.Repeat("x", 1<<20), nil, func(c net.Conn) {
			flood := bytes.Repeat([]byte{nvt.IAC, nvt.DO, 200, 'x'}, 1<<10)
			for err := error(nil); err == nil && sent.Load() < most; {
				var n int
				n, err = c.Write(flood)
				sent.Add(int64(n))
			}
		})
		if !errors.Is(err, fetch.ErrTimeout) || sent.Load() >= most {
			t.Errorf("got %v after %d bytes, want a timeout after fewer than %d", err, sent.Load(), most)
		}
	})
}

func TestEnds(t *testing.T) {
	t.Parallel()
	schemetest.Ends(t, "telnet://127.0.0.1", Schemes(), []schemetest.Ending{
		{Name: "a document (RFC 867)", Says: "Friday\r\n", Closes: true, Body: "Friday\r\n"},
		{Name: "nothing", Closes: true, Kind: fetch.ErrConnection},
		{Name: "blank", Says: "\r\n\xff\xfb\x01", Closes: true, Kind: fetch.ErrConnection},
		{Name: "endless negotiation", Says: strings.Repeat("\xff\xfb\x25", 1<<16), Kind: fetch.ErrProtocol},
		{Name: "endless NOP", Says: strings.Repeat("\xff\xf1", 1<<20), Kind: fetch.ErrLimit},
		{Name: "endless text", Says: strings.Repeat("x\r\n", 1<<20), Body: "*", Kind: fetch.ErrLimit},
		{Name: "endless sub-negotiation", Says: "\xff\xfa" + strings.Repeat("x", 1<<16), Kind: fetch.ErrProtocol},
		{Name: "silence", Says: "\xff\xfb\x01", Kind: fetch.ErrTimeout, Waits: time.Minute},
		{Name: "prompt", Says: "\xff\xfb\x01\r\nlogin: ", Body: "\r\nlogin: ", Kind: fetch.ErrInteractive, Waits: 500 * time.Millisecond},
		{Name: "injection after START_TLS", Says: "\xff\xfd\x2e\xff\xfa\x2e\x01\xff\xf0login: ", Kind: fetch.ErrProtocol},
	})
}

func TestAttach(t *testing.T) {
	before := runtime.NumGoroutine()
	srv := telnettest.NewServer(site(), &telnettest.Options{Screen: "motd"})
	c := fetch.New(Schemes()...)
	var cols atomic.Int32
	cols.Store(100)
	resized := make(chan struct{})
	s := fetchtest.Attach(t, t.Context(), c, strings.Replace(srv.URL, "://", "://a%01nn@", 1), &fetch.Terminal{
		Type: "xterm-256color", Resized: resized, Size: func() (int, int) { return int(cols.Load()), 30 }})
	s.Wait(t, telnettest.Prompt)
	s.Type("who\r")
	s.Wait(t, `user "a\x02\x01nn", terminal XTERM-256COLOR, 100 x 30`) // the server does not remove the ESC of RFC 1572
	cols.Store(255)
	resized <- struct{}{}
	resized <- struct{}{} // accepted when the first was sent
	s.Type("who\r")
	s.Wait(t, "255 x 30")
	s.Type("show iac.bin\rquit\r")
	s.Wait(t, "a\xff\xfeb")
	if err := s.End(t); err != nil {
		t.Error(err)
	}
	srv.Close()
	if got := strings.Join(srv.Transcript(), "|"); got != "who|who|show iac.bin|quit" {
		t.Errorf("got commands %q, want who|who|show iac.bin|quit", got)
	}
	fetchtest.NoGoroutinesLeft(t, before)
}

// The end of the input, of the context and of the host each end the session.
func TestAttachEnds(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, how := range []string{"input", "context", "host"} {
		srv := telnettest.NewServer(site(), nil)
		c := fetch.New(Schemes()...)
		ctx, cancel := context.WithCancel(t.Context())
		s := fetchtest.Attach(t, ctx, c, srv.URL, &fetch.Terminal{})
		s.Wait(t, telnettest.Prompt)
		switch how {
		case "input":
			s.Keys.Close()
		case "context":
			cancel()
		case "host":
			srv.Close()
		}
		if err := s.End(t); (err != nil) != (how == "context") && how != "host" {
			t.Errorf("%s: got %v", how, err)
		}
		if _, err := s.Keys.Write([]byte("x")); err == nil {
			t.Errorf("%s: a write to In succeeded, want it closed", how)
		}
		cancel()
		srv.Close()
	}
	fetchtest.NoGoroutinesLeft(t, before)
}

// Where the host does not echo, the line is edited here.
func TestLocalEcho(t *testing.T) {
	for _, x := range []struct {
		terminal fetch.Terminal
		keys     []string
		shown    string
	}{
		{fetch.Terminal{Size: func() (int, int) { return 80, 24 }}, []string{"who\r", "quix\x7ft\r"}, "quix\b \bt\r\n"},
		{fetch.Terminal{}, []string{"who\r\nqui", "t\n"}, "Goodbye"},
		{fetch.Terminal{}, []string{"who\r", "\nquit\r"}, "Goodbye"},
	} {
		srv := telnettest.NewServer(site(), &telnettest.Options{Plain: true})
		s := fetchtest.Attach(t, t.Context(), fetch.New(Schemes()...), srv.URL, &x.terminal)
		s.Wait(t, telnettest.Prompt)
		for _, keys := range x.keys {
			s.Type(keys)
		}
		s.Wait(t, x.shown)
		if err := s.End(t); err != nil {
			t.Error(err)
		}
		srv.Close()
		if got := strings.Join(srv.Transcript(), "|"); got != "who|quit" {
			t.Errorf("%q: got commands %q, want who|quit", x.keys, got)
		}
	}
}

// A single is an output that must not be written to at the same time, like one that converts a charset.
type single struct {
	writing atomic.Int32
	most    atomic.Int32
}

func (s *single) Write(p []byte) (int, error) {
	s.most.Store(max(s.most.Load(), s.writing.Add(1)))
	for range 1000 {
		runtime.Gosched()
	}
	s.writing.Add(-1)
	return len(p), nil
}

// TestEchoWhileShowing: what is echoed here waits for the host's output that is being shown.
func TestEchoWhileShowing(t *testing.T) {
	more := make(chan string)
	address, _ := lined(t, "> ", more)
	c := fetch.New(Schemes()...)
	in, keys := io.Pipe()
	var out single
	done := make(chan error)
	go func() {
		done <- c.Attach(t.Context(), uri.MustParse(address), &fetch.Terminal{In: in, Out: &out, Size: person().Size}, nil)
	}()
	for range 50 {
		more <- "text"
		io.WriteString(keys, "a")
	}
	close(more)
	keys.Close()
	if err := <-done; err != nil || out.most.Load() != 1 {
		t.Errorf("got %v, %d writes at a time, want one", err, out.most.Load())
	}
}

func TestTypes(t *testing.T) {
	for term, want := range map[string]string{"": "DUMB|MTTS 0", "xterm-256color": "XTERM-256COLOR|XTERM|MTTS 15", "vt100": "VT100|MTTS 7"} {
		if got := strings.Join(types(term), "|"); got != want {
			t.Errorf("types(%q) = %s, want %s", term, got, want)
		}
	}
}

func TestTelnetd(t *testing.T) {
	addr := lab.Server(t, "telnetd")
	c := fetch.New(Schemes()...)
	_, got, err := fetchtest.GetWith(t, c, "telnet://"+addr+"/", nil)
	if fetch.KindOf(err) != fetch.ErrInteractive || !strings.Contains(got, "TERM=dumb\r\n") || !strings.HasSuffix(got, "\r\nlab> ") {
		t.Errorf("got %q, %v, want TERM=dumb and a prompt, kind %s", got, err, fetch.ErrInteractive)
	}
	s := fetchtest.Attach(t, t.Context(), c, "telnet://"+addr+"/", &fetch.Terminal{Type: "vt100"})
	s.Wait(t, "TERM=vt100")
	s.Wait(t, "lab> ")
	s.Type("echo caf\xc3\xa9 \xff\r")
	s.Wait(t, "You said: caf\xc3\xa9 \xff")
	s.Type("bytes\r")
	s.Wait(t, "IAC byte: \xff and caf\xe9")
	s.Type("quit\r")
	if err := s.End(t); err != nil {
		t.Error(err)
	}
}

// lined is a host that sends a greeting and then the bytes from its channel. Its Transcript contains the received bytes.
func lined(t *testing.T, says string, more <-chan string) (address string, came *fetchtest.Display) {
	t.Helper()
	came = &fetchtest.Display{}
	addr := loopback.ForTest(t, func(c net.Conn) {
		io.WriteString(c, says)
		go func() {
			for text := range more {
				io.WriteString(c, text)
			}
		}()
		io.Copy(came, c)
	})
	return "telnet://" + addr, came
}

func person() *fetch.Terminal {
	return &fetch.Terminal{Type: "vt100", Size: func() (int, int) { return 80, 24 }}
}

// TestFlow: the host's word decides whether Ctrl-S stops it here (RFC 1372), and a stopped session can be ended.
func TestFlow(t *testing.T) {
	more := make(chan string)
	defer close(more)
	address, came := lined(t, "\xff\xfb\x01\xff\xfb\x03\xff\xfd\x21> ", more)
	s := fetchtest.Attach(t, t.Context(), fetch.New(Schemes()...), address, person())
	s.Wait(t, "> ")
	s.Type("a\x13b")
	came.Wait(t, "ab") // stopped; typing continues the output
	more <- "hidden"
	s.Type("c")
	came.Wait(t, "abc")
	if strings.Contains(s.String(), "hidden") {
		t.Errorf("got %q, want no output after Ctrl-S", s.String())
	}
	s.Type("\x11")
	s.Wait(t, "hidden")
	more <- "\xff\xfa\x21\x02\xff\xf0any" // any key continues the output
	s.Wait(t, "any")
	s.Type("\x13")
	more <- " key"
	s.Type("k")
	s.Wait(t, " key")
	more <- "\xff\xfa\x21\x00\xff\xf0off" // the two are input
	s.Wait(t, "off")
	s.Type("\x13\x11")
	came.Wait(t, "abck\x13\x11")
	more <- "\xff\xfa\x21\x01\xff\xf0on"
	s.Wait(t, "on")
	s.Type("\x13d")
	came.Wait(t, "\x13\x11d")
	more <- "never shown"
	s.Keys.Close()
	if err := s.End(t); err != nil {
		t.Error(err)
	}
}

// TestEchoBegins: what was typed here when the host begins to echo is sent with the next key.
func TestEchoBegins(t *testing.T) {
	more := make(chan string)
	defer close(more)
	address, came := lined(t, "> ", more)
	s := fetchtest.Attach(t, t.Context(), fetch.New(Schemes()...), address, person())
	s.Wait(t, "> ")
	s.Type("ab")
	s.Wait(t, "ab")
	more <- "\xff\xfb\x01echo"
	s.Wait(t, "echo")
	s.Type("c\r")
	came.Wait(t, "c\r")
	more <- "\xff\xfc\x01none"
	s.Wait(t, "none")
	s.Type("d\r")
	came.Wait(t, "d\r\n")
	if got := came.String(); got != "\xff\xfd\x01abc\r\x00\xff\xfe\x01d\r\n" {
		t.Errorf("the host received %q, want abc and then d", got)
	}
	s.Keys.Close()
	if err := s.End(t); err != nil {
		t.Error(err)
	}
}
