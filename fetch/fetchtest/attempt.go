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

// An attempt is one dereferencing of a subject with everything that was seen of it.
type attempt struct {
	x      *subject
	faults *dialogue.PlayerOptions
	line   *Faults // of the network; nil is a perfect one
	tune   func(*fetch.Client)
	read   func(*fetch.Document) ([]byte, error) // nil reads all
	ctx    context.Context

	player *dialogue.Player
	relay  *Relay
	client *fetch.Client
	trace  traced
}

// result is what came of it.
type result struct {
	doc   *fetch.Document
	body  []byte
	err   error // of Get, Read or Close
	play  error // how it deviated from the script
	left  int   // connections that are still open
	taken time.Duration
	noted atomic.Bool // the handler has put a remark of its own into the trace (fetch.Env.Note)
}

func (x *subject) attempt() *attempt {
	return &attempt{x: x, faults: faults(), ctx: context.Background()}
}

// run makes the attempt under a watchdog. An error is about the attempt itself: it hangs, or something is left of it.
func (a *attempt) run() (*result, error) {
	if err := a.open(); err != nil {
		return nil, err
	}
	r := &result{}
	label := newLabel()
	start := time.Now()
	err := watched(label, func() { a.fetch(r) })
	r.taken = time.Since(start)
	a.settle()
	r.play = a.player.Close()
	if err != nil {
		return nil, err
	}
	r.left = a.player.Open()
	return r, nil
}

// whole runs and also looks at what is left afterwards.
func (a *attempt) whole() (*result, error) {
	if err := a.open(); err != nil {
		return nil, err
	}
	r, label, before := &result{}, newLabel(), descriptors()
	start := time.Now()
	err := watched(label, func() { a.fetch(r) })
	r.taken = time.Since(start)
	if err != nil {
		a.player.Close()
		return nil, err
	}
	r.left = a.player.Open()
	r.play = a.player.Close()
	if r.left > 0 {
		return nil, fmt.Errorf("%d connections are left open after Body and Client were closed", r.left)
	}
	return r, errors.Join(goroutinesLeft(label), descriptorsLeft(before))
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

// settle lets arrive what the client said last, which takes no real time in a bubble. A server that is really there is not compared with a script.
func (a *attempt) settle() {
	if a.relay == nil {
		return
	}
	if !a.x.Live {
		time.Sleep(patience)
	}
	a.relay.Close()
}

// patience is what a check waits for anything; what takes longer hangs.
const patience = 2 * time.Second

func shortTimeouts(t fetch.Timeouts) fetch.Timeouts {
	t.Connect = min(orElse(t.Connect, patience), patience)
	t.Idle = min(orElse(t.Idle, patience), patience)
	return t
}

func orElse(d, other time.Duration) time.Duration {
	if d <= 0 {
		return other
	}
	return d
}

func (a *attempt) fetch(r *result) {
	defer a.client.Close()
	for range max(a.x.Times, 1) {
		r.doc, r.err = a.x.get(a.ctx, a.client, func(e fetch.Event) {
			if e.Note != "" && e.Mark == "" {
				r.noted.Store(true)
			}
			a.trace.take(e)
		})
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

// traced collects the trace of an attempt.
type traced struct {
	player *dialogue.Player
	mu     sync.Mutex
	wire   map[way][]byte
	lines  map[int]bool // connections of lines
	said   []said
	text   []byte // all that is readable
	first  func() // called at the first event
	since  []byte // what the client has said since the last step
	late   error  // a step was announced behind its octets
}

type way struct {
	conn int
	dir  byte
}

// said is a step as it was announced.
type said struct {
	step  fetch.Step
	conds []string // that held when it was said, by the script
}

func (t *traced) take(e fetch.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wire == nil {
		t.wire, t.lines = map[way][]byte{}, map[int]bool{}
		if t.first != nil {
			t.first()
		}
	}
	t.text = append(append(t.text, e.Note...), '\n')
	if e.Step != nil {
		t.step(*e.Step)
	}
	if e.Dir == fetch.InWords {
		return
	}
	w := way{e.Conn, e.Dir}
	t.wire[w] = append(t.wire[w], e.Data...)
	t.lines[e.Conn] = t.lines[e.Conn] || e.Text
	if e.Dir == fetch.FromClient {
		t.since = append(t.since, e.Data...)
	}
}

func (t *traced) step(s fetch.Step) {
	t.text = append(append(t.text, dialogue.Words(s)...), '\n')
	line := []byte(s.Line() + "\r\n")
	before := func(p said) bool { return p.step.Line() == s.Line() }
	if len(line) > 2 && t.late == nil && bytes.Contains(t.since, line) && !slices.ContainsFunc(t.said, before) {
		t.late = fmt.Errorf("the step %q is announced behind its octets", dialogue.Words(s))
	}
	t.since = t.since[:0]
	t.said = append(t.said, said{s, t.player.Conditions()})
}
