//go:build unix || windows

package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
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
	var s *hub.Status
	var perSecond float64
	var err error
	if p.job != nil {
		s, perSecond, err = p.sample(r.Context())
	}
	problem := ""
	if p.server != nil {
		problem = p.server.Problem()
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
		writePage(w, p.job.Name, s, perSecond)
	default:
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		p.writeHubMetrics(w, problem)
		if p.job != nil {
			writeMetrics(w, p.job.Name, s)
			p.counts.writeMetrics(w, p.job.Name)
		}
	}
}

// isOwnName reports whether a Host field is an address, localhost, or the name on which the page listens. A browser sends no empty one, as derefd
// health --page :8222 does.
func (p *page) isOwnName(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return host == "" || host == "localhost" || net.ParseIP(strings.Trim(host, "[]")) != nil || p.host != "" && strings.EqualFold(host, p.host)
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

// writePage writes HTML. Names of jobs and workers contain no markup.
func writePage(w io.Writer, job string, s *hub.Status, perSecond float64) {
	state := stateOf(s)
	fmt.Fprintf(w, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="5">
<title>%s: %s</title>
<style>body { font: 1rem sans-serif; margin: 1rem auto; max-width: 60rem; padding: 0 1rem } table { border-collapse: collapse } td, th { padding: .1rem .8rem .1rem 0; text-align: right } :first-child { text-align: left }
:root { color-scheme: light dark }</style>
</head>
<body>
<h1>%s: %s</h1>
<p>%d of %d URIs have a result: %d done, %d failed, %s. %.1f a second. The log has %s.</p>
`, job, state, job, state, s.Done+s.Failed, s.URIs(), s.Done, s.Failed, terminal.FormatBytes(s.Bytes), perSecond, terminal.FormatBytes(s.Stored))
	writeWorkers(w, s)
	fmt.Fprint(w, "<table>\n<caption>Partitions with URIs</caption>\n<thead><tr><th scope=\"col\">Partition</th><th scope=\"col\">URIs</th><th scope=\"col\">Done</th><th scope=\"col\">Failed</th><th scope=\"col\">Worker</th></tr></thead>\n<tbody>\n")
	for i, p := range s.Partitions {
		if p.Added > 0 {
			fmt.Fprintf(w, "<tr><th scope=\"row\">%d</th><td>%d</td><td>%d</td><td>%d</td><td>%s</td></tr>\n", i, p.URIs(), p.Done, p.Failed, ownerOf(p))
		}
	}
	fmt.Fprint(w, "</tbody>\n</table>\n</body>\n</html>\n")
}

func writeWorkers(w io.Writer, s *hub.Status) {
	workers := s.Workers()
	if len(workers) == 0 {
		fmt.Fprint(w, "<p>No worker has a partition.</p>\n")
		return
	}
	fmt.Fprint(w, "<table>\n<caption>Workers</caption>\n<thead><tr><th scope=\"col\">Worker</th><th scope=\"col\">Partitions</th></tr></thead>\n<tbody>\n")
	for _, name := range slices.Sorted(maps.Keys(workers)) {
		fmt.Fprintf(w, "<tr><th scope=\"row\">%s</th><td>%d</td></tr>\n", name, workers[name])
	}
	fmt.Fprint(w, "</tbody>\n</table>\n")
}

// writeMetrics writes the text format of Prometheus.
func writeMetrics(w io.Writer, job string, s *hub.Status) {
	metric := func(name, kind, help string, value any) {
		fmt.Fprintf(w, "# HELP derefd_%s %s\n# TYPE derefd_%s %s\nderefd_%s{job=%q} %v\n", name, help, name, kind, name, job, value)
	}
	metric("uris_added_total", "counter", "URIs of the job, without duplicates.", s.URIs())
	metric("uris_done_total", "counter", "URIs with a successful result.", s.Done)
	metric("uris_failed_total", "counter", "URIs with a failure as their result.", s.Failed)
	metric("uris_duplicate_total", "counter", "Additions of URIs that the job had.", s.Duplicates)
	metric("document_bytes_total", "counter", "Bytes of documents.", s.Bytes)
	metric("log_bytes", "gauge", "Bytes of the job's stream on disk.", s.Stored)
	metric("partitions", "gauge", "Partitions of the job.", len(s.Partitions))
	finished := 0
	if s.Finished() {
		finished = 1
	}
	metric("finished", "gauge", "1 if every URI has a result.", finished)
	fmt.Fprint(w, "# HELP derefd_failures_total Failures by kind, also those that were done again.\n# TYPE derefd_failures_total counter\n")
	for _, kind := range slices.Sorted(maps.Keys(s.Kinds)) {
		fmt.Fprintf(w, "derefd_failures_total{job=%q,kind=%q} %d\n", job, kind, s.Kinds[kind])
	}
	fmt.Fprint(w, "# HELP derefd_worker_partitions Partitions that a worker has.\n# TYPE derefd_worker_partitions gauge\n")
	workers := s.Workers()
	for _, name := range slices.Sorted(maps.Keys(workers)) {
		fmt.Fprintf(w, "derefd_worker_partitions{job=%q,worker=%q} %d\n", job, name, workers[name])
	}
}
