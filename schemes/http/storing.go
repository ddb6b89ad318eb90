package http

import (
	"io"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http/cache"
)

// storing returns a body that stores the bytes that are read from it.
func (x *exchange) storing(body io.ReadCloser) io.ReadCloser {
	if w := x.newEntry(); w != nil {
		return &storingBody{body, w}
	}
	return body
}

// storeError stores a response with an error status. Its body is not stored.
func (x *exchange) storeError() {
	if w := x.newEntry(); w != nil {
		w.Commit()
	}
}

// newEntry starts an entry for the server's response, and removes an earlier one that the response shows to be out of date. It returns nil
// if the response must not be stored.
func (x *exchange) newEntry() *cache.Writer {
	c := x.cached
	if c == nil || c.answer || !mayRevalidate(x.plan.Options) && x.head.status != 200 || x.plan.Options.Op != fetch.Retrieve {
		return nil
	}
	if !cache.Storable(x.head.status, c.sent, x.head.header) {
		if x.head.status < 500 {
			c.cache.Forget(c.key)
		}
		return nil
	}
	w, err := c.cache.New(cache.Meta{URI: c.key, Status: x.head.status, Reason: x.head.reason, Header: x.head.header,
		Vary: cache.Select(x.head.header, c.field), Requested: c.asked, Received: time.Now()})
	if err != nil {
		return nil // work without a cache that cannot be written
	}
	return w
}

// A storingBody is a body that is also written to the cache.
type storingBody struct {
	io.ReadCloser
	w *cache.Writer
}

func (b *storingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.w != nil {
		b.w.Write(p[:n])
		if err == io.EOF {
			b.w.Commit()
			b.w = nil
		}
	}
	return n, err
}

// Close discards an incomplete entry. The page of a redirect, which is seldom read, has usually arrived with the header, and is stored then.
func (b *storingBody) Close() error {
	if p, ok := b.ReadCloser.(interface{ hasArrived() bool }); ok && p.hasArrived() {
		io.Copy(io.Discard, b)
	}
	if b.w != nil {
		b.w.Abort()
		b.w = nil
	}
	return b.ReadCloser.Close()
}
