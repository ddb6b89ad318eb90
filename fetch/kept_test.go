package fetch_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
)

// repeating is like leasing, but repeats a request if a reused connection returns no byte, as handlers with read-only requests do.
func repeating() probe {
	h := leasing("", true)
	once := h.run
	h.run = func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		for {
			d, err := once(ctx, p, env)
			if fetch.KindOf(err) != fetch.ErrConnection {
				return d, err
			}
		}
	}
	return h
}

// A lineServer greets each connection and answers each line after a delay. The delay depends on the number of the connection, counted from
// 1, and on the line. If it is negative, there is no answer.
type lineServer struct {
	says  func(conn int, line string) time.Duration
	conns atomic.Int32
	lines atomic.Int32
}

func (s *lineServer) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	n := int(s.conns.Add(1))
	go func() {
		defer theirs.Close()
		fmt.Fprint(theirs, "ready\r\n")
		for in := bufio.NewScanner(theirs); in.Scan(); {
			s.lines.Add(1)
			wait := s.says(n, in.Text())
			if wait < 0 {
				continue // reads on, until the client closes
			}
			time.Sleep(wait)
			if _, err := fmt.Fprintf(theirs, "answer to %s\r\n", in.Text()); err != nil {
				return
			}
		}
	}()
	return ours, nil
}

// limited returns a Dialer that has descriptors for most connections at a time.
func (s *lineServer) limited(most int32) func(ctx context.Context, network, addr string) (net.Conn, error) {
	var open atomic.Int32
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if open.Load() >= most {
			return nil, fmt.Errorf("a proxy: %w", &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)})
		}
		open.Add(1)
		nc, err := s.dial(ctx, network, addr)
		return &counted{Conn: nc, open: &open}, err
	}
}

// A reused connection that has died silently costs a few seconds, not Timeouts.Idle. For a server that is only slow the Client waits, and
// sends a request at most twice.
func TestKeptConnectionMustAnswer(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		name         string
		says         func(conn int, line string) time.Duration
		gets         int
		conns, lines int32
		most         time.Duration // of the last
	}{
		{"alive", func(int, string) time.Duration { return 100 * ms }, 3, 1, 3, 100 * ms},
		{"dead", func(conn int, line string) time.Duration {
			if conn == 1 && line != "/1" {
				return -1
			}
			return 100 * ms
		}, 2, 2, 3, 3200 * ms},
		{"always slow", func(int, string) time.Duration { return 20 * time.Second }, 3, 1, 3, 20 * time.Second},
		{"slow once", func(_ int, line string) time.Duration {
			if line == "/2" {
				return 20 * time.Second
			}
			return 100 * ms
		}, 2, 2, 3, 23200 * ms},
		{"slow from the second on", func(_ int, line string) time.Duration {
			if line != "/1" {
				return 20 * time.Second
			}
			return 100 * ms
		}, 4, 2, 5, 20 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &lineServer{says: tt.says}
				c := fetch.New(scheme("a", repeating()))
				c.Dialer = s.dial
				var took time.Duration
				for i := range tt.gets {
					began := time.Now()
					want := fmt.Sprintf("answer to /%d", i+1)
					if body, err := get(t, c, fmt.Sprintf("a://h/%d", i+1), nil); body != want || err != nil {
						t.Errorf("got %q, %v, want %q", body, err, want)
					}
					took = time.Since(began)
				}
				if s.conns.Load() != tt.conns || s.lines.Load() != tt.lines || took > tt.most {
					t.Errorf("got %d connections, %d lines, the last answer after %s, want %d, %d, %s", s.conns.Load(), s.lines.Load(), took, tt.conns,
						tt.lines, tt.most)
				}
				c.Close()
			})
		})
	}
}

// After the first byte of a response, the ordinary deadline applies.
func TestKeptConnectionMayPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := fetch.New(scheme("a", repeating()))
		play(t, c, "S: ready\nC: /1\nS: answer \\\n*: [delay 50s]\nS: 1\nC: /2\nS: answer \\\n*: [delay 50s]\nS: 2")
		twice(t, c, "a://h/1", "a://h/2", nil, nil)
	})
}

// If file descriptors run out, idle connections are closed before a request fails. If it fails nevertheless, the error names the cause.
func TestDescriptorsAreShort(t *testing.T) {
	for _, free := range []int32{5, 1, 0} {
		s := &lineServer{says: func(int, string) time.Duration { return 0 }}
		c := fetch.New(scheme("a", leasing("", true)))
		c.Dialer = s.limited(free)
		for i := range 20 {
			body, err := get(t, c, fmt.Sprintf("a://h%d/x", i), nil)
			switch {
			case free > 0 && (body != "answer to /x" || err != nil):
				t.Errorf("%d free: request %d: got %q, %v", free, i, body, err)
			case free == 0 && (!errors.Is(err, fetch.ErrLocal) || !strings.Contains(err.Error(), "too many open files")):
				t.Errorf("none free: got %v, want kind local and the cause", err)
			}
		}
		c.Close()
	}
}

// A request that needs a file descriptor waits while other requests are running, since they may free one.
func TestDescriptorsAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &lineServer{says: func(int, string) time.Duration { return 2 * time.Second }}
		c := fetch.New(scheme("a", leasing("", false)))
		c.Dialer = s.limited(1)
		done := make(chan error)
		for i := range 4 {
			go func() {
				_, err := get(t, c, fmt.Sprintf("a://h%d/x", i), nil)
				done <- err
			}()
		}
		for range 4 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		c.Close()
	})
}

// Of two requests that each have a connection and need another one, for which there is no descriptor, one fails at once, and the other goes on.
func TestDescriptorsEndADeadlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dialed atomic.Int32
		s := &lineServer{says: func(int, string) time.Duration { return 0 }}
		both := make(chan bool)
		c := fetch.New(scheme("a", probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			for range 2 {
				if _, err := env.Dial(ctx, "tcp", p.Addr, nil); err != nil {
					return nil, err
				}
				if dialed.Add(1) == 2 {
					close(both)
				}
				<-both
			}
			return fetch.NewDocument(io.NopCloser(strings.NewReader("whole"))), nil
		}}))
		c.Timeouts.Connect = time.Hour
		c.Dialer = s.limited(2)
		results := make(chan string)
		began := time.Now()
		for i := range 2 {
			go func() {
				body, err := get(t, c, fmt.Sprintf("a://h%d/x", i), nil)
				results <- fmt.Sprint(body, fetch.KindOf(err))
			}()
		}
		got := []string{<-results, <-results}
		slices.Sort(got)
		if want := []string{"local", "whole"}; !slices.Equal(got, want) || time.Since(began) > time.Minute {
			t.Errorf("got %q after %s, want %q within a minute", got, time.Since(began), want)
		}
		c.Close()
	})
}

// counted counts itself out when it is closed.
type counted struct {
	net.Conn
	open   *atomic.Int32
	closed atomic.Bool
}

func (c *counted) Close() error {
	if !c.closed.Swap(true) {
		c.open.Add(-1)
	}
	return c.Conn.Close()
}
