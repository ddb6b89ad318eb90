package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// session is what leasing leases: a connection whose greeting has been read.
type session struct{ *fetch.Conn }

// leasing is a handler that leases a session, sends one line, and returns the response line. reuse determines whether the session goes back
// to the pool.
func leasing(state string, reuse bool) probe {
	return probe{run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		s, done, err := fetch.Lease(ctx, env, state, func(ctx context.Context) (session, error) {
			c, err := env.Dial(ctx, "tcp", p.Addr, &fetch.DialOptions{Record: fetch.RecordLines})
			if err != nil {
				return session{}, err
			}
			_, err = c.ReadLine()
			return session{c}, err
		})
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(s.Unchecked(), "%s\r\n", p.URI.Path())
		line, err := s.ReadLine()
		text := string(line)
		done(reuse && err == nil)
		return fetch.NewDocument(io.NopCloser(strings.NewReader(text))), err
	}}
}

func twice(t *testing.T, c *fetch.Client, first, second string, o1, o2 *fetch.Options) {
	t.Helper()
	for _, x := range []struct {
		u string
		o *fetch.Options
	}{{first, o1}, {second, o2}} {
		if body, err := get(t, c, x.u, x.o); err != nil || !strings.HasPrefix(body, "answer") {
			t.Errorf("%s: %q, %v", x.u, body, err)
		}
	}
}

const (
	oneConnection  = "S: ready\nC: /1\nS: answer 1\nC: /2\nS: answer 2"
	twoConnections = "S: ready\nC: /1\nS: answer 1\nS2: ready\nC2: /2\nS2: answer 2"
)

func TestPoolReuses(t *testing.T) {
	c := fetch.New(scheme("a", leasing("", true)))
	p := play(t, c, oneConnection)
	twice(t, c, "a://h/1", "a://h:7000/2", nil, nil)
	if p.Open() != 1 {
		t.Errorf("%d connections are open", p.Open())
	}
	c.Close()
	if p.Open() != 0 {
		t.Error("Close leaves a connection open")
	}
}

// A session is not reused if it is in the middle of a response, or belongs to another server, login or state.
func TestPoolKeepsApart(t *testing.T) {
	alice := &fetch.Options{Login: fetch.Login{User: "alice", Password: "a", Set: true}}
	for _, tt := range []struct {
		name   string
		second string
		reuse  bool
		o1, o2 *fetch.Options
	}{
		{"not at rest", "a://h/2", false, nil, nil},
		{"another port", "a://h:7001/2", true, nil, nil},
		{"another host", "a://g/2", true, nil, nil},
		{"another login", "a://h/2", true, nil, alice},
		{"another password", "a://h/2", true, alice, &fetch.Options{Login: fetch.Login{User: "alice", Password: "b", Set: true}}},
		{"another scheme", "b://h/2", true, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := leasing("", tt.reuse)
			c := fetch.New(scheme("a", h), scheme("b", h))
			play(t, c, twoConnections)
			twice(t, c, "a://h/1", tt.second, tt.o1, tt.o2)
		})
	}
}

// A session that has ended, or on which unrequested bytes arrive, is replaced.
func TestPoolDropsTheStale(t *testing.T) {
	for _, happens := range []string{"*: [end]", "*: [cut]", "S: 421 good bye", "S: 421 good bye\n*: [end]"} {
		t.Run(happens, func(t *testing.T) {
			c := fetch.New(scheme("a", leasing("", true)))
			p := play(t, c, "S: ready\nC: /1\nS: answer 1\n"+happens+"\nS2: ready\nC2: /2\nS2: answer 2")
			twice(t, c, "a://h/1", "a://h/2", nil, nil)
			if p.Open() != 1 {
				t.Errorf("%d connections are open", p.Open())
			}
		})
	}
}

