//go:build unix || windows

package main

import (
	"context"
	"fmt"
	htmltemplate "html/template"
	"net"
	"net/http"
	"strings"
	"sync"
	"text/template"
	"time"

	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/hub"
)

// A page shows the status of a job over HTTP. It changes nothing.
type page struct {
	job    *hub.Job    // nil for derefd hub
	server *hub.Server // in this process; may be nil
	counts *counts     // of the worker in this process; nil if there is none
	host   string      // on which it listens

	mu     sync.Mutex
	latest *hub.Status
	at     time.Time
	before *hub.Status // the sample before, for the rate
	past   time.Time
}

// sampleTime is how long a sample is used, so that readers of the page do not burden the hub.
const sampleTime = 2 * time.Second

// A view is what the page and the metrics show.
type view struct {
	*hub.Status // nil for derefd hub
	Job         string
	PerSecond   float64
	Counts      *counts
	Hub         *hubView // nil if the hub is in another process
}

// State returns whether a job is finished.
func (v *view) State() string { return stateOf(v.Status) }

type hubView struct {
	Problem string
	Free    *int64 // bytes of the disk; nil if unknown
}

// servePage starts the page of --page. Nothing happens without the flag.
func (c *command) servePage(p *page) (stop func(), err error) {
	if c.page == "" {
		return func() {}, nil
	}
	l, err := net.Listen("tcp", c.page)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "--page: %w", err)
	}
	host, _, err := net.SplitHostPort(c.page)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "--page: %w", err)
	}
	p.server, p.host = c.server, host
	if p.job != nil {
		fmt.Fprintf(c.err, "http://%s/ and http://%s/metrics show the job\n", l.Addr(), l.Addr())
	} else {
		fmt.Fprintf(c.err, "http://%s/health and http://%s/metrics show the hub\n", l.Addr(), l.Addr())
	}
	s := &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: time.Minute}
	go s.Serve(l)
	return func() { s.Close() }, nil
}

func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the page is read-only", http.StatusMethodNotAllowed)
		return
	case !p.isOwnName(r.Host): // another site's name that was rebound to this address
		http.Error(w, "this is not the requested host", http.StatusMisdirectedRequest)
		return
	case r.URL.Path != "/metrics" && r.URL.Path != "/health" && (r.URL.Path != "/" || p.job == nil):
		http.NotFound(w, r)
		return
	}
	v := &view{Counts: p.counts}
	var err error
	if p.job != nil {
		v.Job = p.job.Name
		v.Status, v.PerSecond, err = p.sample(r.Context())
	}
	problem := ""
	if p.server != nil {
		problem = p.server.Problem()
		v.Hub = &hubView{Problem: problem}
		if free, err := p.server.Free(); err == nil {
			v.Hub.Free = &free
		}
	}
	switch {
	case err != nil:
		http.Error(w, "the hub does not respond", http.StatusServiceUnavailable)
	case r.URL.Path == "/health" && problem != "":
		http.Error(w, problem, http.StatusServiceUnavailable)
	case r.URL.Path == "/health":
		fmt.Fprintln(w, "ok")
	case r.URL.Path == "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		htmltemplate.Must(htmltemplate.New("").Funcs(map[string]any{"bytes": terminal.FormatBytes, "owner": ownerOf}).Parse(pageText)).Execute(w, v)
	default:
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		template.Must(template.New("").Parse(metricsText)).Execute(w, v)
	}
}

// isOwnName reports whether a Host field is an address, localhost, or the name on which the page listens.
func (p *page) isOwnName(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return host == "localhost" || net.ParseIP(strings.Trim(host, "[]")) != nil || p.host != "" && strings.EqualFold(host, p.host)
}

// sample returns the status, and the results per second between the last two samples, or on average if there is only one.
func (p *page) sample(ctx context.Context) (s *hub.Status, perSecond float64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); p.latest == nil || now.Sub(p.at) >= sampleTime {
		s, err := p.job.Status(ctx)
		if err != nil {
			return nil, 0, err
		}
		p.before, p.past, p.latest, p.at = p.latest, p.at, s, now
	}
	if p.before == nil {
		return p.latest, rate(p.latest), nil
	}
	return p.latest, float64(p.latest.Records()-p.before.Records()) / p.at.Sub(p.past).Seconds(), nil
}
