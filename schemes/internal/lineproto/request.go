// Package lineproto holds what protocols of lines share: the line ends and dot-stuffed texts of the network, quoted strings, wildmats, the beginning of a
// request, and the check of a plan that retrieves whole documents.
package lineproto

import (
	"context"
	"errors"
	"io"

	"example.org/deref/fetch"
)

// Send connects to p's server and sends p's unconditional steps in one write, each as a line.
func Send(ctx context.Context, p *fetch.Plan, env *fetch.Env, record fetch.RecordMode) (*fetch.Conn, error) {
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{Record: record})
	if err != nil {
		return nil, err
	}
	return c, c.Send(p.When("")...)
}

// Head reads the beginning of a response that ends with the connection: up to most bytes, while undecided reports that what has arrived may be
// an error message or refer to another server. One deadline holds for all of it, so that a server cannot drip an error message. whole reports
// whether it is the whole response; then it may be empty. The document, which follows, has the same bytes again.
func Head(c *fetch.Conn, most int, undecided func(head []byte) bool) (head []byte, whole bool, err error) {
	c.BeginUntilClose()
	defer c.BeginBody()
	for {
		head, err = c.Peek(len(head) + 1)
		switch {
		case err == io.EOF, len(head) == 0 && errors.Is(err, io.ErrUnexpectedEOF):
			return head, true, nil
		case err != nil:
			return nil, false, err
		case len(head) >= most || !undecided(head):
			return head, false, nil
		}
	}
}
