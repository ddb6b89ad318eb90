package fetchtest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
)

// replyIdle is Timeouts.Idle in checkReplies, and bytePause is the pause between two bytes of a slow server. They take no real time. They are
// long compared with what Conn.BeginReply adds for each byte received.
const (
	replyIdle  = 20 * time.Second
	bytePause  = replyIdle * 4 / 5
	replyLimit = 3 * replyIdle
)

// checkReplies: after each command, one deadline holds for the whole reply. The document is not a reply: it may take long, and its lines are
// neither limited nor masked in the trace.
func checkReplies(x *subject) error {
	a, head, err := x.head()
	if err != nil {
		return err
	}
	var errs []error
	from, last := 0, x.lastOfBody()
	for i, l := range x.script.Lines {
		if l.Dir != 'S' || l.Conn == 0 || len(errs) > 0 {
			continue
		}
		text := bytes.TrimSpace(l.Data)
		switch {
		case len(text) < 2, !bytes.HasSuffix(l.Data, []byte("\n")):
		case x.isBody(l):
			if from >= head && !bytes.Contains(a.trace.body, text) {
				errs = add(errs, fmt.Errorf("the document's line %q is read as a part of a reply: call Conn.BeginBody before the document", l.Data))
			}
		case from < head && x.isFirst(i):
			errs = add(errs, x.drip(from, l.Data, "Conn.BeginReply before each reply"))
		case from >= head && len(text) > 2 && last >= 0 && i > last:
			errs = add(errs, x.drip(from, l.Data, "Conn.BeginPart before what follows a document"))
			last = len(x.script.Lines)
		}
		from += len(l.Data)
	}
	return errors.Join(errs...)
}

// isBody reports whether a line of the server is in the document, perhaps without a dot that stuffs it.
func (x *subject) isBody(l dialogue.Line) bool {
	return bytes.Contains(x.base.body, bytes.TrimPrefix(bytes.TrimSpace(l.Data), []byte(".")))
}

// lastOfBody returns the index of the last line that is in the document, -1 if there is none.
func (x *subject) lastOfBody() int {
	for i, l := range slices.Backward(x.script.Lines) {
		if l.Dir == 'S' && l.Conn > 0 && len(bytes.TrimSpace(l.Data)) > 1 && x.isBody(l) {
			return i
		}
	}
	return -1
}

func add(errs []error, err error) []error {
	if err != nil {
		errs = append(errs, err)
	}
	return errs
}

// isFirst reports whether line i of the script is the server's first after a command, or its greeting.
func (x *subject) isFirst(i int) bool {
	for i--; i >= 0; i-- {
		if l := x.script.Lines[i]; l.Dir != '*' {
			return l.Dir == 'C'
		}
	}
	return true
}

// paced returns an attempt with a server that pauses before the bytes at some offsets.
func (x *subject) paced(pause func(offset int) time.Duration) *attempt {
	a := x.attempt()
	a.faults.Pause, a.limit = pause, time.Hour
	a.tune = func(c *fetch.Client) { c.Timeouts.Idle = replyIdle }
	return a
}

// head dereferences the URI and returns how many bytes the server had sent when Get returned: all of them, if it returned an error.
func (x *subject) head() (a *attempt, n int, err error) {
	n = x.script.Bytes()
	starts := map[int]bool{}
	for _, b := range x.script.Bounds() {
		starts[b] = true
	}
	a = x.paced(func(offset int) time.Duration {
		if starts[offset] {
			return time.Millisecond // so that Get returns before the next line
		}
		return 0
	})
	a.read = func(d *fetch.Document) ([]byte, error) {
		n = a.sent()
		return readAll(d)
	}
	_, err = a.run()
	return a, n, err
}

// sent returns how many bytes the server has sent over all connections.
func (a *attempt) sent() (n int) {
	for i := range a.player.Dialled() {
		_, fromServer := a.player.Wire(i + 1)
		n += len(fromServer)
	}
	return n
}

// drip has the server send all bytes from an offset on slowly. reply is the line that begins there, and begin the call that is missing if the
// client waits too long.
func (x *subject) drip(from int, reply []byte, begin string) error {
	a := x.paced(func(offset int) time.Duration {
		if offset < from {
			return 0
		}
		return bytePause
	})
	r, err := a.run()
	if err == nil && r.elapsed > replyLimit+x.script.Delays() {
		err = fmt.Errorf("the server sends the reply %q one byte every %s, and the client waits %s with Timeouts.Idle %s (%v): call "+
			"%s, so that one deadline holds for all of it", reply, bytePause, r.elapsed, replyIdle, r.err, begin)
	}
	return err
}
