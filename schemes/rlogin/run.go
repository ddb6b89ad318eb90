package rlogin

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/session"
)

// Run gives the first screen as the document.
func (handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	idle, err := idleOf(p.Options)
	if err != nil {
		return nil, err
	}
	c, err := open(ctx, p, env, func(byte) bool { return false })
	if err != nil {
		return nil, err
	}
	buf := make([]byte, 4096)
	b := &session.Screen{
		Idle: idle,
		Waits: &fetch.Error{Kind: fetch.ErrInteractive, Text: "the host waits for input: this is a session",
			Hint: "`deref session " + p.URI.String() + "` attaches the terminal"},
		Void: fetch.Errorf(fetch.ErrConnection, "the host closed the connection before it said anything"),
		Stop: c.Close,
		Hear: func(wait time.Duration) ([]byte, bool, error) { return hear(ctx, c, buf, wait) },
	}
	if err := b.Begin(); err != nil {
		return nil, err
	}
	d := fetch.NewDocument(b)
	d.Type, d.TypeReason, d.End = "text/plain", "a terminal's first screen", fetch.EndClosed
	return d, nil
}

// hear reads once, for at most wait; 0 is as long as the Client waits.
func hear(ctx context.Context, c *fetch.Conn, buf []byte, wait time.Duration) (said []byte, silent bool, err error) {
	var end time.Time
	if wait > 0 {
		end = time.Now().Add(wait)
	}
	c.SetReadDeadline(end)
	n, err := c.Read(buf)
	silent = fetch.KindOf(err) == fetch.ErrTimeout && wait > 0 && !time.Now().Before(end) && ctx.Err() == nil
	return buf[:n], silent, err
}

// open says the unconditional steps, and returns the connection behind the host's NUL. RFC 1282 "Connection establishment". Urgent is
// told of the host's urgent octets.
func open(ctx context.Context, p *fetch.Plan, env *fetch.Env, urgent func(byte) bool) (*fetch.Conn, error) {
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{Record: fetch.RecordOctets, LowPort: true})
	if err != nil {
		return nil, err
	}
	c.OnUrgent(urgent)
	c.BeginUntilClose()
	for _, step := range p.When("") {
		if step.Verb == "open" {
			err = c.SendAs(opened, step)
		} else {
			err = env.Announce(step)
		}
		if err != nil {
			return nil, err
		}
	}
	var first [1]byte
	n, err := c.Read(first[:])
	switch {
	case n == 0:
		return nil, untrusted(c, err)
	case first[0] != 0:
		return nil, refusal(first[0], c)
	}
	return c, nil
}

// opened writes the opening: its strings each end with NUL, which none of them holds, and one goes before them.
func opened(b []byte, steps []fetch.Step) []byte {
	for _, s := range steps {
		b = append(append(append(b, 0), strings.Join(s.Args, "\x00")...), 0)
	}
	return b
}

// untrusted is a host that closes without a word.
//
// QUIRK: rsh-redone's rlogind does so to a client whose port is not below 1024 (seen); so does 4.4BSD's, which only logs it.
func untrusted(c *fetch.Conn, err error) error {
	if err != nil && err != io.EOF && fetch.KindOf(err) != fetch.ErrConnection {
		return err
	}
	e := fetch.Errorf(fetch.ErrConnection, "the host closed the connection without a word")
	if a, ok := c.LocalAddr().(*net.TCPAddr); ok && a.Port >= 1024 {
		e.Text += ": the port " + strconv.Itoa(a.Port) + " on this side is an ordinary one"
		e.Hint = "rlogin hosts trust source ports below 1024 only, which need root or CAP_NET_BIND_SERVICE"
	}
	return e
}

// maxWords bounds what a host says instead of a NUL.
const maxWords = 1024

// refusal is what a host says instead of a NUL: BSD's begins it with an octet 1.
func refusal(first byte, c *fetch.Conn) error {
	words, err := io.ReadAll(io.LimitReader(c, maxWords))
	if first > 1 {
		words = append([]byte{first}, words...)
	}
	text := strings.TrimSpace(string(words))
	if text == "" && err != nil {
		return err
	}
	return fetch.Errorf(fetch.ErrRefused, "the host says: %s", text)
}

// idleOf reads rlogin.idle; 0 leaves it to what the host says.
func idleOf(o *fetch.Options) (time.Duration, error) {
	d, err := session.Idle(o.Get(setIdle))
	if err != nil {
		return 0, fetch.BadSetting(setIdle, "%s: %v", setIdle, err)
	}
	return d, nil
}

// over reports whether err is the ordinary end of a session.
func over(err error) bool { return err == io.EOF || errors.Is(err, net.ErrClosed) }
