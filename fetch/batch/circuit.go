package batch

import (
	"errors"
	"fmt"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/retry"
	"example.org/deref/uri"
)

// circuits notes which servers fail running. Only those that do are in it: a list whose hosts answer costs nothing.
type circuits struct {
	patience int
	bad      map[string]*circuit // by scheme, host and port as written
}

// A circuit is closed while requests pass, and open while the server is left alone.
type circuit struct {
	failures int
	until    time.Time // open until then, zero while it is closed
	opened   int       // times running
	probing  bool      // one request finds out whether the server has come back
	last     error
	refusing bool      // it is up, but serves nobody
	first    time.Time // when it opened and has not been closed since
}

const (
	firstRest   = 30 * time.Second
	longestRest = 10 * time.Minute
	probeTime   = time.Second // how soon to look again while the probe is under way
	maxCircuits = 4096

	// longestOutage is how long what may be tried again waits for a server that is left alone.
	longestOutage = 5 * time.Minute
)

// leftAlone is the error of an item that was not asked for.
type leftAlone struct {
	err     *fetch.Error
	givenUp bool // it has failed for too long to be waited for
}

func (l leftAlone) Error() string { return l.err.Error() }

// Unwrap returns the error with the kind of the failures before.
func (l leftAlone) Unwrap() error { return l.err }

func left(err error) bool {
	_, ok := errors.AsType[leftAlone](err)
	return ok
}

// check returns an error for an item of a server that is left alone.
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
	why := fmt.Sprintf("failed %d times running", x.failures)
	if x.refusing {
		why = "refused every request for a minute"
	}
	return leftAlone{&fetch.Error{Kind: fetch.KindOf(x.last), After: max(rest, probeTime), Err: x.last,
		Text: fmt.Sprintf("not asked, since the server has %s: %v", why, x.last)}, x.until.Sub(x.first) > longestOutage}
}

// abstain notes that a request has shown nothing about its server.
func (c *circuits) abstain(it *Item) {
	if x := c.bad[serverName(it.URI)]; x != nil {
		x.probing = false
	}
}

// judge notes how a request of a server ended.
func (c *circuits) judge(it *Item, err error) {
	if c.patience < 0 || err == nil && len(c.bad) == 0 {
		return
	}
	name := serverName(it.URI)
	x := c.bad[name]
	switch {
	case isOurs(err):
		c.abstain(it)
		return
	case !isOutage(err):
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
	if down, refusing := it.ration.isDown(c.patience); down {
		x.refusing, x.failures = refusing, max(x.failures, c.patience-1)
	}
	x.fail(err, c.patience)
}

// fail counts. Requests that were under way when the circuit opened change nothing.
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

// isOutage reports whether err is the server's, whatever document was wanted. A server that tells when to come back has its own
// pause.
func isOutage(err error) bool {
	switch fetch.KindOf(err) {
	case fetch.ErrDNS, fetch.ErrConnect, fetch.ErrConnection, fetch.ErrTimeout:
		return true
	case fetch.ErrUnavailable:
		return retry.After(err) == 0
	}
	return false
}

// isOurs reports whether err says nothing of the server.
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
