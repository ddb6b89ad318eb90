package gateway

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A record is what is known of a request when it is over: for the log, and for the metrics.
type record struct {
	http.ResponseWriter
	form   string // what was asked for: page, octets, part, proxy, or own for the gateway's own pages
	object uri.URI
	kind   fetch.Kind
	status int
	octets int64
	whole  bool // the answer was not broken off
}

func (c *record) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *record) Write(b []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	n, err := c.ResponseWriter.Write(b)
	c.octets += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (c *record) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// recordKey finds the record of a request in its context.
type recordKey struct{}

// note tells what a request is about.
func note(r *http.Request) *record {
	if c, ok := r.Context().Value(recordKey{}).(*record); ok {
		return c
	}
	return &record{}
}

// recorded answers a request and keeps account of it, however it ends.
func (g *Gateway) recorded(w http.ResponseWriter, r *http.Request, answer http.HandlerFunc) {
	start := time.Now()
	c := &record{ResponseWriter: w, form: "own"}
	defer func() {
		d := time.Since(start)
		g.metrics.add(c, g.schemeLabel(c), d)
		g.log(r, c, d)
	}()
	answer(c, r.WithContext(context.WithValue(r.Context(), recordKey{}, c)))
	c.whole = true
}

// log writes the line about a request. Passwords, and words that were searched for, are not in it.
func (g *Gateway) log(r *http.Request, c *record, d time.Duration) {
	if g.cfg.Log == nil {
		return
	}
	list := []slog.Attr{slog.String("client", clientOf(r)), slog.String("method", r.Method), slog.String("form", c.form),
		slog.Int("status", c.status), slog.Int64("octets", c.octets), slog.Float64("seconds", d.Seconds())}
	if !c.object.IsZero() {
		list = append(list, slog.String("uri", g.plain(c.object)))
	}
	if c.kind != "" {
		list = append(list, slog.String("error", string(c.kind)))
	}
	if !c.whole {
		list = append(list, slog.Bool("broken", true))
	}
	g.cfg.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", list...)
}

// plain is a URI without anything that may be a secret.
func (g *Gateway) plain(u uri.URI) string {
	s := g.client.Schemes.Redact(u.WithoutFragment())
	for i := range len(s) {
		if s[i] == '?' {
			return s[:i]
		}
	}
	return s
}

// schemeLabel is the scheme of the object, "" if it is none that the gateway knows: what anybody writes is no label.
func (g *Gateway) schemeLabel(c *record) string {
	s, _ := g.client.Schemes.Lookup(c.object.Scheme())
	return s.Name()
}

// clientOf is the address of who asks.
func clientOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
