// Package throttle bounds how many octets a second documents bring, all of them together.
//
//	slow := throttle.New(client, 100<<10)
//
// The octets counted are those of the Bodies, after any coding is undone. A Body that is not read stops its server by the
// network's own means, so nothing piles up on the way.
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
	// perSecond is into how many pieces a second's octets are divided: short enough that a progress line moves evenly.
	perSecond = 10
	maxPiece  = 64 << 10
)

// New puts a limit of so many octets a second around g. Without one, 0 or negative, it returns g itself, which keeps its ways of
// moving octets without copying them.
func New(g fetch.Getter, octetsPerSecond int64) fetch.Getter {
	if octetsPerSecond <= 0 {
		return g
	}
	piece := int(min(max(1, octetsPerSecond/perSecond), maxPiece))
	return &Client{Getter: g, limiter: rate.NewLimiter(rate.Limit(octetsPerSecond), piece), piece: piece}
}

// Get dereferences u.
func (c *Client) Get(ctx context.Context, u uri.URI, o *fetch.Options) (*fetch.Document, error) {
	d, err := c.Getter.Get(ctx, u, o)
	if d != nil {
		d.Body = &body{d.Body, ctx, c}
	}
	return d, err
}

// body waits after each piece for as long as that may take. It has no WriteTo on purpose: octets must come through it.
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

// wait takes n octets off the rate.
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
