package fetchtest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.org/deref/fetch"
)

// checkNetwork dereferences through a Relay. A slow network that loses packets changes nothing. Where one connection is cut in the middle or
// becomes half open, the result is an error of the right kind within Timeouts.Idle, unless the document is whole already. Datagrams are lost,
// doubled, late, and damaged at each byte.
func checkNetwork(x *subject) error {
	datagrams := x.isDatagrams()
	relay, err := x.slowly(datagrams)
	if relay == nil {
		return err
	}
	errs := []error{err}
	var mu sync.Mutex
	var running sync.WaitGroup // real servers are waited for at the same time
	for i := range relay.Connections() {
		half := (relay.Bytes(i+1) + 1) / 2
		if half == 0 {
			continue // refused, or the server sends nothing
		}
		all := []Faults{{CutAt: half}, {CutAt: half, Reset: true}, {StallAt: half}}
		if datagrams { // UDP has neither FIN nor RST
			all = []Faults{{StallAt: 1}, {Twice: true}}
			if !x.Live { // where waiting takes time
				all = append(all, Faults{Latency: patience / 2})
				for n := range relay.Bytes(i + 1) {
					all = append(all, Faults{CorruptAt: n})
				}
			}
		}
		for _, f := range all {
			f.Conn, f.Latency, f.Down = i+1, cmp.Or(f.Latency, 5*time.Millisecond), true
			running.Go(func() {
				err := x.through(f)
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
			})
		}
	}
	running.Wait()
	return errors.Join(errs...)
}

// isDatagrams reports whether the subject uses UDP.
func (x *subject) isDatagrams() bool {
	p, err := x.planned()
	return x.script.Datagrams() || err == nil && p.Network == "udp"
}

// slowly uses a network that takes about a second for the whole script. For a real server it is faster.
func (x *subject) slowly(datagrams bool) (*Relay, error) {
	a := x.attempt()
	a.line = &Faults{Latency: 20 * time.Millisecond, Rate: max(2000, x.script.Bytes()), Loss: 3}
	if x.Live {
		a.line = &Faults{Latency: time.Millisecond, Rate: 1 << 20, Loss: 3, Retransmit: 2 * time.Millisecond}
	}
	if datagrams {
		a.line.Loss = 0 // the script does not contain bytes that a client sends again
	}
	r, err := a.run()
	switch {
	case err != nil:
	case r.play != nil:
		err = r.play
	case x.Err != "" && errors.Is(r.err, x.Err):
	case r.err != nil:
		err = r.err
	case x.Err != "":
		err = fmt.Errorf("got the document %q, want an error of kind %s", r.body, x.Err)
	case !x.isSame(r.body):
		err = fmt.Errorf("got body %q, want %q", r.body, x.base.body)
	}
	if err != nil {
		err = fmt.Errorf("with a slow network: %w", err)
	}
	return a.relay, err
}

// isSame compares a body with that of the plain run. A real server may send other text each time, of the same number of lines.
func (x *subject) isSame(body []byte) bool {
	return bytes.Equal(body, x.base.body) || x.Live && x.Body == "" && bytes.Count(body, []byte("\n")) == bytes.Count(x.base.body, []byte("\n"))
}

// through dereferences while f breaks one connection in the middle.
func (x *subject) through(f Faults) error {
	a := x.attempt()
	a.line = &f
	a.faults.Strict = false
	if x.Live && f.StallAt > 0 {
		a.tune = func(c *fetch.Client) { c.Timeouts.Idle = impatience }
	}
	r, err := a.run()
	if err == nil {
		err = x.endedBy(f, r)
	}
	if err != nil {
		return fmt.Errorf("connection %d with %+v: %w", f.Conn, f, err)
	}
	return nil
}

// endedBy compares the result with what f allows.
func (x *subject) endedBy(f Faults, r *result) error {
	kind := fetch.KindOf(r.err)
	switch {
	case f.CorruptAt > 0 && isPanic(r.err):
		return fmt.Errorf("the handler panics: %w", r.err)
	case f.CorruptAt > 0 && (r.err == nil || kind != ""):
	case x.Err != "" && errors.Is(r.err, x.Err):
	case r.err == nil && x.Err == "" && x.isSame(r.body):
	case r.err == nil && f.CutAt > 0 && x.mayBeShort(r, f.Reset):
	case r.err == nil && f.CutAt > 0 && f.Conn > 1 && !f.Reset && bytes.HasPrefix(x.base.body, r.body) && r.doc.Size < 0:
		// the server confirms on another connection that this one was not cut
	case r.err == nil:
		return x.short(r)
	case f.Twice:
		return fmt.Errorf("a datagram that arrives twice makes a difference: %w", r.err)
	case r.elapsed > 2*patience:
		return fmt.Errorf("the request takes %s, want at most %s: return the errors of Env's connections at once", r.elapsed, 2*patience)
	case f.CutAt > 0:
		return x.cutError(r.err)
	case kind == fetch.ErrConnect: // of another connection
	case kind == fetch.ErrInteractive && x.scheme.Does.Session: // a host that waits for input is silent, too
	case kind != fetch.ErrTimeout:
		return fmt.Errorf("the error has kind %q, want timeout: %w", kind, r.err)
	}
	return nil
}
