// Package scope decides which URIs a program that follows links may read: by where it began and the patterns of its user (Scope), by signs of endless
// paths, and by the robots.txt of http, gopher and gemini servers (RFC 9309; for gopher the convention of Veronica, which reads the text of the selector
// robots.txt; for gemini the companion specification "robots.txt for Gemini").
//
//	rules := scope.NewRobots(client, "deref")
//	ok, err := rules.Allows(ctx, u)
package scope

import (
	"cmp"
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Robots knows the robots.txt of the servers that it has been asked about. A nil *Robots allows everything. It is safe for concurrent use.
type Robots struct {
	client fetch.Getter
	agent  string
	mu     sync.Mutex
	known  map[string]*server
}

// NewRobots returns the rules for the robot with the name agent; "" is "deref". g reads each robots.txt once, when it is needed.
func NewRobots(g fetch.Getter, agent string) *Robots {
	return &Robots{client: g, agent: cmp.Or(agent, "deref")}
}

// A server holds the rules of one robots.txt.
type server struct {
	where uri.URI
	mu    sync.Mutex // held while robots.txt is fetched
	rules *rules     // nil if it was not read yet
	until time.Time  // when it is read again
	maps  []string   // URIs of sitemaps
	next  time.Time  // when the next request may be made
}

const (
	maxServers = 4096
	maxRobots  = 500 << 10 // RFC 9309 section 2.5

	maxSitemaps = 100
	mostDelay   = time.Minute
	mostAge     = 24 * time.Hour // section 2.4
)

// Allows reports whether u may be fetched, after a wait if the server's Crawl-delay demands one: a batch spaces requests to a host with a known delay,
// but not those that began together, before robots.txt was read. If the server fails to send robots.txt, everything is forbidden (section 2.3.1.4), and
// the error is the reason.
func (r *Robots) Allows(ctx context.Context, u uri.URI) (bool, error) {
	s, path := r.server(u)
	if s == nil {
		return true, nil
	}
	s.mu.Lock()
	begin, err := r.admit(ctx, s, path)
	s.mu.Unlock()
	if err != nil || begin.IsZero() {
		return false, err
	}
	ok := fetch.Sleep(ctx, time.Until(begin))
	return ok, ctx.Err()
}

// admit returns when the next request may be made, or zero if the path is forbidden. The caller holds s.mu.
func (r *Robots) admit(ctx context.Context, s *server, path string) (begin time.Time, err error) {
	if err := r.load(ctx, s); err != nil || !s.rules.allows(path) {
		return begin, err
	}
	if begin = time.Now(); s.next.After(begin) {
		begin = s.next
	}
	s.next = begin.Add(s.delay())
	return begin, nil
}

// Sitemaps returns the sitemaps that the robots.txt of u's server names (sitemaps.org, "Submitting your Sitemaps"). It returns nil if there is none.
func (r *Robots) Sitemaps(ctx context.Context, u uri.URI) (list []uri.URI) {
	s, _ := r.server(u)
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.load(ctx, s) != nil {
		return nil
	}
	for _, name := range s.maps {
		if u, err := uri.Parse(name); err == nil && u.IsAbs() && len(list) < maxSitemaps {
			list = append(list, u)
		}
	}
	return list
}

// load reads the robots.txt of s, unless it has been read. The caller holds s.mu.
func (r *Robots) load(ctx context.Context, s *server) error {
	if s.rules != nil && time.Until(s.until) > 0 {
		return nil
	}
	text, err := r.fetch(ctx, s.where)
	if err != nil {
		return err
	}
	s.rules, s.maps = parseRules(text, r.agent)
	s.until = time.Now().Add(mostAge)
	return nil
}

// Forbids reports whether the server of u is known to forbid u. It does not wait.
func (r *Robots) Forbids(u uri.URI) bool {
	s, path := r.server(u)
	if s == nil || !s.mu.TryLock() {
		return false
	}
	defer s.mu.Unlock()
	return s.rules != nil && !s.rules.allows(path)
}

// Delay returns the pause that a server requests, if it is known already.
func (r *Robots) Delay(u uri.URI) time.Duration {
	s, _ := r.server(u)
	if s == nil || !s.mu.TryLock() {
		return 0
	}
	defer s.mu.Unlock()
	return s.delay()
}

// delay returns the pause that robots.txt requests, if it has been read. The caller holds s.mu.
func (s *server) delay() time.Duration {
	if s.rules == nil {
		return 0
	}
	return s.rules.wait
}

// server returns the rules of u's server, and the path of u in them. It returns nil if there are none.
func (r *Robots) server(u uri.URI) (s *server, path string) {
	where, path := robotsOf(u)
	if r == nil || where.IsZero() {
		return nil, ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s = r.known[where.String()]; s == nil {
		if r.known == nil || len(r.known) >= maxServers {
			r.known = map[string]*server{}
		}
		s = &server{where: where}
		r.known[where.String()] = s
	}
	return s, path
}

// robotsOf returns the URI of the robots.txt for u, or zero, and the path of u in its rules.
func robotsOf(u uri.URI) (where uri.URI, path string) {
	a, _ := u.WithoutUserinfo().Authority()
	switch u.Scheme() {
	case "http", "https", "gemini":
		where, _ = uri.Parse(u.Scheme() + "://" + string(a) + "/robots.txt")
		path = string(u.Path())
		if q, has := u.Query(); has {
			path += "?" + string(q)
		}
	case "gopher", "gophers":
		where, _ = uri.Parse(u.Scheme() + "://" + string(a) + "/0robots.txt")
		path = gopherSelector(u.Path().Decode())
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return where, path
}

// fetch reads a robots.txt. If it does not exist or may not be read, nothing is forbidden (RFC 9309 section 2.3.1.3).
func (r *Robots) fetch(ctx context.Context, where uri.URI) (text []byte, err error) {
	d, err := r.client.Get(ctx, where, nil)
	if d != nil {
		defer d.Body.Close()
	}
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(d.Body, maxRobots))
	}
	switch fetch.KindOf(err) {
	case fetch.ErrNotFound, fetch.ErrRefused, fetch.ErrAuth, fetch.ErrRedirect:
		return nil, nil
	}
	return text, err
}
