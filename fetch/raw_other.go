//go:build !unix

package fetch

// pending cannot look without taking here: an idle connection that has ended shows it at the next command.
func (r *rawConn) pending() bool { return r.ended.Load() }

type peek struct{}
