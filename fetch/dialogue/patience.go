package dialogue

import (
	"fmt"
	"time"
)

// A wait is a Read of the client that nothing ends. The Player's mu guards its fields.
type wait struct {
	began time.Time
	moves int // of the Player, when it began
	timer *time.Timer
}

func (w *wait) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// lost returns an error if the client has waited for longer than PlayerOptions.Patience for what the script does not have. Caller holds mu, and
// calls it each time that it wakes up. If the client had to send something first, that is a deviation. At the end of the script it is not: the
// client may have what it needs, and wait for the server to close.
func (p *Player) lost(w *wait) error {
	if p.o.Patience <= 0 || p.over {
		return nil
	}
	if w.timer == nil || w.moves != p.moves || p.waiting || p.owes() {
		w.stop()
		w.began, w.moves = time.Now(), p.moves
		w.timer = p.after(p.o.Patience, p.wake.Broadcast)
		return nil
	}
	if time.Since(w.began) < p.o.Patience {
		return nil
	}
	if p.next == len(p.script.Lines) {
		last := 0
		if p.next > 0 {
			last = p.script.Lines[p.next-1].Pos
		}
		return fmt.Errorf("the recording ends after line %d, and the client waits for more", last)
	}
	l := &p.script.Lines[p.next]
	err := fmt.Errorf("line %d: the client waits for the server, and does not connect", l.Pos)
	if l.Dir == 'C' {
		err = fmt.Errorf("line %d: the client waits for the server, and does not send %q", l.Pos, clip(l.Data))
	}
	p.fail(err)
	return err
}

// owes reports whether the next line is the server's, which waits for the client to read.
func (p *Player) owes() bool {
	return p.next < len(p.script.Lines) && p.script.Lines[p.next].Dir == 'S'
}
