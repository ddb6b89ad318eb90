package http

import (
	"bufio"
	"context"

	"example.org/deref/fetch"
)

// bufferSize holds a usual header, and a line of chunk size as long as net/http allows (4096).
const bufferSize = 8 << 10

// A session is one connection, with what was read ahead on it. It is the thing that is leased.
type session struct {
	conn *fetch.Conn
	in   *bufio.Reader
	used bool // it has answered before
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
		return &session{conn: c, in: bufio.NewReaderSize(c, bufferSize)}, nil
	}
}

// quiet reports whether nothing has arrived that nobody asked for.
func (s *session) quiet() bool { return s.in.Buffered() == 0 && s.conn.Buffered() == 0 }
