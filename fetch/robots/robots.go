// Package robots reads the robots.txt of http and gopher servers for programs that follow links (RFC 9309; for gopher the convention of Veronica, which
// reads the text of the selector robots.txt).
//
//	rules := robots.New(client, "deref")
//	ok, err := rules.Allows(ctx, u)
package robots

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/temoto/robotstxt"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Rules knows the rules of the servers that it has been asked about. It is safe for concurrent use.
type Rules struct {
	client fetch.Getter
	agent  string
	mu     sync.Mutex
	known  map[string]*server
}

// New returns the rules for the robot with the name agent. g reads each robots.txt once, when it is needed.
func New(g fetch.Getter, agent string) *Rules { return &Rules{client: g, agent: agent} }

// A server holds the rules of one robots.txt.
type server struct {
	mu    sync.Mutex // held while robots.txt is fetched
	group *robotstxt.Group
	maps  []string // URIs of sitemaps

	pace sync.Mutex
	next time.Time // when the next request may be made
}

const (
	maxServers = 4096
	maxRobots  = 500 << 10 // RFC 9309 section 2.5

	maxSitemaps = 100
	mostDelay   = time.Minute
)

// Allows reports whether u may be fetched. If the server fails to send robots.txt, everything is forbidden (section 2.3.1.4), and the error
// is the reason.
func (r *Rules) Allows(ctx context.Context, u uri.URI) (bool, error) {
	where, path := robotsOf(u)
	if where.IsZero() {
		return true, nil
	}
	s := r.server(where)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := r.load(ctx, s, where); err != nil {
		return false, err
	}
	return s.group.Test(path), nil
}

// Sitemaps returns the sitemaps that the robots.txt of u's server names (sitemaps.org, "Submitting your Sitemaps"). It returns nil if there is none.
func (r *Rules) Sitemaps(ctx context.Context, u uri.URI) (list []uri.URI) {
	where, _ := robotsOf(u)
	if where.IsZero() {
		return nil
	}
	s := r.server(where)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.load(ctx, s, where) != nil {
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
func (r *Rules) load(ctx context.Context, s *server, where uri.URI) error {
	if s.group != nil {
		return nil
	}
	data, err := r.fetch(ctx, where)
	if err != nil {
		return err
	}
	s.group, s.maps = data.FindGroup(r.agent), data.Sitemaps
	return nil
}

// Delay returns the pause that a server requests, if it is known already.
func (r *Rules) Delay(u uri.URI) time.Duration {
	where, _ := robotsOf(u)
	if where.IsZero() {
		return 0
	}
	s := r.server(where)
	if !s.mu.TryLock() {
		return 0
	}
	defer s.mu.Unlock()
	if s.group == nil {
		return 0
	}
	return min(s.group.CrawlDelay, mostDelay)
}

// Wait waits until the server's Crawl-delay permits another request. The batch spaces requests to a host with a known delay; wait does so
// for requests that began together, before robots.txt was read.
func (r *Rules) Wait(ctx context.Context, u uri.URI) error {
	where, _ := robotsOf(u)
	if where.IsZero() {
		return nil
	}
	s := r.server(where)
	pause := s.delay()
	if pause <= 0 {
		return nil
	}
	s.pace.Lock()
	begin := time.Now()
	if s.next.After(begin) {
		begin = s.next
	}
	s.next = begin.Add(pause)
	s.pace.Unlock()
	t := time.NewTimer(time.Until(begin))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// delay returns the pause that robots.txt requests. The caller has called Allows before, so that robots.txt is known.
func (s *server) delay() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.group == nil {
		return 0
	}
	return min(s.group.CrawlDelay, mostDelay)
}

func (r *Rules) server(where uri.URI) *server {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.known[where.String()]
	if s == nil {
		if r.known == nil || len(r.known) >= maxServers {
			r.known = map[string]*server{}
		}
		s = &server{}
		r.known[where.String()] = s
	}
	return s
}

// robotsOf returns the URI of the robots.txt for u, or zero, and the path of u in its rules.
func robotsOf(u uri.URI) (where uri.URI, path string) {
	a, _ := u.WithoutUserinfo().Authority()
	switch u.Scheme() {
	case "http", "https":
		where, _ = uri.Parse(u.Scheme() + "://" + string(a) + "/robots.txt")
		path = string(u.Path())
		if q, has := u.Query(); has {
			path += "?" + string(q)
		}
	case "gopher", "gophers":
		where, _ = uri.Parse(u.Scheme() + "://" + string(a) + "/0robots.txt")
		if s := strings.TrimPrefix(u.Path().Decode(), "/"); s != "" {
			path = string(escapedRules([]byte(s[1:])))
		}
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return where, path
}

// fetch reads a robots.txt. If it does not exist or may not be read, nothing is forbidden (RFC 9309 section 2.3.1.3).
func (r *Rules) fetch(ctx context.Context, where uri.URI) (*robotstxt.RobotsData, error) {
	d, err := r.client.Get(ctx, where, nil)
	if d != nil {
		defer d.Body.Close()
	}
	var text []byte
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(d.Body, maxRobots))
	}
	switch fetch.KindOf(err) {
	case fetch.ErrNotFound, fetch.ErrRefused, fetch.ErrAuth, fetch.ErrRedirect:
		text, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseRobots(text)
}

// escapedRules escapes the bytes beyond ASCII in the paths of rules, which are compared with those of URIs (RFC 9309 section 2.2.2).
func escapedRules(text []byte) []byte {
	var out []byte
	for _, c := range bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) {
		if c < utf8.RuneSelf {
			out = append(out, c)
		} else {
			out = fmt.Appendf(out, "%%%02X", c)
		}
	}
	return out
}

// parseRobots parses the valid lines of a file. QUIRK: robotstxt v1.1.2 rejects a whole file for one bad line.
func parseRobots(text []byte) (*robotstxt.RobotsData, error) {
	text = escapedRules(text)
	if data, err := robotstxt.FromBytes(text); err == nil {
		return data, nil
	}
	var rules []byte
	begun := false
	for line := range bytes.Lines(text) {
		word, _, _ := strings.Cut(string(line), ":")
		switch strings.ToLower(strings.TrimSpace(word)) {
		case "user-agent":
			begun = true
		case "allow", "disallow":
		default:
			continue
		}
		if begun {
			rules = append(rules, line...)
		}
	}
	if data, err := robotstxt.FromBytes(rules); err == nil {
		return data, nil
	}
	return robotstxt.FromBytes(nil)
}
