package fetch

import (
	"context"
	"time"

	"example.org/deref/fetch/internal/socket"
)

// withDescriptor calls open, which makes a socket. If the process has no descriptor left, withDescriptor closes idle sessions, the oldest
// first. If there are none, it waits until another request ends, as long as ctx allows.
func (c *Client) withDescriptor(ctx context.Context, open func() error) error {
	for {
		err := open()
		if !socket.IsExhausted(err) || KindOf(err) != "" {
			return err
		}
		if c.pool.evict() {
			continue
		}
		if c.running.Load() <= 1 || !pause(ctx, descriptorWait) {
			return &Error{Kind: ErrLocal, Text: "too many open files", Err: err, Hint: "fewer parallel requests need fewer files; the system can allow more"}
		}
	}
}

// descriptorWait is the time between attempts.
const descriptorWait = 20 * time.Millisecond

// pause waits for d. It reports whether ctx has not ended.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
