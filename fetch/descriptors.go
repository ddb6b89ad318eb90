package fetch

import (
	"context"
	"time"

	"example.org/deref/fetch/internal/socket"
)

// withDescriptor calls open, which makes a socket. If the process has no descriptor left, withDescriptor closes idle sessions, the oldest
// first. If there are none, it waits until another request ends, as long as ctx allows. It fails if all others wait, too, and one more try has
// shown that none of them has freed a descriptor before.
func (c *Client) withDescriptor(ctx context.Context, open func() error) error {
	err := open()
	for alone := false; isShort(err); err = open() {
		if c.pool.evict() {
			continue
		}
		waiting := c.waiting.Add(1) // a request that opens a socket does not wait
		before := alone
		alone = waiting >= c.running.Load()
		over := before && alone || !alone && !pause(ctx, descriptorWait)
		c.waiting.Add(-1)
		if over {
			return &Error{Kind: ErrLocal, Text: "too many open files", Err: err, Hint: "the system can allow more (ulimit -n)"}
		}
	}
	return err
}

// isShort reports whether err means that there is no descriptor, and does not come from another withDescriptor.
func isShort(err error) bool { return socket.IsExhausted(err) && KindOf(err) == "" }

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
