//go:build unix || windows

package hub

import "net"

// Pipe returns a connection to the server in memory.
func (s *Server) Pipe() (net.Conn, error) { return s.server.InProcessConn() }
