//go:build !unix

package socket

// Pending cannot look without reading on this system: the next command on an idle connection that has ended fails.
func (c *Conn) Pending() bool { return c.ended.Load() }

type peek struct{}
