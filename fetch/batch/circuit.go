package batch

import (
	"errors"
	"fmt"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/retry"
	"example.org/deref/uri"
)

// circuits tracks servers that fail repeatedly. Only failing servers are in it, so a list of working hosts costs nothing.
type circuits struct {
	patience int
	isOutage func(error) bool
	outage   time.Duration       // Options.Outage
	bad      map[string]*circuit // by scheme, host and port as written
}

// A circuit is closed while requests pass, and open while the server gets none.
type circuit struct {
	failures int
	until    time.Time // open until then; zero while closed
	opened   int       // times in a row
	probing  bool      // one request is probing whether the server is back
	last     error
	refusing bool      // the server is up, but refuses every request
	first    time.Time // when it opened; it has not been closed since
}

const (
	firstRest   = 30 * time.Second
	longestRest = 10 * time.Minute
	probeTime   = time.Second // how soon to check again while the probe is running
	maxCircuits = 4096
)

// circuitOpen is the error of an item for which no request was sent.
type circuitOpen struct {
	err     *fetch.Error
	givenUp bool // it has failed for too long to wait any longer
}

func (l circuitOpen) Error() string { return l.err.Error() }

// Unwrap returns the error with the kind of the earlier failures.
func (l circuitOpen) Unwrap() error { return l.err }

func isCircuitOpen(err error) bool {
	_, ok := errors.AsType[circuitOpen](err)
	return ok
}

// check returns an error if the circuit of the item's server is open.
func (c *circuits) check(it *Item) error {
	it.probe = false
	if len(c.bad) == 0 {
		return nil
	}
	x := c.bad[serverName(it.URI)]
	if x == nil || x.until.IsZero() {
		return nil
	}
	rest := time.Until(x.until)
	if rest <= 0 && !x.probing {
		x.probing, it.probe = true, true
		return nil
	}
	why := fmt.Sprintf("failed %d times in a row", x.failures)
	if x.refusing {
		why = "refused every request for a minute"
	}
	return circuitOpen{&fetch.Error{Kind: fetch.KindOf(x.last), After: max(rest, probeTime), Err: x.last,
		Text: fmt.Sprintf("not requested, since the server has %s: %v", why, x.last)}, x.until.Sub(x.first) > c.outage}
}

// isOpen reports whether the item's server gets no request now.
func (c *circuits) isOpen(it *Item) bool {
	if len(c.bad) == 0 {
		return false
	}
	x := c.bad[serverName(it.URI)]
	return x != nil && !x.until.IsZero() && (x.probing || time.Until(x.until) > 0)
}

// clearProbe records that the probe was inconclusive.
func (c *circuits) clearProbe(it *Item) {
	if x := c.bad[serverName(it.URI)]; x != nil {
		x.probing = false
	}
}

// record records the result of a request.
func (c *circuits) record(it *Item, err error) {
	if c.patience < 0 || err == nil && len(c.bad) == 0 {
		return
	}
	name := serverName(it.URI)
	x := c.bad[name]
	switch {
	case isOurs(err), err != nil && it.atFault: // it shows nothing about the server
		c.clearProbe(it)
		return
	case !c.isOutage(err):
		delete(c.bad, name)
		return
	}
	if x == nil {
		if len(c.bad) >= maxCircuits {
			return
		}
		if c.bad == nil {
			c.bad = map[string]*circuit{}
		}
		x = &circuit{}
		c.bad[name] = x
	}
	if down, refusing := it.limiter.isDown(c.patience); down {
		x.refusing, x.failures = refusing, max(x.failures, c.patience-1)
	}
	x.fail(err, c.patience)
}

// fail counts a failure. Requests that were running when the circuit opened change nothing.
func (x *circuit) fail(err error, patience int) {
	x.failures++
	x.last = err
	if x.until.IsZero() && x.failures < patience || !x.until.IsZero() && !x.probing {
		return
	}
	if x.first.IsZero() {
		x.first = time.Now()
	}
	x.until = time.Now().Add(min(firstRest<<min(x.opened, 8), longestRest))
	x.probing = false
	x.opened++
}

// isOutage reports whether err is caused by the server, whatever the document. A server that sends Retry-After gets that pause instead.
func isOutage(err error) bool {
	switch fetch.KindOf(err) {
	case fetch.ErrDNS, fetch.ErrConnect, fetch.ErrConnection, fetch.ErrTimeout:
		return true
	case fetch.ErrUnavailable:
		return retry.After(err) == 0
	}
	return false
}

// isOurs reports whether err is independent of the server.
func isOurs(err error) bool {
	switch fetch.KindOf(err) {
	case fetch.ErrRefusedURL, fetch.ErrRefusedPort, fetch.ErrDenied, fetch.ErrUnsupported, fetch.ErrLocal, fetch.ErrDisk:
		return true
	}
	return false
}

func serverName(u uri.URI) string {
	return u.Scheme() + "://" + string(u.Host()) + ":" + u.Port()
}
