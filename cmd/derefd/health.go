//go:build unix || windows

package main

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"example.org/deref/fetch"
)

// counts are the events of the worker in this process.
type counts struct{ Late, Lost atomic.Int64 }

// note counts an event of hub.WorkOptions.Report.
func (c *counts) note(event string, args ...any) {
	switch event {
	case "late write rejected":
		c.Late.Add(1)
	case "results lost":
		if n, ok := args[len(args)-1].(int64); ok {
			c.Lost.Add(n)
		}
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
