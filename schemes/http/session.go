package http

import (
	"bufio"
	"context"
	"errors"
	nethttp "net/http"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
)

// bufferSize holds a usual header, and the longest line of a chunk that net/http accepts (4096).
const bufferSize = 8 << 10

// A session is a connection with its read buffer. It is leased.
type session struct {
	conn  *fetch.Conn
	in    *bufio.Reader       // HTTP/1
	h2    *nethttp.ClientConn // HTTP/2
	guard *frameGuard         // below h2
	used  bool                // it has carried a response
	alone bool                // h2 is not to be shared
	fault error               // the last error of Read, io.EOF if the server has closed the connection
}

// Read fills in.
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

// quiet reports whether the server has sent nothing beyond its response.
func (s *session) quiet() bool { return s.in.Buffered() == 0 && s.conn.Buffered() == 0 }

// Streams returns how many requests the session can serve at a time. It returns 0 if it is to be used by one at a time.
func (s *session) Streams() int {
	if s.h2 == nil || s.alone {
		return 0
	}
	for {
		free := s.h2.Available()
		all := free + s.h2.InFlight()
		if s.h2.Available() == free { // else a request has ended between the two calls
			return max(1, all)
		}
	}
}

// mayContinue reports whether HTTP/2 can be used for more requests.
func (s *session) mayContinue() bool {
	if s.isShared() {
		return !s.alone && s.h2.Err() == nil
	}
	return s.h2.Available() > 0
}

// isShared reports whether the session was opened to be shared.
func (s *session) isShared() bool { return s.h2 != nil && s.guard.order == nil }

// version returns the condition of the request lines that fit the session.
func (s *session) version() string {
	if s.h2 != nil {
		return ifH2
	}
	return ifH1
}

// open connects, and within TLS negotiates the version by ALPN (RFC 7301). It offers HTTP/2 only on request, because a single document
// gains nothing by it and the frames cost something. Without TLS, HTTP/2 starts without negotiation (RFC 9113 section 3.3).
func (x *exchange) open(ctx context.Context) (*session, error) {
	return x.connect(ctx, x.request.version == "HTTP/2", false)
}

// openShared connects to share the connection, and offers HTTP/2 for that.
func (x *exchange) openShared(ctx context.Context) (*session, error) {
	s, err := x.connect(ctx, true, true)
	if err == nil && x.request.version != "HTTP/2" {
		s.alone = s.conn.HandshakeTime() < far
	}
	return s, err
}

func (x *exchange) connect(ctx context.Context, h2, shared bool) (*session, error) {
	addr := x.plan.Addr
	o := fetch.DialOptions{TLS: x.tls, Record: fetch.RecordHead}
	if x.proxy.addr != "" {
		addr, o.For = x.proxy.addr, x.plan.URI.Hostname()
	}
	switch {
	case x.tls && h2:
		o.ALPN = []string{"h2", "http/1.1"}
	case x.tls:
		o.ALPN = []string{"http/1.1"}
	}
	if o.TLS {
		var err error
		if o.Certificate, err = clientCert(x.plan.Options).Load(); err != nil {
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
		s.guard = newFrameGuard(c, x.env, shared)
		s.h2, err = newH2(ctx, x, s.guard)
		return s, err
	}
	s.in = bufio.NewReaderSize(s, bufferSize)
	return s, nil
}

// hintH2 adds a hint to the error of a server that supports only HTTP/2 (RFC 7301 section 3.3).
func hintH2(err error) error {
	if e, ok := errors.AsType[*fetch.Error](err); ok && e.Kind == fetch.ErrTLS && strings.Contains(e.Text, "no application protocol") {
		return &fetch.Error{Kind: e.Kind, Text: e.Text, Hint: hint.Set + " http.version=2", Err: e}
	}
	return err
}
