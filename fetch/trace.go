package fetch

import (
	"bytes"
	"sync"
	"time"
)

// maxTracedLine bounds what is held back while a line is not finished.
const maxTracedLine = 64 << 10

// A tap turns the octets of one direction of a connection into Events: whole lines where the protocol has lines, otherwise
// pieces that never end inside a secret.
type tap struct {
	mu   sync.Mutex
	dir  byte
	held []byte
	past bool // RecordHead: the empty line has gone by
}

func (t *tap) take(e *Env, conn int, rec Recording, p []byte) {
	if e == nil || e.trace == nil || len(p) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = append(t.held, p...)
	switch {
	case rec == RecordLines:
		t.lines(e, conn, false)
		return
	case rec == RecordHead && !t.past:
		if t.lines(e, conn, true); !t.past {
			return
		}
	}
	t.emit(e, conn, len(t.held)-e.secrets.unfinished(t.held), false)
}

// lines emits the whole lines that are held; of a head those up to the empty one.
func (t *tap) lines(e *Env, conn int, head bool) {
	for !t.past {
		n := bytes.IndexByte(t.held, '\n') + 1
		if n == 0 {
			if len(t.held) < maxTracedLine {
				return
			}
			n = len(t.held)
		}
		t.past = head && len(bytes.TrimRight(t.held[:n], "\r\n")) == 0
		t.emit(e, conn, n, true)
	}
}

// anew makes the next octets the first of a message.
func (t *tap) anew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.past = false
}

func (t *tap) emit(e *Env, conn, n int, text bool) {
	if n <= 0 {
		return
	}
	e.trace(Event{Time: time.Now(), Conn: conn, Dir: t.dir, Data: e.secrets.mask(t.held[:n]), Text: text})
	t.held = append(t.held[:0], t.held[n:]...)
}

// flush reports what was held back; it is called when the connection leaves the request.
func (t *tap) flush(e *Env, conn int, rec Recording) {
	if e == nil || e.trace == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.emit(e, conn, len(t.held), rec == RecordLines || rec == RecordHead && !t.past)
}
