package testservers

import (
	"bytes"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
)

const (
	maxClientRows = 100  // lines or frames that are shown before the other end sends
	maxServerRows = 20   // of the server: the beginning of a document is enough
	maxRow        = 1000 // bytes shown of a line
)

// A talk is one connection. The display's mu guards its fields.
type talk struct {
	*shown
	masker
	number int
	sides  map[byte]*side
	begun  bool // the client has sent something
	hello  bool // it was the beginning of TLS, which nothing here decrypts
}

// A side is one direction of a connection.
type side struct {
	line    []byte // incomplete, at most maxRow bytes of it
	over    int    // bytes of it beyond maxRow
	framer  fetch.Framer
	foreign bool // the bytes are not those of the protocol
	most    int  // rows shown without a pause
	rows    int
	bytes   int // not shown, since the last row that was
	skipped int // frames not shown
}

// Data implements loopback.Watched.
func (t *talk) Data(dir byte, p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sides[dir]
	if dir == 'C' {
		t.flush('S')
		t.sides['S'].rows = 0
		if first := !t.begun; first && len(p) > 2 && p[0] == 22 && p[1] == 3 { // a handshake: RFC 8446 section 5.1
			t.event(t.number, dialogue.Remark, "the client begins TLS, which this server does not expect")
			t.hello = true
		}
		t.begun = true
	} else {
		t.omitted('C')
		t.sides['C'].rows = 0
	}
	switch {
	case t.hello && dir == 'C':
	case s.foreign || t.decode == nil:
		t.lines(dir, p)
	default:
		t.frames(dir, p)
	}
}

// frames shows the frames that end within p, and the text between those of a terminal.
func (t *talk) frames(dir byte, p []byte) {
	s, terminal := t.sides[dir], t.scheme == "telnet" || t.scheme == "rlogin"
	words := s.framer.Decode(func(f fetch.Frame) (string, int) {
		words, n := t.decode(f)
		switch {
		case n < 0:
			s.foreign = true
		case n > 0 && words == "" && terminal:
			t.typed(dir, f.Data[:min(n, len(f.Data))])
		case n > 0 && words != "" && terminal:
			t.frame(dir, words)
			return "", n
		}
		return words, n
	}, dir, p)
	for _, w := range words {
		t.frame(dir, w)
	}
	if s.foreign {
		t.event(t.number, dialogue.Remark, "%c: what follows is not %s", dir, t.scheme)
		t.lines(dir, p)
	}
}

// frame shows a frame in words.
func (t *talk) frame(dir byte, words string) {
	s := t.sides[dir]
	if s.rows == s.most {
		s.skipped++
		return
	}
	s.rows++
	t.words(dir, t.number, words)
}

// typed shows what passes between a terminal and a host, as it arrives.
func (t *talk) typed(dir byte, p []byte) {
	if p = t.terminal(dir, p); len(p) == 0 {
		return
	}
	s := t.sides[dir]
	for line := range bytes.Lines(p) {
		if s.rows == s.most {
			s.bytes += len(line)
			continue
		}
		s.rows++
		t.write(dir, line)
	}
}

// write writes a text. At most maxRow bytes of it are shown.
func (t *talk) write(dir byte, p []byte) {
	if n := len(p) - maxRow; n > 0 {
		t.sides[dir].bytes += n
		p = p[:maxRow]
	}
	t.w.Write([]byte(dialogue.Text(dir, t.number, p)))
}

// lines shows the lines that end within p.
func (t *talk) lines(dir byte, p []byte) {
	s := t.sides[dir]
	for len(p) > 0 {
		n := bytes.IndexByte(p, '\n') + 1
		ended := n > 0
		if !ended {
			n = len(p)
		}
		k := min(n, maxRow-len(s.line))
		s.line, s.over = append(s.line, p[:k]...), s.over+n-k
		if p = p[n:]; ended {
			t.endLine(dir)
		}
	}
}

// endLine shows the line that is held. The rest of a document that is not text is only counted.
func (t *talk) endLine(dir byte) {
	s := t.sides[dir]
	if len(s.line) == 0 {
		return
	}
	if dir == 'S' && s.rows < s.most && dialogue.IsBinary(s.line) {
		s.rows = s.most
	}
	if s.rows == s.most {
		t.follow(dir, strings.TrimRight(string(s.line), "\r\n"))
		s.bytes += len(s.line) + s.over
	} else {
		s.rows++
		s.bytes += s.over
		if t.write(dir, t.masked(dir, s.line, s.over > 0)); s.over > 0 {
			t.omitted(dir)
		}
	}
	s.line, s.over = s.line[:0], 0
}

// flush shows what is held of a direction.
func (t *talk) flush(dir byte) {
	t.endLine(dir)
	t.omitted(dir)
}

// omitted writes how many bytes were not shown.
func (t *talk) omitted(dir byte) {
	s := t.sides[dir]
	if s.bytes > 0 {
		t.event(t.number, dialogue.Remark, "%c: %d more bytes", dir, s.bytes)
	}
	if s.skipped > 0 {
		t.event(t.number, dialogue.Remark, "%c: %d more frames", dir, s.skipped)
	}
	s.bytes, s.skipped = 0, 0
}

// TLS implements loopback.Watched.
func (t *talk) TLS(version string) { t.note(dialogue.TLS, strings.TrimPrefix(version, "TLS ")) }

// Left implements loopback.Watched.
func (t *talk) Left() { t.note(dialogue.Remark, "the client has closed the connection") }

// Ended implements loopback.Watched.
func (t *talk) Ended() { t.note(dialogue.End, "") }

func (t *talk) note(m dialogue.Mark, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush('C')
	t.flush('S')
	t.event(t.number, m, "%s", text)
}

// Closed implements loopback.Watched.
func (t *talk) Closed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush('C')
	t.flush('S')
	t.used[t.number-1] = false
}
