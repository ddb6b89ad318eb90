package gateway

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A record describes a finished request for the log and the metrics.
type record struct {
	http.ResponseWriter
	form   string // page, octets, part, proxy, or own for the gateway's own pages
	object uri.URI
	kind   fetch.Kind
	hint   string // for whoever runs the gateway
	status int
	octets int64
	whole  bool // the response was completed

	crosses bool // a foreign page may embed the response

	answered atomic.Bool // the reader has all bytes that Content-Length announced
	length   int64       // that is announced; negative without
	ignore   func() bool // stops waiting for the reader to leave; nil before patient
}

func (c *record) WriteHeader(status int) {
	c.begin(status)
	c.ResponseWriter.WriteHeader(status)
}

func (c *record) begin(status int) {
	if c.status != 0 {
		return
	}
	c.status = status
	if c.crosses {
		c.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
	for name, values := range c.Header() {
		if slices.ContainsFunc(values, func(v string) bool { return strings.ContainsFunc(v, isControl) }) {
			c.Header()[name] = blanked(values)
		}
	}
	var err error
	if c.length, err = strconv.ParseInt(c.Header().Get("Content-Length"), 10, 64); err != nil {
		c.length = -1
	}
}

// blanked returns values with blanks in place of the control characters that no field can contain (RFC 9110 section 5.5). Messages of other
// protocols have them.
func blanked(values []string) []string {
	list := make([]string, len(values))
	for i, v := range values {
		b := []byte(v) // may be Latin-1
		for j, c := range b {
			if isControl(rune(c)) {
				b[j] = ' '
			}
		}
		list[i] = string(b)
	}
	return list
}

func isControl(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }

// patience is the time limit for a read and a write of a client.
const patience = time.Minute

// Write writes b, which the client must read in time.
func (c *record) Write(b []byte) (int, error) {
	c.begin(http.StatusOK)
	c.extend()
	n, err := c.ResponseWriter.Write(b)
	if c.octets += int64(n); c.octets == c.length {
		c.answered.Store(true)
	}
	return n, err
}

// extend lets the client read what is written now, for which it may have waited long.
func (c *record) extend() {
	http.NewResponseController(c.ResponseWriter).SetWriteDeadline(time.Now().Add(patience))
}

// patient returns the context for what r asks for. It ends when the reader leaves, unless the reader has the whole document: then the origin's
// last reply is awaited nevertheless, so that an archive has a complete capture and the connection can be kept.
func (c *record) patient(r *http.Request) context.Context {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	c.ignore = context.AfterFunc(r.Context(), func() {
		if !c.answered.Load() {
			cancel()
		}
	})
	return ctx
}

// Unwrap supports http.ResponseController.
func (c *record) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// recordKey is the context key for the record of a request.
type recordKey struct{}

// note returns the record of a request.
func note(r *http.Request) *record {
	c, _ := r.Context().Value(recordKey{}).(*record)
	return c
}

// recorded handles a request and records it, however it ends.
func (g *Gateway) recorded(w http.ResponseWriter, r *http.Request, answer http.HandlerFunc) {
	start := time.Now()
	c := &record{ResponseWriter: w, form: "own"}
	defer func() {
		if c.ignore != nil && c.answered.Load() { // otherwise the end of the request starts a goroutine that does nothing
			c.ignore()
		}
		d := time.Since(start)
		g.metrics.add(c, g.schemeLabel(c), d)
		g.log(r, c, d)
	}()
	answer(c, r.WithContext(context.WithValue(r.Context(), recordKey{}, c)))
	c.extend()
	c.whole = true
}

// log writes the log line of a request, without passwords and search words.
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
	if c.hint != "" {
		list = append(list, slog.String("hint", c.hint))
	}
	if !c.whole {
		list = append(list, slog.Bool("broken", true))
	}
	g.cfg.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", list...)
}

// plain returns a URI without possible secrets.
func (g *Gateway) plain(u uri.URI) string {
	s, _, _ := strings.Cut(g.client.Schemes.Redact(u.WithoutFragment()), "?")
	return s
}

// schemeLabel returns the scheme of the object, or "" if the gateway does not know it: clients must not be able to create labels.
func (g *Gateway) schemeLabel(c *record) string {
	s, _ := g.client.Schemes.Lookup(c.object.Scheme())
	return s.Name()
}

// clientOf returns the client's address.
func clientOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
