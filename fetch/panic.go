package fetch

import (
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
)

// A Panic is the cause of an error that was a panic of a handler, or of a library that it uses. A panic of a function that the caller gave
// (Options.Trace, a Dialer, a Recorder) is not made into an error: it goes on to the caller.
type Panic struct {
	Value any
	Stack []byte // as runtime/debug.Stack formats it
}

// Error returns the value in words.
func (p *Panic) Error() string { return fmt.Sprint(p.Value) }

// contain turns a panic of a handler, or of a library that it uses, into an error of this one request.
func (e *Env) contain(f func() error) (err error) {
	returned := false
	defer func() {
		if returned || e.callers.Load() { // recovering the caller's own panic would hide where it began
			return
		}
		if r := recover(); r != nil {
			err = e.gaveUp(r)
		}
	}()
	err = f()
	returned = true
	return err
}

// gaveUp is the error of a handler that panicked with r. It is called by the function that recovers.
func (e *Env) gaveUp(r any) error {
	p := &Panic{r, debug.Stack()}
	return Errorf(ErrProtocol, "the %s handler gave up on what the peer sent: %w", e.scheme.Name(), p)
}

// outside calls a function of the caller's, and notes if it panics.
func (e *Env) outside(f func()) {
	returned := false
	defer func() {
		if !returned {
			e.callers.Store(true)
		}
	}()
	f()
	returned = true
}

// traced returns the caller's function for Events such that its panics are known as its own.
func (e *Env) traced(trace func(Event)) func(Event) {
	if trace == nil {
		return nil
	}
	return func(ev Event) { e.outside(func() { trace(ev) }) }
}

// An outsideAccount is the Recorder's, likewise.
type outsideAccount struct {
	Recording
	env *Env
}

func (a outsideAccount) Trace(ev Event)  { a.env.outside(func() { a.Recording.Trace(ev) }) }
func (a outsideAccount) Octets(p []byte) { a.env.outside(func() { a.Recording.Octets(p) }) }

// An outsideWriter is the caller's, likewise.
type outsideWriter struct {
	io.Writer
	env *Env
}

func (w outsideWriter) Write(p []byte) (n int, err error) {
	w.env.outside(func() { n, err = w.Writer.Write(p) })
	return n, err
}

// theirs returns w such that its panics are known as the caller's own. What the system can move octets to stays as it is, and does not panic.
func (e *Env) theirs(w io.Writer) io.Writer {
	switch w.(type) {
	case *os.File, *net.TCPConn, *net.UnixConn:
		return w
	}
	return outsideWriter{w, e}
}
