package fetchtest

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.org/deref/fetch"
)

// loosely returns an attempt whose server accepts anything.
func (x *subject) loosely() *attempt {
	a := x.attempt()
	a.faults.Loose, a.faults.Strict = true, false
	return a
}

// briefly is loosely for a conversation that must fail soon.
func (x *subject) briefly() *attempt {
	a := x.loosely()
	a.tune = func(c *fetch.Client) { c.Timeouts.Idle, c.Timeouts.Total = soon/4, soon }
	return a
}

// checkCorrupt: a wrong byte, at each place, causes neither a panic nor an endless wait.
func checkCorrupt(x *subject) error {
	return x.eachPlace(func(i int) error {
		a := x.briefly()
		a.faults.CorruptAt = i
		r, err := a.run()
		switch {
		case err != nil:
			return fmt.Errorf("byte %d is wrong: %w", i, err)
		case isPanic(r.err):
			return fmt.Errorf("byte %d is wrong: the handler panics: %w", i, r.err)
		case r.err != nil && fetch.KindOf(r.err) == "":
			return fmt.Errorf("byte %d is wrong: the error has no Kind: %w", i, r.err)
		}
		return nil
	})
}

// checkLimit: reading stops at Limits.Document.
func checkLimit(x *subject) error {
	n := int64(len(x.base.body))
	if n < 2 {
		return nil
	}
	a := x.attempt()
	a.tune = func(c *fetch.Client) { c.Limits.Document = n - 1 }
	r, err := a.run()
	switch {
	case err != nil:
		return err
	case !errors.Is(r.err, fetch.ErrLimit):
		return fmt.Errorf("got %d bytes with Limits.Document %d, and the error %v, want ErrLimit", len(r.body), n-1, r.err)
	case int64(len(r.body)) >= n:
		return fmt.Errorf("got %d bytes with Limits.Document %d", len(r.body), n-1)
	}
	return nil
}

// checkSecrets: no trace and no error shows a secret, in any form that protocols use.
func checkSecrets(x *subject) error {
	list := x.secrets()
	if len(list) == 0 {
		return nil
	}
	var errs []error
	n := x.script.Bytes()
	for _, after := range []int{-1, 0, n / 3, n / 2, n - 1} {
		a := x.loosely()
		a.faults.CutAfter = after
		r, err := a.run()
		if err != nil {
			return err
		}
		text := string(a.trace.text)
		for _, b := range a.trace.wire {
			text += "\n" + string(b)
		}
		for _, s := range forms(list, x.Options.Login) {
			if strings.Contains(text, s) {
				errs = append(errs, fmt.Errorf("the trace shows the secret, as %q: set Step.Secret, or call Env.Hide before sending it", s))
			}
			if r.err != nil && strings.Contains(fmt.Sprintf("%v %+v", r.err, r.err), s) {
				errs = append(errs, fmt.Errorf("an error shows the secret, as %q: %w", s, r.err))
			}
		}
		if len(errs) > 0 {
			break
		}
	}
	return errors.Join(errs...)
}

// forms returns the secrets in the forms that protocols use.
func forms(list []string, l fetch.Login) []string {
	var all []string
	for _, s := range list {
		all = append(all, s, hex.EncodeToString([]byte(s)), url.QueryEscape(s), url.PathEscape(s), base64.StdEncoding.EncodeToString([]byte(s)),
			base64.StdEncoding.EncodeToString([]byte(l.User+":"+s)),
			base64.StdEncoding.EncodeToString([]byte("\x00"+l.User+"\x00"+s)))
	}
	return all
}

// meeting returns a function that waits until n goroutines have called it, but not longer than soon. All requests are then between Plan and the
// first reply.
func meeting(n int) func() {
	var here atomic.Int64
	all := make(chan struct{})
	return func() {
		if here.Add(1) == int64(n) {
			close(all)
		}
		select {
		case <-all:
		case <-time.After(soon):
		}
	}
}

// checkConcurrent: one Scheme works for several Clients at once, with all its cases.
func checkConcurrent(all []*subject) error {
	const each = 4
	errs := make([]error, each*len(all))
	meet := meeting(len(errs))
	var wg sync.WaitGroup
	for i := range errs {
		x := all[i/each]
		if x.base == nil {
			continue // it failed alone already
		}
		wg.Go(func() {
			a := x.attempt()
			a.trace.first = meet
			r, err := a.run()
			if err == nil {
				err = x.asBefore(r)
			}
			if err != nil {
				errs[i] = fmt.Errorf("%s: %w", x.name(), err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
