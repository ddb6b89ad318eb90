package dialogue

import (
	"fmt"
	"io"
	"time"
)

// advance plays lines until one has to wait. It is called after everything that can end a wait: a dial, bytes from the client, the end of a
// delay. Caller holds mu.
func (p *Player) advance() {
	p.moves++
	for !p.over && !p.waiting && p.next < len(p.script.Lines) {
		if !p.playLine(&p.script.Lines[p.next]) {
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

// playLine plays one line. It returns false if the line has to wait.
func (p *Player) playLine(l *Line) bool {
	if l.Mark == Random {
		return true // see Player.Random
	}
	if l.Conn == 0 {
		return p.datagram(l)
	}
	c := p.conn(l.Conn)
	switch {
	case l.Dir == '*' && (l.Mark == "" || l.Mark == Remark || l.Mark == If || l.Mark == Whole || l.Mark == Listening):
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
		return p.receive(l, c)
	case l.Dir == 'S':
		return p.send(l, c)
	}
	p.mark(l, c)
	return true
}

func (p *Player) mark(l *Line, c *conn) {
	switch l.Mark {
	case Connected:
		if want := portOf(l.Arg); l.Arg != "" && !l.comes() && want != portOf(c.addr) {
			p.fail(fmt.Errorf("line %d: the client connects to %s, want port %s", l.Pos, c.addr, want))
		}
	case TLS:
		c.secure()
	case End:
		c.finish(io.EOF)
	case Cut:
		c.finish(errCut)
	}
}

// delay continues with the next line after the time of l.
func (p *Player) delay(l *Line) bool {
	d, _ := time.ParseDuration(l.Arg)
	p.waiting = true
	p.timer = p.after(d, func() {
		p.waiting = false
		p.next++
		p.advance()
	})
	return false
}

// after calls f after a time, with p.mu held.
func (p *Player) after(d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(d, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		f()
	})
}

// receive matches the bytes of the client on c with l.
func (p *Player) receive(l *Line, c *conn) bool {
	n, v := matchLine(l, c.received)
	if p.o.Loose {
		n, v = p.loose(l, c)
	}
	switch {
	case v == matches:
		c.received = c.received[n:]
		return true
	case v == differs:
		p.fail(fmt.Errorf("line %d: the client sent %q, want %q", l.Pos, clip(c.received), clip(l.Data)))
	}
	return false
}

// loose matches everything received with a sequence of C lines.
func (p *Player) loose(l *Line, c *conn) (int, verdict) {
	if i := p.next - 1; i >= 0 && p.script.Lines[i].Dir == 'C' && p.script.Lines[i].Conn == l.Conn || len(c.received) > 0 {
		return len(c.received), matches
	}
	return 0, unfinished
}

// send sends l on c, as far as the faults allow.
func (p *Player) send(l *Line, c *conn) bool {
	if p.o.Strict && len(c.received) > 0 {
		p.fail(fmt.Errorf("line %d: the client sent %q before this line of the server", l.Pos, clip(c.received)))
		return false
	}
	if f := p.frames[l.Conn]; f != nil && f.begun {
		if f.window < len(l.Data) {
			return false // until the client reads more
		}
		f.window -= len(l.Data)
	}
	if p.o.Pause != nil {
		return p.pace(l, c)
	}
	data, from := l.Data, p.sent
	data = before(data, from, p.o.StallAfter)
	data = before(data, from, p.o.CutAfter)
	if i := p.o.CorruptAt - from; i >= 0 && i < len(data) {
		data = append([]byte(nil), data...)
		data[i] ^= 0x55
	}
	p.sent += len(data)
	c.send(data)
	switch {
	case p.o.CutAfter >= 0 && p.sent >= p.o.CutAfter && from+len(l.Data) >= p.o.CutAfter:
		how := io.EOF
		if p.o.Reset {
			how = errCut
		}
		p.stop(how)
		return false
	case len(data) < len(l.Data):
		p.waiting = true // forever
		return false
	}
	return true
}

// pace sends l byte by byte, with the pauses of PlayerOptions, and reports whether all of it has been sent.
func (p *Player) pace(l *Line, c *conn) bool {
	for ; p.part < len(l.Data); p.part++ {
		if d := p.o.Pause(p.sent); d > 0 && !p.paused {
			p.paused, p.waiting = true, true
			p.timer = p.after(d, func() {
				p.waiting = false
				p.advance()
			})
			return false
		}
		p.paused = false
		p.sent++
		c.send(l.Data[p.part : p.part+1])
	}
	p.part = 0
	return true
}

// before returns the part of data before limit, if data begins at from.
func before(data []byte, from, limit int) []byte {
	if limit < 0 {
		return data
	}
	return data[:max(0, min(len(data), limit-from))]
}

// checkSurplus fails if the client has sent more than the script.
func (p *Player) checkSurplus() {
	for _, c := range p.conns {
		if c != nil && len(c.received) > 0 && !p.o.Loose {
			p.fail(fmt.Errorf("the client sent %q after the end of the script", clip(c.received)))
		}
	}
	if len(p.received0) > 0 && !p.o.Loose {
		p.fail(fmt.Errorf("the client sent the datagram %q after the end of the script", clip(p.received0[0])))
	}
}

func clip(b []byte) []byte {
	const most = 200
	if len(b) > most {
		return append(b[:most:most], "..."...)
	}
	return b
}
