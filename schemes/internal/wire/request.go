// Package wire holds what protocols of lines share: the line ends and dot-stuffed texts of the network, the beginning of a request, and the
// check of a plan that retrieves whole documents.
package wire

import (
	"context"

	"example.org/deref/fetch"
)

// CheckWhole returns an error unless o retrieves a whole document, the only operation of many schemes.
func CheckWhole(scheme string, o *fetch.Options) error {
	switch {
	case o.Op != fetch.Retrieve:
		return fetch.NoOperation(scheme, o.Op)
	case !o.Range.IsZero():
		return fetch.Errorf(fetch.ErrRange, "byte ranges are not supported for %s", scheme)
	}
	return nil
}

// Send connects to p's server and sends p's unconditional steps in one write, each as a line.
func Send(ctx context.Context, p *fetch.Plan, env *fetch.Env, record fetch.RecordMode) (*fetch.Conn, error) {
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{Record: record})
	if err != nil {
		return nil, err
	}
	return c, c.Send(p.When("")...)
}
