package tn3270

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/schemes/tn3270/tn3270test"
	"example.org/deref/uri"
)

const motd = "Welcome\nto the lab [ä]\n"

func site() fstest.MapFS { return fstest.MapFS{"motd": {Data: []byte(motd)}} }

// TestFirstScreen negotiates with each kind of host. Certificates are verified, and a host without TLS is left if TLS is required.
func TestFirstScreen(t *testing.T) {
	t.Parallel()
	cfg, roots, err := loopback.SelfSigned()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name string
		o    tn3270test.Options
		tls  string
		kind fetch.Kind
	}{
		{"TN3270E", tn3270test.Options{}, "try", fetch.ErrInteractive},
		{"RFC 1576", tn3270test.Options{Classic: true}, "try", fetch.ErrInteractive},
		{"the device is unknown to TN3270E: fall-back", tn3270test.Options{Reject: reasonDeviceType}, "try", fetch.ErrInteractive},
		{"START_TLS", tn3270test.Options{StartTLS: cfg}, "require", fetch.ErrInteractive},
		{"TLS", tn3270test.Options{TLS: cfg}, "implicit", fetch.ErrInteractive},
		{"the device is in use", tn3270test.Options{Reject: 1}, "try", fetch.ErrRefused},
		{"an unknown certificate", tn3270test.Options{StartTLS: cfg}, "try", fetch.ErrTLS},
		{"an unknown certificate from the first byte", tn3270test.Options{TLS: cfg}, "implicit", fetch.ErrTLS},
		{"a host without TLS", tn3270test.Options{}, "require", fetch.ErrTLS},
		{"a host that insists", tn3270test.Options{StartTLS: cfg}, "never", fetch.ErrTimeout},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			x.o.Screen = "motd"
			srv := tn3270test.NewServer(site(), &x.o)
			defer srv.Close()
			c := fetch.New(Scheme())
			if !strings.HasPrefix(x.name, "an unknown certificate") {
				c.TLS = &tls.Config{RootCAs: roots}
			}
			if x.kind == fetch.ErrTimeout {
				c.Timeouts.Idle = 100 * time.Millisecond
			}
			_, got, err := fetchtest.GetWith(t, c, srv.URL, &fetch.Options{Set: map[string][]string{setTLS: {x.tls}, setIdle: {"0.1"}}})
			if fetch.KindOf(err) != x.kind {
				t.Errorf("got %v, want kind %q", err, x.kind)
			}
			if want := string(tn3270test.FirstScreen([]byte(motd))); x.kind == fetch.ErrInteractive && got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	srv := tn3270test.NewServer(site(), &tn3270test.Options{Screen: "motd"})
	defer srv.Close()
	var titles []string
	var user, password fetch.Entry
	for e, err := range fetch.New(Scheme()).Entries(t.Context(), uri.MustParse(srv.URL), &fetch.Options{Set: map[string][]string{setIdle: {"0.1"}}}) {
		if err != nil {
			if fetch.KindOf(err) != fetch.ErrInteractive {
				t.Errorf("got %v, want kind %s", err, fetch.ErrInteractive)
			}
			break
		}
		titles = append(titles, e.Title)
		if e.Attr["cursor"] != nil {
			user = e
		}
		if e.Attr["hidden"] != nil {
			password = e
		}
	}
	if got := strings.Join(titles, "|"); got != "Welcome|to the lab [ä]|User ==>|||Password ==>|||Enter goes on, PF3 leaves" {
		t.Errorf("got fields %q, want those of the sign-on screen", got)
	}
	if a := user.Attr; a["row"][0] != "21" || a["column"][0] != "11" || a["length"][0] != "9" || a["protected"] != nil {
		t.Errorf("user: got %v, want an unprotected field of 9 at row 21, column 11", a)
	}
	s := newScreen('2')
	s.accept([]byte("\xf5\xc3\x11\x07\x76\x1d\x40\x11\x00\x03\x13\x11\x00\x10\x1d\xf0"))
	if e := (view{s, page037()}).entry(s.fields()[1]); e.Attr["cursor"] == nil || e.Attr["length"][0] != "25" {
		t.Errorf("around the end of the screen: got %+v, want a field of 25 with the cursor", e)
	}
	if a := password.Attr; a["column"][0] != "36" || a["length"][0] != "9" {
		t.Errorf("password: got %v, want a field of 9 at column 36", a)
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	const classic = "\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0\xff\xfd\x19\xff\xfb\x19\xff\xfd\x00\xff\xfb\x00"
	schemetest.Ends(t, "tn3270://127.0.0.1", []fetch.Scheme{Scheme()}, []schemetest.Ending{
		{Name: "a screen and a close", Says: classic + "\xf5\xc3\xc1\xc2\xff\xef", Closes: true, Body: "AB\n"},
		{Name: "locked", Says: classic + "\xf5\x40\xc1\xff\xef", Body: "A\n", Kind: fetch.ErrInteractive, Waits: afterLocked},
		{Name: "another protocol", Says: "login: ", Kind: fetch.ErrUnsupported, Waits: afterLocked},
		{Name: "a long text of another protocol", Says: strings.Repeat("login: ", maxPlain), Kind: fetch.ErrUnsupported, Waits: afterLocked},
		{Name: "nothing", Closes: true, Kind: fetch.ErrConnection},
		{Name: "nothing but negotiation", Says: classic, Closes: true, Kind: fetch.ErrConnection},
		{Name: "silence", Says: classic, Kind: fetch.ErrTimeout, Waits: time.Minute},
		{Name: "no such command", Says: classic + "\x99\xff\xef", Kind: fetch.ErrProtocol},
		{Name: "an address beyond the screen", Says: classic + "\xf5\xc3\x11\x3f\xff\xff\xff\xef", Kind: fetch.ErrProtocol},
		{Name: "an endless record", Says: classic + strings.Repeat("\xc1", 1<<20), Kind: fetch.ErrLimit},
		{Name: "endless negotiation", Says: strings.Repeat("\xff\xfb\x25", 1<<16), Kind: fetch.ErrProtocol},
	})
}

func TestAttach(t *testing.T) {
	before := runtime.NumGoroutine()
	srv := tn3270test.NewServer(site(), &tn3270test.Options{Screen: "motd"})
	s := fetchtest.Attach(t, t.Context(), fetch.New(Scheme()), srv.URL, &fetch.Terminal{})
	s.Type("anm\x7fn\tsecret\r") // typed ahead
	s.Wait(t, "Welcome ANN"[:8])
	s.Wait(t, "\f Welcome ann at IBM-3278-2-E\n")
	s.Type("\x1b[23~") // F11
	s.Wait(t, "7b was pressed")
	s.Type("\x1b1")
	s.Wait(t, "6c was pressed")
	s.Type("\x1b[24~")
	s.Wait(t, "\f Welcome\n")
	s.Type("\x1bOR")
	if err := s.End(t); err != nil {
		t.Error(err)
	}
	srv.Close()
	if got := strings.Join(srv.Transcript(), "|"); got != "7d ann|7b|6c|7c|f3" {
		t.Errorf("got keys %q, want 7d ann|7b|6c|7c|f3", got)
	}
	fetchtest.NoGoroutinesLeft(t, before)
}

// A locked keyboard accepts RESET and ATTN. All other input waits.
func TestLocked(t *testing.T) {
	typed := make(chan string, 1)
	addr := loopback.ForTest(t, func(c net.Conn) {
		io.WriteString(c, "\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0\xff\xfd\x19\xff\xfb\x19\xff\xfd\x00\xff\xfb\x00\xf5\x40\x1d\x40\x13\xff\xef")
		var all []byte
		b := make([]byte, 100)
		for !bytes.Contains(all, []byte("\x7d")) {
			n, err := c.Read(b)
			if all = append(all, b[:n]...); err != nil {
				break
			}
		}
		typed <- string(all)
	})
	s := fetchtest.Attach(t, t.Context(), fetch.New(Scheme()), "tn3270://"+addr,
		&fetch.Terminal{Size: func() (int, int) { return 80, 25 }})
	s.Wait(t, "X SYSTEM")
	s.Type("\x1ba\x12x\r")
	if got := <-typed; !strings.Contains(got, "\xff\xf3") || !strings.Contains(got, "\x7d") {
		t.Errorf("got %q, want BREAK and Enter", got)
	}
	if err := s.End(t); err != nil {
		t.Error(err)
	}
}

// TestKeysWithoutAScreen: keys that were typed ahead do not hide why there is no screen.
func TestKeysWithoutAScreen(t *testing.T) {
	close := make(chan bool)
	addr := loopback.ForTest(t, func(c net.Conn) {
		io.WriteString(c, "login: ")
		<-close
	})
	s := fetchtest.Attach(t, t.Context(), fetch.New(Scheme()), "tn3270://"+addr, &fetch.Terminal{})
	s.Type("ann\r")
	close <- true
	if err := s.End(t); fetch.KindOf(err) != fetch.ErrUnsupported {
		t.Errorf("got %v, want kind %s", err, fetch.ErrUnsupported)
	}
}

// On a terminal with a size the screen is drawn: colors, hidden fields, the line below, the cursor.
func TestDrawn(t *testing.T) {
	srv := tn3270test.NewServer(site(), &tn3270test.Options{Screen: "motd"})
	defer srv.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := fetchtest.Attach(t, ctx, fetch.New(Scheme()), srv.URL, &fetch.Terminal{Size: func() (int, int) { return 80, 25 }})
	s.Wait(t, "\x1b[21;11H") // the cursor in the first field that takes input
	s.Wait(t, "021/011")
	s.Type("bob\tpw")
	s.Wait(t, "bob")
	s.Wait(t, "\x1b[21;38H")
	s.Type("\r")
	s.Wait(t, "\x1b[0;36m Welcome bob") // turquoise
	cancel()
	if err := s.End(t); err == nil {
		t.Error("got no error, want that of the context")
	}
	if strings.Contains(s.String(), "pw") {
		t.Errorf("got %q, want the hidden field left out", s.String())
	}
	if !strings.HasSuffix(s.String(), "\x1b[?25h") {
		t.Errorf("got %q, want the terminal cleared at the end", s.String())
	}
}

// Our screens of hercules are those of s3270.
func TestHercules(t *testing.T) {
	addr := lab.Server(t, "hercules")
	var got string
	var err error
	// QUIRK: hercules 3.13 leaves some connections without an answer, or closes them, when two are made at a time (of 16 by s3270 4.1 two
	// had no screen, of 16 by deref four; none of 30 made one after the other). Its output is compared completely.
	c := fetch.New(Scheme())
	c.Timeouts.Idle = 5 * time.Second
	for range 5 {
		_, got, err = fetchtest.GetWith(t, c, "tn3270://"+addr+"/", nil)
		if k := fetch.KindOf(err); k != fetch.ErrConnection && k != fetch.ErrTruncated && k != fetch.ErrTimeout {
			break
		}
		t.Logf("hercules broke off: %v", err)
		loopback.Pause(2 * time.Second)
	}
	if fetch.KindOf(err) != fetch.ErrInteractive || !strings.Contains(got, "The Lab - TN3270 screen") {
		t.Fatalf("got %q, %v, want the lab's screen, kind %s", got, err, fetch.ErrInteractive)
	}
	cmd := lab.Client(t, "s3270", "-model", "3278-2-E")
	cmd.Stdin = strings.NewReader("Connect(\"" + addr + "\")\nWait(2,Output)\nAscii()\nQuit()\n")
	text, err := cmd.Output()
	if err != nil {
		t.Skip(err)
	}
	var rows []string
	for line := range strings.Lines(string(text)) {
		if row, ok := strings.CutPrefix(line, "data: "); ok {
			rows = append(rows, strings.TrimRight(row, " \n"))
		}
	}
	want := strings.TrimRight(strings.Join(rows, "\n"), "\n") + "\n"
	if got != want {
		t.Errorf("got %q, want s3270's %q", got, want)
	}
}

// TestOperatorError checks that a key that the screen does not accept ends a script, as s3270 reports "Operator error". A user at a
// terminal hears the alarm and goes on.
func TestOperatorError(t *testing.T) {
	before := runtime.NumGoroutine()
	srv := tn3270test.NewServer(site(), &tn3270test.Options{Screen: "motd"})
	for keys, want := range map[string]string{
		"\x1b[Ax":  "operator error: 'x' at row 20, column 11: the field is protected", // cursor up
		"\u4e2d":   "operator error: '中' at row 21, column 11: the host's character set lacks it",
		"\x7f":     "operator error: the key backspace at row 21, column 11: not possible there",
		"\x1b[99~": "operator error: the key none at row 21, column 11: not possible there",
	} {
		s := fetchtest.Attach(t, t.Context(), fetch.New(Scheme()), srv.URL, &fetch.Terminal{})
		s.Wait(t, "Welcome")
		s.Type(keys)
		if err := s.End(t); fetch.KindOf(err) != fetch.ErrRefused || err.Error() != want {
			t.Errorf("%q: got %v, want %s", keys, err, want)
		}
	}
	s := fetchtest.Attach(t, t.Context(), fetch.New(Scheme()), srv.URL, &fetch.Terminal{Size: func() (int, int) { return 80, 25 }})
	s.Wait(t, "Welcome")
	s.Type("\x1b[Ax")
	s.Wait(t, "\a")
	s.Type("\x1bOR") // PF3 leaves
	if err := s.End(t); err != nil {
		t.Error(err)
	}
	srv.Close()
	fetchtest.NoGoroutinesLeft(t, before)
}
