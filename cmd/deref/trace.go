package main

import (
	"encoding/json"
	"io"
	"os"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
)

// traces opens what shows the conversation; done ends it.
func (f *getFlags) traces(a *app, o *fetch.Options) (done func(), err error) {
	var ends []func()
	done = func() {
		for _, end := range ends {
			end()
		}
	}
	if f.verbose {
		r := dialogue.NewRecorder(a.stderr)
		r.Brief = true
		o.Trace = r.Trace
		ends = append(ends, func() { r.Flush() })
	}
	for _, t := range []struct{ file, format string }{{f.trace, f.traceFormat}, {f.record, "text"}} {
		if t.file == "" {
			continue
		}
		trace, end, err := traceTo(t.file, t.format)
		if err != nil {
			done()
			return func() {}, err
		}
		o.Trace = both(o.Trace, trace)
		ends = append(ends, end)
	}
	return done, nil
}

// traceTo writes a conversation into a file that only the user can read.
func traceTo(name, format string) (trace func(fetch.Event), end func(), err error) {
	if format != "text" && format != "json" {
		return nil, nil, usageError("--trace-format is text or json")
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	if format == "json" {
		return (&jsonTracer{w: file}).event, func() { file.Close() }, nil
	}
	r := dialogue.NewRecorder(file)
	return r.Trace, func() { r.Flush(); file.Close() }, nil
}

// replays makes the Client dereference against the script of --replay, without a network. end says how the script was left.
func (f *getFlags) replays(c *fetch.Client) (end func() error, err error) {
	if f.replay == "" {
		return func() error { return nil }, nil
	}
	text, err := os.ReadFile(f.replay)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	script, err := dialogue.Parse(string(text))
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%s: %w", f.replay, err)
	}
	p, err := dialogue.NewPlayer(script, nil)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%s: %w", f.replay, err)
	}
	p.Attach(c)
	return func() error {
		c.Close()
		if err := p.Close(); err != nil {
			return fetch.Errorf(fetch.ErrProtocol, "the client left the script: %w", err)
		}
		return nil
	}, nil
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