// An idle session is closed after half a minute.
func TestPoolExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := fetch.New(scheme("a", leasing("", true)))
		p := play(t, c, twoConnections)
		for i, want := range []int{1, 0} {
			if _, err := get(t, c, fmt.Sprintf("a://h/%d", i+1), nil); err != nil {
				t.Error(err)
			}
			time.Sleep(29*time.Second + time.Duration(i)*2*time.Second)
			if p.Open() != want {
				t.Errorf("round %d: %d connections are open, not %d", i, p.Open(), want)
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if p.Open() != 0 {
				t.Errorf("round %d: it is still open", i)
			}
		}
	})
}

// The trace of a request contains its own bytes on a leased connection, and none of other requests.
func TestPoolBindsTheTrace(t *testing.T) {
	c := fetch.New(scheme("a", leasing("", true)))
	play(t, c, oneConnection)
	var one, two traced
	twice(t, c, "a://h/1", "a://h/2", &fetch.Options{Trace: one.take}, &fetch.Options{Trace: two.take})
	if s := one.text.String(); !strings.Contains(s, "/1") || strings.Contains(s, "/2") {
		t.Errorf("the first request's trace is %q", s)
	}
	if s := two.text.String(); !strings.Contains(s, "/2") || strings.Contains(s, "/1") {
		t.Errorf("the second request's trace is %q", s)
	}
	if got, want := two.all[0].Note, "the connection of an earlier request is used again"; got != want {
		t.Errorf("got %q first, want %q: readers would miss the greeting", got, want)
	}
	if n := two.all[0].Conn; n != 1 {
		t.Errorf("the kept connection is now number %d", n)
	}
}

// A request whose context has ended leaves no session open.
func TestPoolTakesNothingFromTheCancelled(t *testing.T) {
	h := leasing("", true)
	run := h.run
	ctx, cancel := context.WithCancel(t.Context())
	h.run = func(c context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		if p.URI.Path() == "/1" {
			cancel()
		}
		return run(c, p, env)
	}
	c := fetch.New(scheme("a", h))
	p := play(t, c, "# nobody is contacted")
	if _, err := c.Get(ctx, uri.MustParse("a://h/1"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if p.Open() != 0 {
		t.Error("a connection is left open")
	}
}

// A request finds the facts that an earlier one has stored about the same server. Their number is bounded.
func TestPeer(t *testing.T) {
	var known []bool
	h := giving("")
	h.plan = func(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
		addr, err := u.HostPort(7000)
		return &fetch.Plan{Network: "tcp", Addr: addr}, err
	}
	h.run = func(_ context.Context, _ *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		known = append(known, env.Peer().Get("slow") != nil, env.Peer().Get("fact 99") != nil)
		env.Peer().Set("slow", true)
		for i := range 100 {
			env.Peer().Set(fmt.Sprint("fact ", i), true)
		}
		return fetch.NewDocument(nil), nil
	}
	c := fetch.New(scheme("a", h))
	for _, u := range []string{"a://h/", "a://h/", "a://g/"} {
		get(t, c, u, nil)
	}
	if got, want := fmt.Sprint(known), "[false false true false false false]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// sharer is one of several requests of a list.
type sharer struct{}

func (sharer) Join()         {}
func (sharer) MayOpen() bool { return true }

// shared is a session that several requests may use.
type shared struct{ session }

func (shared) Streams() int { return 9 }

// A handler that panics while it opens a shared session lets the other requests go on.
func TestPanicWhileASharedSessionIsOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := fetch.New(scheme("a", probe{run: func(ctx context.Context, _ *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
			_, _, _, err := fetch.Share(ctx, env, "", func(context.Context) (shared, error) { panic("as the library") })
			return nil, err
		}}))
		defer c.Close()
		ctx, cancel := context.WithTimeout(fetch.WithSharer(t.Context(), sharer{}), time.Hour)
		defer cancel()
		for range 2 {
			if _, err := c.Get(ctx, uri.MustParse("a://h/"), nil); fetch.KindOf(err) != fetch.ErrProtocol {
				t.Errorf("got %v, want the panic as an ErrProtocol", err)
			}
		}
	})
}
