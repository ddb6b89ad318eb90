package rlogin

import (
	"context"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/terminal"
)

// run returns the first screen as the document.
func (r request) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	c, err := open(ctx, p, env, func(byte) bool { return false })
	if err != nil {
		return nil, err
	}
	buf := make([]byte, 4096)
	return r.FirstScreen(p, c, func(wait time.Duration) ([]byte, bool, error) {
		silent := terminal.WaitAtMost(ctx, c, wait)
		n, err := c.Read(buf)
		return buf[:n], silent(err), err
	})
}

// open sends the unconditional steps, reads the host's NUL and returns the connection (RFC 1282 "Connection establishment"). urgent is called
// with the host's urgent bytes.
func open(ctx context.Context, p *fetch.Plan, env *fetch.Env, urgent func(byte) bool) (*fetch.Conn, error) {
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{Record: fetch.RecordOctets, LowPort: true})
	if err != nil {
		return nil, err
	}
	c.OnUrgent(urgent)
	c.BeginUntilClose()
	for _, step := range p.When("") {
		if step.Verb == "open" {
			err = c.SendAs(appendOpening, step)
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

// appendOpening writes a NUL and then the strings, each ended by a NUL. None of them contains one.
func appendOpening(b []byte, steps []fetch.Step) []byte {
	for _, s := range steps {
		b = append(append(append(b, 0), strings.Join(s.Args, "\x00")...), 0)
	}
	return b
}

// untrusted returns the error about a host that closed the connection at once.
//
// QUIRK: rsh-redone's rlogind does so if the client's port is not below 1024 (observed). So does 4.4BSD's, which only logs it.
func untrusted(c *fetch.Conn, err error) error {
	if err != nil && err != io.EOF && fetch.KindOf(err) != fetch.ErrConnection {
		return err
	}
	e := fetch.Errorf(fetch.ErrConnection, "the host closed the connection before it sent anything")
	if a, ok := c.LocalAddr().(*net.TCPAddr); ok && a.Port >= 1024 {
		e.Text += ": port " + strconv.Itoa(a.Port) + " on this side is not privileged"
		e.Hint = "rlogin hosts trust source ports below 1024 only, which need root or CAP_NET_BIND_SERVICE"
	}
	return e
}

// maxWords limits the text that a host sends instead of a NUL.
const maxWords = 1024

// refusal returns the error of a host that sent text instead of a NUL. BSD hosts send a byte 1 before the text.
func refusal(first byte, c *fetch.Conn) error {
	words, err := io.ReadAll(io.LimitReader(c, maxWords))
	if first > 1 {
		words = append([]byte{first}, words...)
	}
	text := strings.TrimSpace(string(words))
	if text == "" && err != nil {
		return err
	}
	return fetch.Errorf(fetch.ErrRefused, "the host replied: %s", text)
}
