package tn3270

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/session"
	"example.org/deref/schemes/internal/telopt"
)

// Attach lets a terminal work on the host's screens until one of them ends. A terminal that has a size is drawn on; to what has none,
// each screen that takes input is written as text, behind a form feed.
func (handler) Attach(ctx context.Context, p *fetch.Plan, env *fetch.Env, t *fetch.Terminal) error {
	defer t.In.Close()
	if err := env.Announce(p.When("")...); err != nil {
		return err
	}
	h, err := dial(ctx, p, env)
	if err != nil {
		return err
	}
	a := &attached{host: h, ctx: ctx, t: t}
	if t.Size != nil {
		defer io.WriteString(t.Out, "\x1b[0m\x1b[H\x1b[2J\x1b[?25h")
	}
	err = session.Couple(t.In, t.Resized, a)
	if left := a.untaken(); left != nil && (err == nil || fetch.KindOf(err) != fetch.ErrRefused) {
		return left
	}
	return err
}

// untaken returns the error of a script whose last keys the host has not taken: its keyboard is still locked. A person sees that.
func (a *attached) untaken() error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if a.wrong != nil {
		return a.wrong
	}
	if n := len(a.keys.pending); n > 0 && a.t.Size == nil && a.view.locked {
		return fetch.Errorf(fetch.ErrRefused, "the keyboard is locked: %d bytes that were typed are not taken", n)
	}
	return nil
}

// attached is the far end of the terminal.
type attached struct {
	*host
	ctx  context.Context
	t    *fetch.Terminal
	keys keyboard
	told int // the writes that were shown

	wrong error // what was typed where nothing can be, and nobody watches
}

// Listen shows the screens. A session may be silent for as long as its people like.
func (a *attached) Listen() error {
	buf := make([]byte, 32<<10)
	for {
		err := a.Hear(a.ctx, buf)
		shown, wrong := a.show(), a.mistyped()
		if err == nil {
			err = shown
		}
		switch {
		case wrong != nil: // whatever its hanging up made of the connection
			return wrong
		case err == nil:
		case fetch.KindOf(err) == fetch.ErrTimeout && a.ctx.Err() == nil:
			a.Conn.BeginBody()
		case (err == io.EOF || errors.Is(err, net.ErrClosed)) && a.view.writes == 0 && len(a.plain) > 0:
			return a.notHere()
		case err == io.EOF, errors.Is(err, net.ErrClosed):
			return nil
		default:
			return err
		}
	}
}

// show shows what the host has changed, and lets what was typed ahead go on.
func (a *attached) show() error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if a.view.writes == a.told {
		return nil
	}
	a.told = a.view.writes
	if err := a.draw(); err != nil {
		return err
	}
	return a.press()
}

// draw writes the screen. The caller holds mu.
func (a *attached) draw() error {
	var text string
	if a.t.Size != nil {
		_, rows := a.t.Size()
		text = a.view.ansi(rows)
		a.view.alarm = false
	} else if !a.view.locked {
		text = "\f" + a.view.text()
	}
	if _, err := io.WriteString(a.t.Out, text); err != nil {
		return fetch.Errorf(fetch.ErrLocal, "the terminal: %w", err)
	}
	return nil
}

// Type takes what was typed.
func (a *attached) Type(p []byte) error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if room := maxPending - len(a.keys.pending); len(p) > room {
		p = p[:max(0, room)] // more than a person types ahead
	}
	a.keys.pending = append(a.keys.pending, p...)
	return a.press()
}

// press obeys the keys that were typed, as long as the host takes any. The caller holds mu.
func (a *attached) press() error {
	changed := false
	for {
		k, ok := a.next()
		if !ok {
			break
		}
		changed = true
		if err := a.obey(k); err != nil {
			return err
		}
	}
	if changed && a.t.Size != nil {
		return a.draw()
	}
	return nil
}

// next is the next key that is taken now.
func (a *attached) next() (key, bool) {
	if a.view.locked {
		return a.keys.urgent()
	}
	return a.keys.next()
}

// obey does what a key does, here or at the host. ATTN and SYSREQ are telnet's BREAK and IP (RFC 1576 section 5).
func (a *attached) obey(k key) error {
	switch {
	case k.aid != 0:
		return a.attention(k.aid)
	case k.name == "attn":
		a.Stream.Say(telopt.BRK)
		return a.Flush()
	case k.name == "sysreq":
		a.Stream.Say(telopt.IP)
		return a.Flush()
	case k.name == "reset" && a.view.writes > 0:
		a.view.locked = false
	}
	if !a.view.edit(k) {
		return a.operatorError(k)
	}
	return nil
}

// operatorError is what becomes of a key that cannot be obeyed: a person hears the alarm, a script would go on without what it has typed.
func (a *attached) operatorError(k key) error {
	if a.t.Size != nil {
		a.view.alarm = true
		return nil
	}
	v := a.view
	what := "the key " + k.name
	if k.name == "" {
		what = strconv.QuoteRune(k.char)
	}
	why := "is not possible there"
	if !v.open(v.cursor) {
		why = "the field is protected"
	} else if _, ok := v.page.octet(k.char); k.name == "" && !ok {
		why = "the host's character set lacks it"
	}
	a.wrong = fetch.Errorf(fetch.ErrRefused, "operator error: %s at row %d, column %d: %s", what, v.cursor/v.cols+1, v.cursor%v.cols+1, why)
	return a.wrong
}

func (a *attached) mistyped() error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	return a.wrong
}

// attention sends a key to the host, which unlocks the keyboard when it has answered.
func (a *attached) attention(aid byte) error {
	out := a.view.readModified(aid, false)
	a.view.aid, a.view.locked, a.view.insert = aid, true, false
	if aid == aidClear {
		rows, cols := a.view.rows, a.view.cols
		a.view.erase(rows != 24 || cols != 80)
	}
	return a.send(out)
}

// Resize draws the screen anew: its size is the model's, whatever the terminal's.
func (a *attached) Resize() error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	return a.draw()
}

// Hangup ends Listen.
func (a *attached) Hangup() { a.Conn.Close() }

var _ fetch.Attacher = handler{}
