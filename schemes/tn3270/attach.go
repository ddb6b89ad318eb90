package tn3270

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/nvt"
	"example.org/deref/schemes/internal/terminal"
)

// attach connects a terminal to the host until one of them ends. The screen is drawn on a terminal that has a size. To any other, each
// screen that accepts input is written as text, after a form feed.
func (r *request) attach(ctx context.Context, p *fetch.Plan, env *fetch.Env, t *fetch.Terminal) error {
	defer t.In.Close()
	h, err := r.dial(ctx, p, env)
	if err != nil {
		return err
	}
	a := &attached{host: h, Session: terminal.NewSession(ctx, h.Conn, t, nil)}
	a.host.Heard = a.Session.Heard
	if t.Size != nil {
		defer io.WriteString(t.Out, "\x1b[0m\x1b[H\x1b[2J\x1b[?25h")
	}
	if err = terminal.Couple(t.In, t.Resized, a); err != nil {
		return err
	}
	return a.lostKeys()
}

// lostKeys returns the error of a script whose last keys the host did not accept because its keyboard is locked. A user sees that.
func (a *attached) lostKeys() error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if a.keyError != nil {
		return a.keyError
	}
	if n := len(a.keys.pending); n > 0 && a.Terminal.Size == nil && a.view.locked {
		return fetch.Errorf(fetch.ErrRefused, "the keyboard is locked: %d bytes of input were not accepted", n)
	}
	return nil
}

// attached is the host of a terminal.
type attached struct {
	*host
	*terminal.Session // without a Flow: there is no output besides screens
	keys              keyboard
	drawn             int // the view's writes when it was last shown

	keyError error // of a script's key that the screen does not accept
}

// Listen shows the screens.
func (a *attached) Listen() error {
	return a.Show(func(buf []byte) ([]byte, error) {
		err := a.Read(a.Ctx, buf)
		shown, keyError := a.show(), a.failedKey()
		switch {
		case keyError != nil: // it ended the connection
			return nil, keyError
		case err == nil:
			return nil, shown
		case (err == io.EOF || errors.Is(err, net.ErrClosed)) && a.view.writes == 0 && len(a.plain) > 0:
			return nil, a.no3270()
		}
		return nil, err
	})
}

// show draws the screen if the host changed it, and handles keys that were typed ahead.
func (a *attached) show() error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if a.view.writes == a.drawn {
		return nil
	}
	a.drawn = a.view.writes
	if err := a.draw(); err != nil {
		return err
	}
	return a.press()
}

// draw writes the screen. The caller holds Mu.
func (a *attached) draw() error {
	var text string
	if a.Terminal.Size != nil {
		_, rows := a.Terminal.Size()
		text = a.view.ansi(rows)
		a.view.alarm = false
	} else if !a.view.locked {
		text = "\f" + a.view.text()
	}
	if _, err := io.WriteString(a.Terminal.Out, text); err != nil {
		return fetch.Errorf(fetch.ErrLocal, "cannot write to the terminal: %w", err)
	}
	return nil
}

// Type handles input.
func (a *attached) Type(p []byte) error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if len(a.keys.pending)+len(p) > maxPending {
		a.keyError = fetch.Errorf(fetch.ErrLimit, "more than %d bytes of input before the host accepted any", maxPending)
		return a.keyError
	}
	a.keys.cr = a.keys.cr && a.Terminal.Size == nil // a user types LF for another key
	a.keys.pending = append(a.keys.pending, p...)
	return a.press()
}

// press handles the pending keys that the screen accepts now. The caller holds Mu.
func (a *attached) press() error {
	changed := false
	for {
		k, ok := a.next()
		if !ok {
			break
		}
		changed = true
		if err := a.handle(k); err != nil {
			return err
		}
	}
	if changed && a.Terminal.Size != nil {
		return a.draw()
	}
	return nil
}

// next returns the next key that is accepted now.
func (a *attached) next() (key, bool) {
	if a.view.locked {
		return a.keys.urgent()
	}
	return a.keys.next()
}

// handle performs a key's function, here or at the host. ATTN and SYSREQ are telnet's BREAK and IP (RFC 1576 section 5).
func (a *attached) handle(k key) error {
	switch {
	case k.aid != 0:
		return a.attention(k.aid)
	case k.name == "attn":
		a.Stream.Command(nvt.BRK)
		return a.Flush()
	case k.name == "sysreq":
		a.Stream.Command(nvt.IP)
		return a.Flush()
	case k.name == "reset" && a.view.writes > 0:
		a.view.locked = false
	}
	if !a.view.edit(k) {
		return a.operatorError(k)
	}
	return nil
}

// operatorError handles a key that the screen does not accept: a user hears the alarm, a script ends with an error.
func (a *attached) operatorError(k key) error {
	if a.Terminal.Size != nil {
		a.view.alarm = true
		return nil
	}
	v := a.view
	what := "the key " + k.name
	if k.name == "" {
		what = strconv.QuoteRune(k.char)
	}
	why := "not possible there"
	if !v.open(v.cursor) {
		why = "the field is protected"
	} else if _, ok := v.page.octet(k.char); k.name == "" && !ok {
		why = "the host's character set lacks it"
	}
	a.keyError = fetch.Errorf(fetch.ErrRefused, "operator error: %s at row %d, column %d: %s", what, v.cursor/v.cols+1, v.cursor%v.cols+1, why)
	return a.keyError
}

func (a *attached) failedKey() error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	return a.keyError
}

// attention sends an attention key. The host unlocks the keyboard in its response.
func (a *attached) attention(aid byte) error {
	out := a.view.readModified(aid, false)
	a.view.aid, a.view.locked, a.view.insert = aid, true, false
	if aid == aidClear {
		rows, cols := a.view.rows, a.view.cols
		a.view.erase(rows != 24 || cols != 80)
	}
	a.send(out)
	return a.Flush()
}

// Resize redraws the screen, whose size is fixed by the model.
func (a *attached) Resize() error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	return a.draw()
}
