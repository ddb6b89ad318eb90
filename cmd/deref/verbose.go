package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"example.org/deref/fetch"
)

// tracer shows a conversation: for -v its lines, for --trace all octets.
type tracer struct {
	mu      sync.Mutex
	w       io.Writer
	octets  bool        // also what is no line
	pending *fetch.Step // a step in words, shown unless the line that says it follows
}

// event is the fetch.Options.Trace of -v and of --trace-format text.
func (t *tracer) event(e fetch.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if said := e.Dir == fetch.FromClient && e.Text; t.pending != nil && !said {
		fmt.Fprintf(t.w, "*: %s\n", escape(stepText(*t.pending)))
	}
	t.pending = nil
	switch {
	case e.Step != nil:
		t.pending = e.Step
	case e.Dir == fetch.InWords:
		fmt.Fprintf(t.w, "*: %s\n", escape(e.Note))
	case e.Text:
		fmt.Fprintf(t.w, "%c: %s\n", e.Dir, escape(string(bytes.TrimRight(e.Data, "\r\n"))))
	case t.octets:
		for len(e.Data) > 0 {
			n := min(len(e.Data), 64)
			fmt.Fprintf(t.w, "%c; %q\n", e.Dir, e.Data[:n])
			e.Data = e.Data[n:]
		}
	}
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

func (t *tracer) eventJSON(e fetch.Event) {
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
