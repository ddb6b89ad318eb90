//go:build unix || windows

package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/render"
)

// serve runs a hub until a signal arrives.
func (c *command) serve(ctx context.Context) error {
	host, _, err := net.SplitHostPort(c.listen)
	if err != nil {
		return flags.Usage("--listen: " + err.Error())
	}
	ctx, stop := terminal.Interruptible(ctx)
	defer stop()
	ip := net.ParseIP(host) // nil is neither of loopback nor unspecified
	s, err := hub.Serve(&hub.ServerOptions{Dir: c.data, Addr: c.listen, Secure: host != "localhost" && !ip.IsLoopback(),
		Report: c.reportHub})
	if err != nil {
		return err
	}
	defer s.Close()
	c.server = s
	closePage, err := c.servePage(&page{})
	if err != nil {
		return err
	}
	defer closePage()
	name := ""
	if host == "" || ip.IsUnspecified() {
		if name, err = os.Hostname(); err != nil {
			return fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
	}
	fmt.Fprintln(c.out, s.URL(name))
	if c.log {
		c.logger("").Info("hub", "listen", c.listen, "data", c.data)
	}
	<-ctx.Done() // by a signal, which is how a hub ends
	return nil
}

// reportHub reports a problem of the hub in this process.
func (c *command) reportHub(problem string) {
	if c.log {
		c.logger("").Info("hub", "error", problem)
		return
	}
	fmt.Fprintf(c.err, "derefd: the hub: %s\n", render.Escape(problem))
}

// logger returns the log of --log.
func (c *command) logger(job string) *slog.Logger {
	l := slog.New(slog.NewJSONHandler(c.err, nil))
	if job != "" {
		l = l.With("job", job)
	}
	return l
}
