package fetchtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
)

// An attempt dereferences a subject once and records what happens.
type attempt struct {
	x      *subject
	faults *dialogue.PlayerOptions
	line   *Faults // of the network; nil means none
	tune   func(*fetch.Client)
	read   func(*fetch.Document) ([]byte, error) // by default reads all
	ctx    context.Context
	limit  time.Duration // of all of it, watchdog by default
	label  label
	mute   bool // without a trace

	player *dialogue.Player
	relay  *Relay
	client *fetch.Client
	trace  traced
}

// A result is the result of an attempt.
type result struct {
	doc     *fetch.Document
	body    []byte
	err     error // of Get, Read or Close
	play    error // the first deviation from the script
	elapsed time.Duration
	noted   atomic.Bool // the handler has called Env.Note
}

func (x *subject) attempt() *attempt {
	return &attempt{x: x, faults: faults(), ctx: context.Background(), limit: watchdog, label: newLabel()}
}

// run makes the attempt. It returns an error if the attempt hangs.
func (a *attempt) run() (*result, error) {
	if err := a.open(); err != nil {
		return nil, err
	}
	r := &result{}
	var err error
	r.elapsed = took(func() { err = watched(a.label, a.limit, func() { a.fetch(r) }) })
	a.settle()
	r.play = a.player.Close()
	if err != nil {
		return nil, err
	}
	return r, nil
}

// whole makes the attempt and also returns an error if connections, goroutines or descriptors are left.
func (a *attempt) whole() (*result, error) {
	before := descriptors()
	r, err := a.run()
	if err != nil {
		return nil, err
	}
	if n := a.player.Open(); n > 0 {
		return nil, fmt.Errorf("%d connections are still open after Body and Client are closed: close them in Body.Close", n)
	}
	return r, errors.Join(goroutinesLeft(a.label), descriptorsLeft(before))
}

func (a *attempt) open() (err error) {
	if a.player, err = dialogue.NewPlayer(a.x.script, a.faults); err != nil {
		return err
	}
	a.client = a.x.client()
	a.client.Timeouts = shortTimeouts(a.client.Timeouts)
	if !a.x.Live {
		a.player.Attach(a.client)
	}
	if a.line != nil {
		a.relay = NewRelay(*a.line)
		a.relay.Attach(a.client)
	}
	if a.tune != nil {
		a.tune(a.client)
	}
	a.trace.player = a.player
	return nil
}

// settle waits until the client's last bytes have passed the Relay. It takes no real time in a bubble. A live case has no script to compare.
func (a *attempt) settle() {
	if a.relay == nil {
		return
	}
	if !a.x.Live {
		pass(patience)
	}
	a.relay.Close()
}

// patience is the longest time that a check waits for one thing.
const patience = 2 * time.Second

func shortTimeouts(t fetch.Timeouts) fetch.Timeouts {
	for _, d := range []*time.Duration{&t.Connect, &t.Idle} {
		if *d <= 0 || *d > patience {
			*d = patience
		}
	}
	return t
}

func (a *attempt) fetch(r *result) {
	defer a.client.Close()
	trace := func(e fetch.Event) {
		if e.Note != "" && e.Mark == "" {
			r.noted.Store(true)
		}
		a.trace.record(e)
	}
	if a.mute {
		trace = nil
	}
	for range max(a.x.Times, 1) {
		r.doc, r.err = a.x.get(a.ctx, a.client, trace)
		if r.doc != nil {
			a.consume(r)
		}
		if r.err != nil {
			return
		}
	}
}

func (a *attempt) consume(r *result) {
	read := a.read
	if read == nil {
		read = readAll
	}
	body, err := read(r.doc)
	r.body, r.err = body, errors.Join(r.err, err)
	if err := r.doc.Body.Close(); err != nil {
		r.err = errors.Join(r.err, fmt.Errorf("Body.Close: %w", err))
	}
}

func readAll(d *fetch.Document) ([]byte, error) { return io.ReadAll(d.Body) }

// traced holds the trace of an attempt.
type traced struct {
	player      *dialogue.Player
	mu          sync.Mutex
	wire        map[way][]byte
	lines       map[int]bool // connections of lines
	body        []byte       // the server's bytes in a body, not in a reply
	announced   []announced
	text        []byte // all notes and steps
	first       func() // called at the first event
	since       []byte // the client's bytes since the last step
	late        error  // a step was announced after its bytes
	unannounced error  // bytes of the client that no step accounts for
}

type way struct {
	conn int
	dir  byte
}

// said records an announced step.
type announced struct {
	step  fetch.Step
	conds []string // that held then, by the script
}

func (t *traced) record(e fetch.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wire == nil {
		t.wire, t.lines = map[way][]byte{}, map[int]bool{}
		if t.first != nil {
			t.first()
		}
	}
	t.text = append(append(t.text, e.Note...), '\n')
	for _, words := range e.Frames {
		t.text = append(append(t.text, words...), '\n')
	}
	if e.Step != nil && e.Depth == 0 { // those of nested requests are of other plans
		t.step(*e.Step)
	}
	if e.Dir == fetch.InWords {
		return
	}
	w := way{e.Conn, e.Dir}
	t.wire[w] = append(t.wire[w], e.Data...)
	t.lines[e.Conn] = t.lines[e.Conn] || e.Text
	if e.Body {
		t.body = append(t.body, e.Data...)
	}
	if e.Dir == fetch.FromClient {
		t.since = append(t.since, e.Data...)
		t.sends(e)
	}
}

func (t *traced) step(s fetch.Step) {
	t.text = append(append(t.text, dialogue.Words(s)...), '\n')
	line := []byte(s.Line() + "\r\n")
	before := func(p announced) bool { return p.step.Line() == s.Line() }
	if len(line) > 2 && t.late == nil && bytes.Contains(t.since, line) && !slices.ContainsFunc(t.announced, before) {
		t.late = fmt.Errorf("the step %q is announced after its bytes are sent: use Conn.Send, or call Env.Announce before writing", dialogue.Words(s))
	}
	t.since = t.since[:0]
	t.announced = append(t.announced, announced{s, t.player.Conditions()})
}

// refers reports whether the Client has followed a referral, which it notes.
func (t *traced) refers() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Contains(t.text, []byte(" refers to "))
}
