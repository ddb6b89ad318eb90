package fetch

import (
	"errors"
	"strings"
)

// Pending is what the peer owed when a deadline expired. The zero Pending is unknown.
type Pending struct {
	Phase Phase
	Verb  string // of the step whose reply was pending ("RETR", "GET"); "" if there is none, or the step has no verb
}

// A Phase is a part of a conversation for which a request waits.
type Phase string

const (
	PendingConnection Phase = "connection"        // looking up the name, and connecting
	PendingTLS        Phase = "TLS handshake"     //
	PendingGreeting   Phase = "greeting"          // the server's first words, before the client has sent anything
	PendingReply      Phase = "reply"             // to the step Verb
	PendingRest       Phase = "rest of the reply" // to the step Verb: a further frame, a trailer
	PendingFinal      Phase = "final reply"       // to the step Verb, after the data that it has announced
	PendingData       Phase = "data connection"   // opening it
	PendingDocument   Phase = "document"          // its first byte, or the next one
	PendingSend       Phase = "sending"           // the peer does not read what is sent
)

// String returns the phase with its step: "greeting", "reply to RETR". It returns "" if the phase is unknown.
func (p Pending) String() string {
	switch {
	case p.Verb == "":
		return string(p.Phase)
	case p.Phase == PendingReply, p.Phase == PendingRest, p.Phase == PendingFinal:
		return string(p.Phase) + " to " + p.Verb
	}
	return string(p.Phase)
}

// A talk is what was sent on a Conn and not answered yet. Its fields are guarded by the Conn.
type talk struct {
	sent     bool     // something was sent
	asked    []string // the verbs of the steps whose replies have not begun
	current  string   // the verb of the step whose reply is being read
	phase    Phase    // of what is being read; "" in a body
	data     bool     // it has a data connection
	received bool     // something arrived in a body
}

// maxAsked bounds the steps that are remembered, for protocols without replies.
const maxAsked = 64

// noteSent records that steps are sent. With RecordHead they are one request.
func (c *Conn) noteSent(steps []Step) {
	oneRequest := c.recordMode() == RecordHead
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &c.talk
	if t.sent = true; oneRequest {
		t.asked = t.asked[:0]
	}
	for i := range steps {
		if len(t.asked) < maxAsked && (i == 0 || !oneRequest) {
			t.asked = append(t.asked, steps[i].Verb)
		}
	}
}

// noteContinued records that the present step is continued, which has a reply of its own.
func (c *Conn) noteContinued() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := &c.talk; len(t.asked) == 0 {
		t.asked = append(t.asked, t.current)
	}
}

// noteReply records that a reply begins, or with first unset a further part of one. announced is the verb of the last step that was
// announced for frames. The caller holds c.mu.
func (c *Conn) noteReply(first bool, announced string) {
	t := &c.talk
	switch {
	case first && c.due && t.phase != "": // the reply whose wait began before: nothing of it has arrived
	case !first && t.data:
		t.phase = PendingFinal
	case !first:
		t.phase = PendingRest
	case len(t.asked) > 0:
		t.phase, t.current = PendingReply, t.asked[0]
		t.asked = append(t.asked[:0], t.asked[1:]...)
	case t.sent && t.current != "" && (announced == "" || announced == t.current):
		t.phase = PendingFinal
	case t.sent:
		t.phase, t.current = PendingReply, announced
	default:
		t.phase = PendingGreeting
	}
	t.received = false
}

// hasData records that c has a data connection, so that a further part of a reply is the final one.
func (c *Conn) hasData() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.talk.data = true
}

// pending returns what the Conn waits for. The caller holds c.mu.
func (c *Conn) pending() Pending {
	t := &c.talk
	switch {
	case t.phase == PendingGreeting:
		return Pending{Phase: t.phase}
	case t.phase != "":
		return Pending{t.phase, t.current}
	case !t.received && len(t.asked) > 0:
		return Pending{PendingReply, t.asked[0]}
	}
	return Pending{Phase: PendingDocument}
}

// withPending sets what was pending if err is a deadline of c.
func (c *Conn) withPending(err error, writing bool) error {
	e, ok := err.(*Error)
	if !ok || e.Kind != ErrTimeout || e.Pending != (Pending{}) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.Pending = c.pending(); writing {
		e.Pending = Pending{Phase: PendingSend}
	}
	return e
}

// waitsFor records that the request waits for something other than bytes of a Conn. An empty phase ends it.
func (e *Env) waitsFor(p Phase) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting = p
}

// waited ends waitsFor. It sets what was pending if err is a timeout, and returns err. If the request has ended, it is still what was
// pending.
func (e *Env) waited(p Phase, err error) error {
	if e.ctx.Err() == nil {
		e.waitsFor("")
	}
	if late, ok := err.(*Error); ok && late.Kind == ErrTimeout && late.Pending == (Pending{}) {
		c := *late
		c.Pending = Pending{Phase: p}
		return &c
	}
	return err
}

// reads records the Conn that is being read.
func (e *Env) reads(c *Conn) { e.reading.Store(c) }

// lastStep returns the verb of the step that was announced last.
func (e *Env) lastStep() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.announced
}

// pending returns what the request waits for.
func (e *Env) pending() Pending {
	e.mu.Lock()
	phase, verb := e.waiting, e.announced
	e.mu.Unlock()
	if phase != "" {
		return Pending{Phase: phase}
	}
	if c := e.reading.Load(); c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.pending()
	}
	if verb != "" { // datagrams, programs
		return Pending{PendingReply, verb}
	}
	return Pending{}
}

// pendingOf returns what was pending by the errors of a chain, the outermost first.
func pendingOf(err error) Pending {
	for err != nil {
		e, ok := errors.AsType[*Error](err)
		if !ok {
			return Pending{}
		}
		if e.Pending != (Pending{}) {
			return e.Pending
		}
		err = e.Err
	}
	return Pending{}
}

// namesPending reports whether e's text names what was pending, or has no need to.
func (e *Error) namesPending() bool {
	return e.Kind != ErrTimeout || e.Pending != (Pending{}) && strings.Contains(e.Text, e.Pending.String())
}

// addPending adds what was pending to a timeout and its text.
func (e *Env) addPending(err *Error) {
	if err.Kind != ErrTimeout {
		return
	}
	if err.Pending == (Pending{}) {
		err.Pending = pendingOf(err.Err)
	}
	if err.Pending == (Pending{}) {
		err.Pending = e.pending()
	}
	err.Pending.Verb = e.secrets.MaskText(err.Pending.Verb) // it may be a word of the URI
	if what := err.Pending.String(); what != "" && !strings.Contains(err.Text, what) {
		err.Text += "; waited for the " + what
	}
}
