package http

import (
	"context"
	"errors"
	"io"
	"net"
	nethttp "net/http"
	"net/textproto"
	"net/url"
	"strings"

	"example.org/deref/fetch"
)

// Conditions of the request line, where the server chooses the version.
const (
	ifH1 = "the server speaks HTTP/1.1"
	ifH2 = "the server speaks HTTP/2"
)

// framed is the length of a body whose end HTTP/2 marks (RFC 9113 section 8.1).
const framed int64 = -3

// newH2 puts net/http's HTTP/2 on a connection of ours, which is the only one that it gets. It ends with the connection.
func newH2(ctx context.Context, x *exchange, c *frameGuard) (*nethttp.ClientConn, error) {
	c.Record(fetch.RecordFrames)
	var only nethttp.Protocols
	only.SetUnencryptedHTTP2(true) // as far as net/http is concerned: TLS is below
	t := &nethttp.Transport{
		Protocols:              &only,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 4 * int64(x.env.Limits().Reply), // as HPACK unfolds it; the guard bounds what comes
		DialContext:            func(context.Context, string, string) (net.Conn, error) { return c, nil },
	}
	cc, err := t.NewClientConn(ctx, "http", x.plan.Addr)
	if err != nil {
		return nil, h2Error(err)
	}
	return cc, nil
}

// askH2 has net/http say the lines, which become a HEADERS frame.
func (x *exchange) askH2(lines []fetch.Step) error {
	if err := x.env.Announce(lines...); err != nil {
		return err
	}
	req, err := x.request(lines)
	if err != nil {
		return err
	}
	x.s.guard.order.of(lines)
	x.s.guard.ask()
	x.s.guard.wait()
	res, err := x.s.h2.RoundTrip(req)
	x.s.guard.done()
	if fault := x.s.guard.fault.Load(); err != nil && fault != nil {
		return fault
	}
	if err != nil {
		return h2Error(err)
	}
	x.head = head{major: res.ProtoMajor, minor: res.ProtoMinor, status: res.StatusCode, reason: nethttp.StatusText(res.StatusCode), header: textproto.MIMEHeader(res.Header)}
	x.size, x.stream = framed, &incoming{ReadCloser: res.Body, x: x}
	if code, _, _ := strings.Cut(res.Status, " "); len(code) != 3 || code[0] < '2' || code[0] > '9' { // net/http takes any number: 0, +200
		return fetch.Errorf(fetch.ErrProtocol, "the server's status is %q", code)
	}
	if _, err := contentLength(x.head.header["Content-Length"]); err != nil { // net/http passes over what is none
		return err
	}
	return checkHeader(x.head.header)
}

// request is the request that the lines say, for net/http: with the target untouched, and nothing added.
func (x *exchange) request(lines []fetch.Step) (*nethttp.Request, error) {
	host, scheme := x.plan.Addr, x.handler.name
	r := &nethttp.Request{Method: lines[0].Verb, Proto: "HTTP/2.0", ProtoMajor: 2, Header: nethttp.Header{"User-Agent": {""}}}
	for _, l := range lines[1:] {
		name, value := strings.TrimSuffix(l.Verb, ":"), strings.Join(l.Args, " ")
		if strings.EqualFold(name, "host") {
			host = value
			continue
		}
		key := textproto.CanonicalMIMEHeaderKey(name)
		if key == "User-Agent" {
			r.Header[key] = []string{value}
			continue
		}
		r.Header[key] = append(r.Header[key], value)
	}
	path, query, found := strings.Cut(lines[0].Args[0], "?")
	r.Host = host
	r.URL = &url.URL{Scheme: scheme, Host: host, Opaque: "//" + host + path, RawQuery: query, ForceQuery: found}
	return r.WithContext(x.ctx), nil
}

// h2Error gives a kind to what net/http says of an exchange.
func h2Error(err error) error {
	switch {
	case fetch.KindOf(err) != "", errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fetch.Errorf(fetch.ErrTruncated, "the connection was closed within the answer: %v", err)
	}
	return fetch.Errorf(fetch.ErrProtocol, "%v", err)
}

// frames is the body of an answer whose end is known by other means than its octets: in HTTP/2, or from the cache.
type frames struct {
	x   *exchange
	err error
}

func (b *frames) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.x.stream.Read(p)
	switch {
	case err == io.EOF:
		b.err = err
		b.x.finish()
	case err != nil:
		b.err = h2BodyError(err)
	}
	return n, b.err
}

// h2BodyError is h2Error for an error within a body: it is cut short if the server resets the stream or leaves (RFC 9113 sections 5.4.2 and
// 6.8).
func h2BodyError(err error) error {
	if e, ok := errors.AsType[streamError](err); ok && e.Cause != nil && e.Cause.Error() == fromPeer {
		return fetch.Errorf(fetch.ErrTruncated, "the server reset the stream within the document: error code %d", e.Code)
	}
	if text := err.Error(); fetch.KindOf(err) == "" && strings.HasPrefix(text, "http2: ") && strings.Contains(text, goneAway) {
		return fetch.Errorf(fetch.ErrTruncated, "the server closed the connection within the document: %v", err)
	}
	return h2Error(err)
}

// A streamError is what net/http's StreamError converts itself to: it has the same fields (net/http/h2_error.go).
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string { return "stream error" }

// Texts of net/http's errors that have no exported type: the Cause of a reset by the server, not by us, and GOAWAY.
const (
	fromPeer = "received from peer"
	goneAway = "GOAWAY"
)

// Close resets the stream; the connection goes with it, for it serves one document at a time.
func (b *frames) Close() error {
	b.x.stream.Close()
	b.x.drop(-1)
	return nil
}

// incoming is the body as net/http reads it.
type incoming struct {
	io.ReadCloser
	x   *exchange
	got int64
}

// Read has a deadline, and compares the length.
func (b *incoming) Read(p []byte) (int, error) {
	b.x.s.guard.wait()
	n, err := b.ReadCloser.Read(p)
	b.x.s.guard.done()
	if b.got += int64(n); err == io.EOF && b.isOther() {
		err = fetch.Errorf(fetch.ErrProtocol, "the body has %d octets, and another Content-Length", b.got)
	}
	return n, err
}

// isOther reports whether the body is not as long as declared (RFC 9113 section 8.1.1), which net/http does not see where the length
// stands there twice.
func (b *incoming) isOther() bool {
	n, _ := contentLength(b.x.head.header["Content-Length"])
	return n >= 0 && n != b.got && b.x.head.status != 304 && b.x.plan.Options.Op != fetch.Metadata
}
