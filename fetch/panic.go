package fetch

import (
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
)

// A Panic is the cause of an error that was a panic of a handler, or of a library that it uses. A panic of a function of the caller
// (Options.Trace, a Dialer, a Recorder) does not become an error: it reaches the caller.
type Panic struct {
	Value any
	Stack []byte // as runtime/debug.Stack formats it
}

// Error returns the value as text.
func (p *Panic) Error() string { return fmt.Sprint(p.Value) }

// contain turns a panic of a handler, or of a library that it uses, into an error of this one request.
func (e *Env) contain(f func() error) (err error) {
	returned := false
	defer func() {
		if returned || e.callerPanicked.Load() { // recovering the caller's own panic would hide its origin
			return
		}
		if r := recover(); r != nil {
			err = Errorf(ErrProtocol, "the %s handler failed on what the peer sent: %w", e.scheme.Name(), &Panic{r, debug.Stack()})
		}
	}()
	err = f()
	returned = true
	return err
}

// callback calls a function of the caller, and records if it panics.
func (e *Env) callback(f func()) {
	returned := false
	defer func() {
		if !returned {
			e.callerPanicked.Store(true)
		}
	}()
	f()
	returned = true
}

// traced returns the caller's function for Events, wrapped by callback.
func (e *Env) traced(trace func(Event)) func(Event) {
	if trace == nil {
		return nil
	}
	return func(ev Event) { e.callback(func() { trace(ev) }) }
}

// A callersRecording wraps the Recorder's Recording likewise.
type callersRecording struct {
	Recording
	env *Env
}

func (a callersRecording) Trace(ev Event)  { a.env.callback(func() { a.Recording.Trace(ev) }) }
func (a callersRecording) Octets(p []byte) { a.env.callback(func() { a.Recording.Octets(p) }) }

// A callersWriter wraps the caller's Writer likewise.
type callersWriter struct {
	io.Writer
	env *Env
}

func (w callersWriter) Write(p []byte) (n int, err error) {
	w.env.callback(func() { n, err = w.Writer.Write(p) })
	return n, err
}

// callersWriter returns w, wrapped by callback. A writer to which the system can move bytes is returned unchanged; it does not panic.
func (e *Env) callersWriter(w io.Writer) io.Writer {
	switch w.(type) {
	case *os.File, *net.TCPConn, *net.UnixConn:
		return w
	}
	return callersWriter{w, e}
}
