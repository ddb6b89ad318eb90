package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
)

// A reply may take as long as its bytes arrive at least at the speed of a slow modem. Slower bytes do not extend its deadline, and a pause
// ends it.
func TestReplyMayBeSlow(t *testing.T) {
	lines := func(n int, every time.Duration, octets int) string {
		return strings.Repeat(fmt.Sprintf("*: [delay %s]\nS: %s\n", every, strings.Repeat("x", octets)), n)
	}
	for _, tt := range []struct {
		name, script string
		lines        int
		want         fetch.Kind
		least, most  time.Duration
	}{
		{"56 kbit/s", lines(100, 900*time.Millisecond, 6300), 100, "", 90 * time.Second, 91 * time.Second},
		{"2400 bit/s", lines(100, time.Second, 300), 100, "", 100 * time.Second, 101 * time.Second},
		{"a drip", lines(100, 5*time.Second, 1), 100, fetch.ErrTimeout, 60 * time.Second, 61 * time.Second},
		{"half the rate", lines(1000, time.Second, 126), 1000, fetch.ErrTimeout, 100 * time.Second, 125 * time.Second},
		{"fast, and then silent", lines(100, time.Millisecond, 6300) + "*: [delay 999s]\nS: late\n", 101, fetch.ErrTimeout, 60 * time.Second,
			61 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := with(t, tt.script, nil, func(c *fetch.Conn) error {
					c.BeginReply()
					for range tt.lines {
						if _, err := c.ReadLine(); err != nil {
							return err
						}
					}
					return nil
				})
				if took := time.Since(began); fetch.KindOf(err) != tt.want || took < tt.least || took > tt.most {
					t.Errorf("got %v after %s, want kind %q after %s to %s", err, took, tt.want, tt.least, tt.most)
				}
			})
		})
	}
}

// sluggish is a socket whose first Read reports that the deadline has passed although bytes have arrived, as happens after the process was
// stopped.
type sluggish struct {
	net.Conn
	late bool
}

func (s *sluggish) Pending() bool { return true }

func (s *sluggish) Read(p []byte) (int, error) {
	if !s.late {
		s.late = true
		return 0, os.ErrDeadlineExceeded
	}
	return s.Conn.Read(p)
}

// Bytes that have arrived take precedence over the deadline, in a reply and in a body.
func TestArrivedBeforeTheDeadline(t *testing.T) {
	for name, mode := range map[string]func(*fetch.Conn){"reply": (*fetch.Conn).BeginReply, "body": (*fetch.Conn).BeginBody} {
		ours, theirs := net.Pipe()
		go func() {
			io.WriteString(theirs, "here\n")
			theirs.Close()
		}()
		var line string
		c := fetch.New(scheme("a", connecting(nil, func(c *fetch.Conn) error {
			mode(c)
			b, err := c.ReadLine()
			line = string(b)
			return err
		})))
		c.Dialer = dialling(&sluggish{Conn: ours})
		if _, err := get(t, c, "a://127.0.0.1/", nil); err != nil || line != "here" {
			t.Errorf("%s: got %q, %v, want here", name, line, err)
		}
	}
}

// A large request over a slow line is written completely. A peer that does not read causes a timeout.
func TestWritesMayBeSlow(t *testing.T) {
	for name, reads := range map[string]int{"read": 100, "not read": 3} {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			done := make(chan struct{})
			go func() {
				defer close(done)
				b := make([]byte, 1<<10)
				for range reads {
					time.Sleep(2 * time.Second)
					if _, err := io.ReadFull(theirs, b); err != nil {
						return
					}
				}
			}()
			c := fetch.New(scheme("a", connecting(nil, func(c *fetch.Conn) error {
				_, err := c.Unchecked().Write(make([]byte, 100<<10))
				return err
			})))
			c.Dialer = dialling(ours)
			_, err := get(t, c, "a://127.0.0.1/", nil)
			if whole := reads == 100; whole != (err == nil) || !whole && !errors.Is(err, fetch.ErrTimeout) {
				t.Errorf("%s: got %v", name, err)
			}
			<-done
			theirs.Close()
		})
	}
}

// connecting is a handler that runs f on a connection.
func connecting(o *fetch.DialOptions, f func(*fetch.Conn) error) probe {
	return probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		c, err := env.Dial(ctx, "tcp", p.Addr, o)
		if err != nil {
			return nil, err
		}
		return fetch.NewDocument(nil), f(c)
	}}
}

// dialling is a Client's Dialer that returns nc.
func dialling(nc net.Conn) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) { return nc, nil }
}
