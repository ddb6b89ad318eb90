package schemes_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/schemes"
	"example.org/deref/schemes/finger/fingertest"
	"example.org/deref/schemes/gemini/geminitest"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/schemes/mail"
	"example.org/deref/schemes/nex/nextest"
	"example.org/deref/schemes/spartan/spartantest"
	"example.org/deref/schemes/whois/whoistest"
	"example.org/deref/uri"
)

// stalledAt returns the script in which the server is silent before its first line that begins with at.
func stalledAt(t *testing.T, script, at string) *dialogue.Script {
	t.Helper()
	var b strings.Builder
	found := at == ""
	for line := range strings.Lines(script) {
		if !found && strings.HasPrefix(line, at) {
			dir, _, _ := strings.Cut(line, ":")
			b.WriteString("*" + dir[1:] + ": [delay 999s]\n")
			found = true
		}
		b.WriteString(line)
	}
	s, err := dialogue.Parse(b.String())
	if err != nil || !found {
		t.Fatalf("got %v and a line %q: %v, want a script with it", err, at, found)
	}
	return s
}

// A timeout names what was pending, whatever the protocol is: as a value, and in the text. That holds for the deadline of one wait, and for
// the deadline of the request. Each file of testdata/pending has the server's lines before which it is silent, and what is pending then.
func TestTimeoutsNameWhatWasPending(t *testing.T) {
	transcripts(t, "testdata/pending/*.txt", func(t *testing.T, p transcript) {
		for _, x := range p.pending {
			i := strings.LastIndex(x, ": ")
			at, want := x[:i], x[i+2:]
			for name, tune := range map[string]func(*fetch.Client){
				"idle":  func(c *fetch.Client) { c.Timeouts.Idle = 10 * time.Second },
				"total": func(c *fetch.Client) { c.Timeouts.Total, c.Timeouts.Idle = 10*time.Second, -1 },
			} {
				if name == "idle" && want == "reply to ARTICLE" {
					continue // is requested again on another connection, of which the script has none
				}
				c, player := stalling(t, p.text, at)
				tune(c)
				err := dereference(t.Context(), c, p.uri)
				c.Close()
				player.Close()
				wantPending(t, at+", "+name, err, want)
			}
		}
	})
}

// stalling returns a Client of the stalled script. The client's lines may differ from it: they are tested elsewhere.
func stalling(t *testing.T, text, at string) (*fetch.Client, *dialogue.Player) {
	t.Helper()
	o := dialogue.NoFaults()
	o.Loose = true
	p, err := dialogue.NewPlayer(stalledAt(t, text, at), &o)
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(schemes.All(&schemes.Config{Mail: &mail.Config{Submission: "smtp://h", From: "a@b"}})...)
	p.Attach(c)
	return c, p
}

func dereference(ctx context.Context, c *fetch.Client, u string) error {
	if strings.HasPrefix(u, "mailto:") {
		_, err := c.Send(ctx, uri.MustParse(u), nil, nil)
		return err
	}
	d, err := c.Get(ctx, uri.MustParse(u), nil)
	if err != nil {
		return err
	}
	defer d.Body.Close()
	_, err = io.Copy(io.Discard, d.Body)
	return err
}

func wantPending(t *testing.T, name string, err error, want string) {
	t.Helper()
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || e.Kind != fetch.ErrTimeout || e.Pending.String() != want || !strings.Contains(e.Text, want) {
		t.Errorf("%s: got %v, pending %q, want a timeout with the pending %q, also in its text", name, err, pendingOf(e), want)
	}
}

func pendingOf(e *fetch.Error) string {
	if e == nil {
		return ""
	}
	return e.Pending.String()
}

// Connecting and the data connection, where there is no script to stall.
func TestTimeoutsNameTheConnection(t *testing.T) {
	transcripts(t, "testdata/pending/ftp.txt", func(t *testing.T, p transcript) {
		for _, tt := range []struct {
			host bool // the server's own connection, not the one for data
			want string
		}{{true, "connection"}, {false, "data connection"}} {
			c, player := stalling(t, p.text, "")
			c.Timeouts.Total = 10 * time.Second
			dial := c.Dialer
			c.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
				if _, port, _ := net.SplitHostPort(addr); (port == "21") == tt.host {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return dial(ctx, network, addr)
			}
			err := dereference(t.Context(), c, p.uri)
			c.Close()
			player.Close()
			wantPending(t, tt.want, err, tt.want)
		}
	})
}

// A server whose documents end with the connection resets it if a client stops reading. After an orderly close, the client would take the
// truncated document for complete.
func TestServersResetTheStalled(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until the servers give up")
	}
	t.Parallel()
	const idle = time.Second // long enough for a request on a busy machine
	site := fstest.MapFS{"big": {Data: make([]byte, 32<<20)}}
	type server interface {
		Close()
		Wait(time.Duration) bool
	}
	finger, gemini := fingertest.NewServer(site, &fingertest.Options{Idle: idle}), geminitest.NewServer(site, &geminitest.Options{Idle: idle})
	gopher, nex := gophertest.NewServer(site, &gophertest.Options{Idle: idle}), nextest.NewServer(site, &nextest.Options{Idle: idle})
	spartan, whois := spartantest.NewServer(site, &spartantest.Options{Idle: idle}), whoistest.NewServer(site, &whoistest.Options{Idle: idle})
	for name, x := range map[string]struct {
		server
		addr, request string
	}{
		"finger":  {finger, finger.Addr, "big\r\n"},
		"gemini":  {gemini, gemini.Addr, "gemini://127.0.0.1/big\r\n"},
		"gopher":  {gopher, gopher.Addr, "/big\r\n"},
		"nex":     {nex, nex.Addr, "big\r\n"},
		"spartan": {spartan, spartan.Addr, "127.0.0.1 /big 0\r\n"},
		"whois":   {whois, whois.Addr, "big\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer x.Close()
			c, err := net.Dial("tcp", x.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if name == "gemini" {
				c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
			}
			if _, err := io.WriteString(c, x.request); err != nil {
				t.Fatal(err)
			}
			if _, err := io.CopyN(io.Discard, c, 1000); err != nil {
				t.Fatal(err)
			}
			if !x.Wait(30 * time.Second) {
				t.Fatal("the server still waits")
			}
			if n, err := io.Copy(io.Discard, c); err == nil {
				t.Errorf("got %d bytes and an orderly end, want a reset", n)
			}
		})
	}
}
