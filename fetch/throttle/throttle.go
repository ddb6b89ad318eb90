// Package throttle bounds how many bytes per second all documents together receive.
//
//	slow := throttle.New(client, 100<<10)
//
// It counts the bytes of the Bodies after decoding. A Body that is not read slows its server down by the flow control of the network, so
// nothing accumulates.
package throttle

import (
	"context"
	"io"
	"time"

	"golang.org/x/time/rate"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Client is a Getter whose documents share one rate. It is safe for concurrent use.
type Client struct {
	fetch.Getter
	limiter *rate.Limiter
	piece   int
}

const (
	// perSecond is the number of pieces per second, enough for a progress line to move evenly.
	perSecond = 10
	maxPiece  = 64 << 10
)

// New returns a Getter that limits g to a number of bytes per second. If the number is 0 or negative it returns g itself, which keeps its
// fast ways of copying.
func New(g fetch.Getter, bytesPerSecond int64) fetch.Getter {
	if bytesPerSecond <= 0 {
		return g
	}
	piece := int(min(max(1, bytesPerSecond/perSecond), maxPiece))
	return &Client{Getter: g, limiter: rate.NewLimiter(rate.Limit(bytesPerSecond), piece), piece: piece}
}

// Get dereferences u.
func (c *Client) Get(ctx context.Context, u uri.URI, o *fetch.Options) (*fetch.Document, error) {
	d, err := c.Getter.Get(ctx, u, o)
	if d != nil {
		d.Body = &body{d.Body, ctx, c}
	}
	return d, err
}

// A body waits after each piece for as long as the piece should take. It has no WriteTo on purpose, so that all bytes pass through it.
type body struct {
	io.ReadCloser
	ctx context.Context // of the Document, which governs it until Close
	c   *Client
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(len(p), b.c.piece)])
	if n > 0 && !b.wait(n) && (err == nil || err == io.EOF) {
		err = context.Cause(b.ctx)
	}
	return n, err
}

// wait subtracts n bytes from the budget, and waits until it is not negative.
func (b *body) wait(n int) bool {
	r := b.c.limiter.ReserveN(time.Now(), n)
	d := r.Delay()
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-b.ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
