package batch

import (
	"context"
	"io"
	"time"

	"golang.org/x/time/rate"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A throttled Getter has documents that share one rate.
type throttled struct {
	fetch.Getter
	limiter *rate.Limiter // its burst is the size of a piece
}

const (
	// perSecond is the number of pieces per second, enough for a progress line to move evenly.
	perSecond = 10
	maxPiece  = 64 << 10
)

// Throttle returns a Getter that limits g to a number of bytes per second, for all documents together. If the number is 0 or negative it returns g
// itself, which keeps its fast ways of copying.
//
// It counts the bytes of the Bodies after decoding. A Body that is not read slows its server down by the flow control of the network, so nothing
// accumulates.
func Throttle(g fetch.Getter, bytesPerSecond int64) fetch.Getter {
	if bytesPerSecond <= 0 {
		return g
	}
	piece := int(min(max(1, bytesPerSecond/perSecond), maxPiece))
	return &throttled{Getter: g, limiter: rate.NewLimiter(rate.Limit(bytesPerSecond), piece)}
}

// Get dereferences u.
func (c *throttled) Get(ctx context.Context, u uri.URI, o *fetch.Options) (*fetch.Document, error) {
	d, err := c.Getter.Get(ctx, u, o)
	if d != nil {
		d.Body = &slowBody{d.Body, ctx, c}
	}
	return d, err
}

// A slowBody waits after each piece for as long as the piece should take. It has no WriteTo on purpose, so that all bytes pass through it.
type slowBody struct {
	io.ReadCloser
	ctx context.Context // of the Document, which governs it until Close
	c   *throttled
}

func (b *slowBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(len(p), b.c.limiter.Burst())])
	if n > 0 && !b.wait(n) && (err == nil || err == io.EOF) {
		err = context.Cause(b.ctx)
	}
	return n, err
}

// wait subtracts n bytes from the budget, and waits until it is not negative.
func (b *slowBody) wait(n int) bool {
	r := b.c.limiter.ReserveN(time.Now(), n)
	d := r.Delay()
	return d <= 0 || fetch.Sleep(b.ctx, d)
}
