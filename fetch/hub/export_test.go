//go:build unix || windows

package hub

import (
	"net"

	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/internal/lock"
)

// Pipe returns a connection to the server in memory.
func (s *Server) Pipe() (net.Conn, error) { return s.server.InProcessConn() }

// Log returns the list of a partition, whose requests are sent once.
func (j *Job) Log(partition int) batch.Log {
	return &log{job: j, partition: partition, mu: lock.NewLong()}
}

// Append appends a record to the list of a partition, and returns its position.
func (j *Job) Append(partition int, record []byte) (int64, error) {
	seq, _, err := j.publish(partition, [][]byte{record}, false, nil)
	return int64(seq << indexBits), err
}
