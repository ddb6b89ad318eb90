package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
)

// tracer is -v: the lines of the conversation, and the steps in words where the protocol has no lines to show.
type tracer struct {
	mu      sync.Mutex
	w       io.Writer
	pending []fetch.Step // announced, and shown unless the line that says them follows
}

// event is the fetch.Options.Trace of -v.
func (t *tracer) event(e fetch.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case e.Step != nil:
		t.pending = append(t.pending, *e.Step)
	case e.Dir == fetch.InWords:
		fmt.Fprintf(t.w, "*: (%s)\n", render.Escape(e.Note))
	case e.Text:
		t.pending = nil
		fmt.Fprintf(t.w, "%c: %s\n", e.Dir, render.Escape(string(bytes.TrimRight(e.Data, "\r\n"))))
	default:
		t.release()
	}
}

// release shows the steps that no line has said.
func (t *tracer) release() {
	for _, s := range t.pending {
		fmt.Fprintf(t.w, "*: %s\n", render.Escape(stepText(s)))
	}
	t.pending = nil
}

// close shows what is left.
func (t *tracer) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.release()
}

// jsonTracer is --trace-format json.
type jsonTracer struct {
	mu sync.Mutex
	w  io.Writer
}

// jsonEvent is a line of --trace-format json.
type jsonEvent struct {
	Time string       `json:"time"`
	Conn int          `json:"conn,omitempty"`
	Dir  string       `json:"dir"`
	Data fetch.Octets `json:"data,omitempty"`
	Step string       `json:"step,omitempty"`
	Note string       `json:"note,omitempty"`
}

func (t *jsonTracer) event(e fetch.Event) {
	j := jsonEvent{Time: e.Time.UTC().Format(time.RFC3339Nano), Conn: e.Conn, Dir: string(e.Dir), Data: fetch.Octets(e.Data), Note: e.Note}
	if e.Step != nil {
		j.Step = stepText(*e.Step)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	json.NewEncoder(t.w).Encode(j)
}

// both joins two trace functions, either of which may be nil.
func both(f, g func(fetch.Event)) func(fetch.Event) {
	switch {
	case f == nil:
		return g
	case g == nil:
		return f
	}
	return func(e fetch.Event) { f(e); g(e) }
}
