package check

import (
	"errors"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/retry"
	"example.org/deref/uri"
)

// paces adapts the rate of requests to what each host tolerates. A host that refuses requests for now (429, 503) gets a pause between them, which
// doubles with each refusal and is halved after some responses, after more of them if that was too early. It is safe for concurrent use.
type paces struct {
	mu    sync.Mutex
	hosts map[string]*pace
}

type pace struct {
	pause time.Duration // between requests
	good  int           // responses since the pause changed
	step  int           // responses after which the pause is halved
	fell  bool          // it was halved since the last refusal
}

const (
	firstPause   = 250 * time.Millisecond
	longestPause = 8 * time.Second
	firstSteps   = 4
	longestSteps = 1024
	maxPaces     = 4096
)

// note notes the result of a request.
func (p *paces) note(u uri.URI, err error) {
	host := strings.ToLower(u.Hostname())
	if host == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.hosts[host]
	busy := isBusy(err)
	if h == nil {
		if !busy || len(p.hosts) >= maxPaces {
			return
		}
		if p.hosts == nil {
			p.hosts = map[string]*pace{}
		}
		h = &pace{step: firstSteps}
		p.hosts[host] = h
	}
	h.adapt(busy)
}

// adapt changes the pause after a response.
func (h *pace) adapt(busy bool) {
	if busy {
		if h.fell {
			h.step = min(2*h.step, longestSteps)
		}
		h.pause, h.good, h.fell = min(max(2*h.pause, firstPause), longestPause), 0, false
		return
	}
	if h.good++; h.good < h.step {
		return
	}
	if h.good, h.pause, h.fell = 0, h.pause/2, true; h.pause < firstPause/8 {
		h.pause = 0
	}
}

// of returns the pause for an item's host.
func (p *paces) of(it *batch.Item) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.hosts[strings.ToLower(it.URI.Hostname())]
	if h == nil {
		return 0
	}
	return h.pause
}

// isBusy reports whether the server accepts no request for now.
func isBusy(err error) bool {
	e, ok := errors.AsType[*fetch.Error](err)
	return ok && e.Kind == fetch.ErrUnavailable && (e.Busy || e.Status == 503)
}

// isOutage reports whether err means that the host is down, whatever the document: it does not connect, or it accepts no requests for now without
// saying until when. Anything else, such as a 500 or a page that takes too long, concerns that document only.
func isOutage(err error) bool {
	switch fetch.KindOf(err) {
	case fetch.ErrDNS, fetch.ErrConnect, fetch.ErrConnection:
		return true
	case fetch.ErrTimeout:
		e, ok := errors.AsType[*fetch.Error](err)
		return ok && (e.Pending.Phase == fetch.PendingConnection || e.Pending.Phase == fetch.PendingTLS || e.Pending.Phase == fetch.PendingGreeting)
	}
	return isBusy(err) && retry.After(err) == 0
}
