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
	if len(t.held) > 0 {
		t.held = append(t.held, p...)
		p = t.held
	}
	at := time.Now()
	switch {
	case rec == RecordLines:
		p = t.lines(e, conn, at, p, false)
	case rec == RecordHead && !t.past:
		if p = t.lines(e, conn, at, p, true); t.past {
			p = t.pieces(e, conn, at, p)
		}
	default:
		p = t.pieces(e, conn, at, p)
	}
	t.held = append(t.held[:0], p...)
}

// lines emits the whole lines of p; of a head those up to the empty one. It returns what it leaves.
func (t *tap) lines(e *Env, conn int, at time.Time, p []byte, head bool) []byte {
	for !t.past {
		n := e.secrets.line(p)
		if n == 0 {
			if len(p) < maxTracedLine {
				break
			}
			if n = e.secrets.shown(p); n == 0 {
				break
			}
		}
		t.past = head && (len(bytes.TrimRight(p[:n], "\r\n")) == 0 || bytes.HasSuffix(p[:n], []byte("\n\r\n")))
		t.emit(e, conn, at, p[:n], true)
		p = p[n:]
	}
	return p
}

// pieces emits p as far as no secret begins in it, and returns the rest.
func (t *tap) pieces(e *Env, conn int, at time.Time, p []byte) []byte {
	n := e.secrets.shown(p)
	t.emit(e, conn, at, p[:n], false)
	return p[n:]
}

// anew makes the next octets the first of a message.
func (t *tap) anew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.past = false
}

func (t *tap) emit(e *Env, conn int, at time.Time, p []byte, text bool) {
	if len(p) == 0 {
		return
	}
	masked := e.secrets.mask
	if text {
		masked = e.secrets.maskLine
	}
	e.trace(Event{Time: at, Conn: conn, Dir: t.dir, Data: masked(p), Text: text})
}

// flush reports what was held back; it is called when the connection leaves the request.
func (t *tap) flush(e *Env, conn int, rec Recording) {
	if e == nil || e.trace == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held = e.secrets.maskEnd(t.held)
	t.emit(e, conn, time.Now(), t.held, rec == RecordLines || rec == RecordHead && !t.past)
	t.held = t.held[:0]
}
