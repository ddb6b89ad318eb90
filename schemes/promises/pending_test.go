package promises_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/schemes"
	"example.org/deref/schemes/mail"
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
