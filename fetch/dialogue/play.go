package dialogue

import (
	"fmt"
	"io"
	"time"
)

// advance lets happen what can. Caller holds mu. Everything that could let more happen calls it: a dial, octets of the client, the end
// of a delay.
func (p *Player) advance() {
	for !p.over && !p.waiting && p.next < len(p.script.Lines) {
		if !p.happens(&p.script.Lines[p.next]) {
			break
		}
		if !p.over {
			p.next++
		}
	}
	if !p.over && p.next == len(p.script.Lines) {
		p.checkSurplus()
	}
	p.wake.Broadcast()
}

// happens carries one line out, or reports that it has to wait.
func (p *Player) happens(l *Line) bool {
	if l.Mark == Random {
		return true // see Player.Random
	}
	if l.Conn == 0 {
		return p.datagram(l)
	}
	c := p.conn(l.Conn)
	switch {
	case l.Dir == '*' && (l.Mark == "" || l.Mark == remark || l.Mark == If || l.Mark == Whole || l.Mark == Listening):
		return true
	case l.Mark == Refused:
		return p.refused[l.Conn]
	case l.Mark == Delay:
		return p.delay(l)
	case c == nil && l.comes():
		return p.connect(l)
	case c == nil:
		return false
	case l.Dir == 'C':
		return p.hear(l, c)
	case l.Dir == 'S':
		return p.tell(l, c)
	}
	p.mark(l, c)
	return true
}

func (p *Player) mark(l *Line, c *conn) {
	switch l.Mark {
	case Connected:
		if want := portOf(l.Arg); l.Arg != "" && !l.comes() && want != portOf(c.addr) {
			p.fail(fmt.Errorf("line %d: the client connects to %s, not to port %s", l.Pos, c.addr, want))
		}
	case TLS:
		c.secure()
	case End:
		c.finish(io.EOF)
	case Cut:
		c.finish(errCut)
	}
}

// delay waits, and then goes on with the next line.
func (p *Player) delay(l *Line) bool {
	d, _ := time.ParseDuration(l.Arg)
	p.waiting = true
	p.timer = time.AfterFunc(d, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.waiting = false
		p.next++
		p.advance()
	})
	return false
}

// hear compares what the client has said on c with l.
func (p *Player) hear(l *Line, c *conn) bool {
	n, v := matchLine(l, c.said)
	if p.o.Loose {
		n, v = p.loose(l, c)
	}
	switch {
	case v == matches:
		c.said = c.said[n:]
		return true
	case v == differs:
		p.fail(fmt.Errorf("line %d: the client said %q, not %q", l.Pos, clip(c.said), clip(l.Data)))
	}
	return false
}

// loose takes all that was said for all C lines that follow each other.
func (p *Player) loose(l *Line, c *conn) (int, verdict) {
	if i := p.next - 1; i >= 0 && p.script.Lines[i].Dir == 'C' && p.script.Lines[i].Conn == l.Conn || len(c.said) > 0 {
		return len(c.said), matches
	}
	return 0, unfinished
}

// tell says l on c, as far as the faults let it.
func (p *Player) tell(l *Line, c *conn) bool {
	if p.o.Strict && len(c.said) > 0 {
		p.fail(fmt.Errorf("line %d: the client spoke before the server did: %q", l.Pos, clip(c.said)))
		return false
	}
	if f := p.frames[l.Conn]; f != nil && f.begun {
		if f.window < len(l.Data) {
			return false // until the client reads on
		}
		f.window -= len(l.Data)
	}
	if p.o.Pause != nil {
		return p.pace(l, c)
	}
	data, from := l.Data, p.told
	data = before(data, from, p.o.StallAfter)
	data = before(data, from, p.o.CutAfter)
	if i := p.o.CorruptAt - from; i >= 0 && i < len(data) {
		data = append([]byte(nil), data...)
		data[i] ^= 0x55
	}
	p.told += len(data)
	c.tell(data)
	switch {
	case p.o.CutAfter >= 0 && p.told >= p.o.CutAfter && from+len(l.Data) >= p.o.CutAfter:
		how := io.EOF
		if p.o.Reset {
			how = errCut
		}
		p.stop(how)
		return false
	case len(data) < len(l.Data):
		p.waiting = true // stalled for ever
		return false
	}
	return true
}

// pace sends l byte by byte, with the pauses of PlayerOptions, and reports whether all of it has been sent.
func (p *Player) pace(l *Line, c *conn) bool {
	for ; p.part < len(l.Data); p.part++ {
		if d := p.o.Pause(p.told); d > 0 && !p.paused {
			p.paused, p.waiting = true, true
			p.timer = time.AfterFunc(d, func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.waiting = false
				p.advance()
			})
			return false
		}
		p.paused = false
		p.told++
		c.tell(l.Data[p.part : p.part+1])
	}
	p.part = 0
	return true
}

// before returns what of data lies before the limit, where data begins at from.
func before(data []byte, from, limit int) []byte {
	if limit < 0 {
		return data
	}
	return data[:max(0, min(len(data), limit-from))]
}

// checkSurplus fails when the client has more to say than the script.
func (p *Player) checkSurplus() {
	for _, c := range p.conns {
		if c != nil && len(c.said) > 0 && !p.o.Loose {
			p.fail(fmt.Errorf("the client said %q behind the script's end", clip(c.said)))
		}
	}
	if len(p.said0) > 0 && !p.o.Loose {
		p.fail(fmt.Errorf("the client sent the datagram %q behind the script's end", clip(p.said0[0])))
	}
}

func clip(b []byte) []byte {
	const most = 200
	if len(b) > most {
		return append(b[:most:most], "..."...)
	}
	return b
}
