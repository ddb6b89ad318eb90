package http

import (
	"bufio"
	"context"
	"io"

	"example.org/deref/fetch"
)

// bufferSize holds a usual header, and a line of chunk size as long as net/http allows (4096).
const bufferSize = 8 << 10

// A session is one connection, with what was read ahead on it. It is the thing that is leased.
type session struct {
	conn  *fetch.Conn
	in    *bufio.Reader
	used  bool // it has answered before
	ended bool // the server has closed it
}

// Read is what fills in.
func (s *session) Read(p []byte) (int, error) {
	n, err := s.conn.Read(p)
	s.ended = s.ended || err == io.EOF
	return n, err
}

// Close closes the connection.
func (s *session) Close() error { return s.conn.Close() }

func (h *handler) open(env *fetch.Env, addr string) func(context.Context) (*session, error) {
	return func(ctx context.Context) (*session, error) {
		o := fetch.DialOptions{TLS: h.tls, Record: fetch.RecordHead}
		if h.tls {
			o.ALPN = []string{"http/1.1"}
		}
		c, err := env.Dial(ctx, "tcp", addr, &o)
		if err != nil {
			return nil, err
		}
		s := &session{conn: c}
		s.in = bufio.NewReaderSize(s, bufferSize)
		return s, nil
	}
}

// quiet reports whether nothing has arrived that nobody asked for.
func (s *session) quiet() bool { return s.in.Buffered() == 0 && s.conn.Buffered() == 0 }
