//go:build unix || windows

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"example.org/deref/fetch"
)

// counts are the events of the worker in this process.
type counts struct{ late, lost atomic.Int64 }

// note counts an event of hub.WorkOptions.Report.
func (c *counts) note(event string, args ...any) {
	switch event {
	case "late write rejected":
		c.late.Add(1)
	case "results lost":
		if n, ok := args[len(args)-1].(int64); ok {
			c.lost.Add(n)
		}
	}
}

// writeMetrics writes nothing if there is no worker.
func (c *counts) writeMetrics(w io.Writer, job string) {
	if c == nil {
		return
	}
	fmt.Fprintf(w, `# HELP derefd_late_writes_total Writes of this worker that were rejected, because another one owned the partition.
# TYPE derefd_late_writes_total counter
derefd_late_writes_total{job=%q} %d
# HELP derefd_repeated_fetches_total URIs that this worker has fetched in vain, so that another one fetches them again.
# TYPE derefd_repeated_fetches_total counter
derefd_repeated_fetches_total{job=%q} %d
`, job, c.late.Load(), job, c.lost.Load())
}

// writeHubMetrics writes nothing if the hub is in another process.
func (p *page) writeHubMetrics(w io.Writer, problem string) {
	if p.server == nil {
		return
	}
	healthy := 1
	if problem != "" {
		healthy = 0
	}
	fmt.Fprintf(w, "# HELP derefd_hub_healthy 1 if the hub can write.\n# TYPE derefd_hub_healthy gauge\nderefd_hub_healthy %d\n", healthy)
	if free, err := p.server.Free(); err == nil {
		fmt.Fprintf(w, "# HELP derefd_hub_free_bytes Bytes that the disk of the hub has left.\n# TYPE derefd_hub_free_bytes gauge\nderefd_hub_free_bytes %d\n", free)
	}
}

// healthTime is how long a page may take to respond.
const healthTime = 10 * time.Second

// health requests /health of a page, for systems whose checks are commands.
func (c *command) health(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+cmp.Or(c.page, "127.0.0.1:8222")+"/health", nil)
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "--page: %w", err)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		return fetch.Errorf(fetch.ErrConnect, "%w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1000))
	if err != nil {
		return fetch.Errorf(fetch.ErrConnection, "%w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fetch.Errorf(fetch.ErrUnavailable, "%s", strings.TrimSpace(string(text)))
	}
	_, err = c.out.Write(text)
	return err
}
