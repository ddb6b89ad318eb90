package http

import (
	"bufio"
	"context"
	"errors"
	nethttp "net/http"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/clientcert"
)

// bufferSize holds a usual header, and a line of chunk size as long as net/http allows (4096).
const bufferSize = 8 << 10

// A session is one connection, with what was read ahead on it. It is the thing that is leased.
type session struct {
	conn  *fetch.Conn
	in    *bufio.Reader       // HTTP/1
	h2    *nethttp.ClientConn // HTTP/2
	guard *frameGuard         // in front of h2
	used  bool                // it has answered before
	fault error               // how reading ended, io.EOF if the server has closed it
}

// Read is what fills in.
func (s *session) Read(p []byte) (int, error) {
	n, err := s.conn.Read(p)
	if err != nil {
		s.fault = err
	}
	return n, err
}

// Close closes the connection.
func (s *session) Close() error {
	if s.h2 != nil {
		s.h2.Close()
	}
	return s.conn.Close()
}

// quiet reports whether nothing has arrived that nobody asked for.
func (s *session) quiet() bool { return s.in.Buffered() == 0 && s.conn.Buffered() == 0 }

// version is the condition under which a request line is the session's.
func (s *session) version() string {
	if s.h2 != nil {
		return ifH2
	}
	return ifH1
}

// open connects, and in TLS agrees on the version by ALPN (RFC 7301). HTTP/2 is offered where it was asked for: one document at a time
// gains nothing by it, and its frames cost. In clear it is spoken without asking (RFC 9113 section 3.3).
func (x *exchange) open(ctx context.Context) (*session, error) {
	version, err := x.handler.version(x.plan.Options)
	if err != nil {
		return nil, err
	}
	addr, h2 := x.plan.Addr, version == "HTTP/2"
	o := fetch.DialOptions{TLS: x.handler.tls, Record: fetch.RecordHead}
	if at := x.plan.Steps[0].At; at != "" {
		addr, h2, o.For = at, false, x.plan.URI.Hostname()
	}
	switch {
	case x.handler.tls && h2:
		o.ALPN = []string{"h2", "http/1.1"}
	case x.handler.tls:
		o.ALPN = []string{"http/1.1"}
	}
	if o.TLS {
		if o.Certificate, err = clientcert.Of(x.plan.Options, "http").Load(); err != nil {
			return nil, err
		}
	}
	c, err := x.env.Dial(ctx, "tcp", addr, &o)
	if err != nil {
		return nil, hintH2(err)
	}
	s := &session{conn: c}
	if t, ok := c.TLS(); ok {
		h2 = t.NegotiatedProtocol == "h2"
	}
	if h2 {
		s.guard = newFrameGuard(c, x.env)
		s.h2, err = newH2(ctx, x, s.guard)
		return s, err
	}
	s.in = bufio.NewReaderSize(s, bufferSize)
	return s, nil
}

// hintH2 says what helps against a server that speaks nothing else (RFC 7301 section 3.3).
func hintH2(err error) error {
	if e, ok := errors.AsType[*fetch.Error](err); ok && e.Kind == fetch.ErrTLS && strings.Contains(e.Text, "no application protocol") {
		return &fetch.Error{Kind: e.Kind, Text: e.Text, Hint: "--http2 offers the server HTTP/2 too", Err: e}
	}
	return err
}
