//go:build !linux

package socket

// AckAtOnce does nothing on this system.
func (c *Conn) AckAtOnce() {}
