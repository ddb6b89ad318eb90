package retry

import (
	"context"
	"io"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Client is a Getter that retries, and whose Bodies continue after an interruption. It serves documents that are passed on while they
// arrive, to standard output or another program. It is safe for concurrent use.
type Client struct {
	fetch.Getter
	policy Policy
	once   bool // Get tries only once
}

// New returns a Getter that applies the policy to g. It returns g itself if the policy never retries.
func New(g fetch.Getter, p Policy) fetch.Getter {
	if p.Retries <= 0 {
		return g
	}
	return &Client{Getter: g, policy: p}
}

// Bodies is New for a caller that retries Get itself: Get tries once, and only interruptions within a Body are retried.
func Bodies(g fetch.Getter, p Policy) fetch.Getter {
	if p.Retries <= 0 {
		return g
	}
	return &Client{Getter: g, policy: p, once: true}
}

// Get dereferences u and retries according to the policy. Retries while the Body is read count as tries of the same series.
func (c *Client) Get(ctx context.Context, u uri.URI, o *fetch.Options) (d *fetch.Document, err error) {
	s := c.policy.Begin(time.Now())
	for {
		d, err = c.Getter.Get(ctx, u, o)
		failed := failureOf(d, err)
		if failed == nil || err != nil && d != nil || c.once {
			break
		}
		wait, again := s.Next(failed)
		if ctx.Err() != nil || !again || !fetch.Sleep(ctx, wait) {
			return d, err
		}
		if d != nil {
			d.Body.Close()
		}
	}
	if err == nil && canContinue(d, o) {
		d.Body = &body{in: d.Body, client: c, ctx: ctx, uri: u, options: o, series: s, at: d.Offset, valid: d.Validator}
	}
	return d, err
}

// failureOf returns the error of a request, also of one whose refusal came with a page.
func failureOf(d *fetch.Document, err error) error {
	if err == nil && d != nil && d.Refusal != nil {
		return d.Refusal
	}
	return err
}

// canContinue reports whether the rest of d can be requested alone. The end of a range is not requested twice.
func canContinue(d *fetch.Document, o *fetch.Options) bool {
	return d.Refusal == nil && d.Validator.Exact() && !d.NotModified && d.Entries == nil && (o == nil || o.Op == fetch.Retrieve && o.Range.To == 0)
}

// A body is the rest of an object, read from one document after the other.
type body struct {
	in      io.ReadCloser
	client  *Client
	ctx     context.Context // of the Document, which governs it until Close
	uri     uri.URI         // as it was requested: the options, with a login, are for it, and not for where a referral led
	options *fetch.Options
	series  *Series
	at      int64 // offset of the next byte
	valid   fetch.Validator
	err     error // the final error
}

func (b *body) Read(p []byte) (int, error) {
	for {
		if b.err != nil {
			return 0, b.err
		}
		n, err := b.in.Read(p)
		b.at += int64(n)
		if err == nil || err == io.EOF {
			return n, err
		}
		b.broken(err)
		if n > 0 {
			return n, nil
		}
	}
}

// WriteTo keeps the fast WriteTo of the inner Bodies.
func (b *body) WriteTo(w io.Writer) (total int64, err error) {
	for b.err == nil {
		n, err := io.Copy(w, b.in)
		total += n
		b.at += n
		if err == nil || fetch.KindOf(err) == "" { // the end, or an error of w
			return total, err
		}
		b.broken(err)
	}
	return total, b.err
}

// Close closes the current document.
func (b *body) Close() error { return b.in.Close() }

// broken replaces an interrupted document with its rest, or sets the final error.
func (b *body) broken(err error) {
	b.in.Close()
	for {
		wait, again := b.series.Next(err)
		if b.ctx.Err() != nil || !again || !fetch.Sleep(b.ctx, wait) {
			b.err = err
			return
		}
		d, gerr := b.rest()
		if gerr == nil {
			b.in = d.Body
			return
		}
		if !b.series.policy.worth(gerr) {
			b.err = err // the first error is more telling than that of the retry
			return
		}
		err = gerr
	}
}

// rest requests the bytes from at on, of the same object.
func (b *body) rest() (*fetch.Document, error) {
	o := b.options.Clone()
	o.Range, o.IfSame = fetch.Range{From: b.at}, b.valid
	d, err := b.client.Getter.Get(b.ctx, b.uri, o)
	if err = failureOf(d, err); err == nil && d.Offset == b.at && (d.Validator.IsZero() || d.Validator.Same(b.valid)) {
		return d, nil
	}
	if d != nil {
		d.Body.Close()
	}
	if err == nil {
		err = fetch.Errorf(fetch.ErrChanged, "the object changed while it was fetched")
	}
	return nil, err
}
