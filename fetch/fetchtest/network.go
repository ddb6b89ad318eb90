package fetchtest

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"example.org/deref/fetch"
)

// checkNetwork dereferences through a Relay. A slow network that loses packets changes nothing. Where one connection is cut in the middle or
// becomes half open, the result is an error of the right kind within Timeouts.Idle, unless the document is whole already.
func checkNetwork(x *subject) error {
	errs := []error{x.slowly()}
	a := x.attempt()
	r, err := a.run()
	if err != nil || r.play != nil {
		return errors.Join(append(errs, err, r.play)...)
	}
	for i := range a.player.Dialled() {
		_, told := a.player.Wire(i + 1)
		half := int64(len(told)+1) / 2
		if half == 0 {
			continue // refused, or silent
		}
		for _, f := range []Faults{{CutAt: half}, {CutAt: half, Reset: true}, {StallAt: half}} {
			f.Conn, f.Latency, f.Down = i+1, 5*time.Millisecond, true
			errs = append(errs, x.through(f))
		}
	}
	if x.script.Datagrams() {
		errs = append(errs, x.through(Faults{StallAt: 1}))
	}
	return errors.Join(errs...)
}

// slowly uses a line that takes about a second for the whole script.
func (x *subject) slowly() error {
	a := x.attempt()
	a.line = &Faults{Latency: 20 * time.Millisecond, Rate: max(2000, x.script.Octets()), Loss: 3}
	if x.script.Datagrams() {
		a.line.Loss = 0 // what a client sends again is not in the script
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
		err = fmt.Errorf("a document comes instead of %s: %q", x.Err, r.body)
	case string(r.body) != string(x.base.body):
		err = fmt.Errorf("the body is %q, not %q", r.body, x.base.body)
	}
	if err != nil {
		return fmt.Errorf("a slow network: %w", err)
	}
	return nil
}

// through dereferences with one connection that f ends in the middle.
func (x *subject) through(f Faults) error {
	a := x.attempt()
	a.line = &f
	a.faults.Strict = false
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
	case x.Err != "" && errors.Is(r.err, x.Err):
	case r.err == nil && x.Err == "" && string(r.body) == string(x.base.body):
	case r.err == nil && f.CutAt > 0 && x.mayBeShort(r, f.Reset):
	case r.err == nil && f.CutAt > 0 && f.Conn > 1 && !f.Reset && bytes.HasPrefix(x.base.body, r.body) && r.doc.Size < 0:
		// the server confirms on another connection that this one was not cut
	case r.err == nil:
		return fmt.Errorf("%d bytes come without an error, want %d", len(r.body), len(x.base.body))
	case r.taken > 2*patience:
		return fmt.Errorf("it takes %s", r.taken)
	case f.CutAt > 0:
		return x.cutError(r.err)
	case kind == fetch.ErrConnect: // of another connection
	case kind == fetch.ErrInteractive && x.scheme.Does.Session: // a host that waits for input is silent, too
	case kind != fetch.ErrTimeout:
		return fmt.Errorf("the error has the kind %q: %w", kind, r.err)
	}
	return nil
}
