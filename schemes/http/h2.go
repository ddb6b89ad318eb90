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

// Conditions of the request line if the server chooses the version.
const (
	ifH1 = "the server speaks HTTP/1.1"
	ifH2 = "the server speaks HTTP/2"
)

// Flow control of a shared connection: the memory that the server can fill. The window of the connection is as large as those of the 128
// streams that fetch.Share allows, so that readers of one document who are slow do not delay others.
const (
	streamWindow = 256 << 10
	connWindow   = 32 << 20
)

// newH2 starts net/http's HTTP/2 client on our connection. It never opens another one.
func newH2(ctx context.Context, x *exchange, c *frameGuard) (*nethttp.ClientConn, error) {
	c.Record(fetch.RecordFrames)
	var only nethttp.Protocols
	only.SetUnencryptedHTTP2(true) // from net/http's point of view: TLS is below
	var windows nethttp.HTTP2Config
	if c.order == nil {
		windows = nethttp.HTTP2Config{MaxReceiveBufferPerStream: streamWindow, MaxReceiveBufferPerConnection: connWindow}
	}
	t := &nethttp.Transport{
		HTTP2:                  &windows,
		Protocols:              &only,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 4 * int64(x.env.Limits().Reply), // after HPACK; the guard limits the bytes on the wire
		DialContext:            func(context.Context, string, string) (net.Conn, error) { return c, nil },
	}
	cc, err := t.NewClientConn(ctx, "http", x.plan.Addr)
	if err != nil {
		return nil, h2Error(err)
	}
	return cc, nil
}

// sendH2 sends the lines through net/http, which makes a HEADERS frame of them, and reads the head of the response.
func (x *exchange) sendH2(lines []fetch.Step) error {
	if err := x.env.Announce(lines...); err != nil {
		return err
	}
	ctx := x.ctx
	if x.s.isShared() {
		ctx = x.beginStream()
	} else {
		x.s.guard.order.set(lines)
	}
	x.s.guard.beginRequest(x.joined)
	x.startWait()
	res, err := x.s.h2.RoundTrip(x.h2Request(lines).WithContext(ctx))
	x.endWait(0)
	if err != nil {
		return h2Error(x.causeOf(err))
	}
	x.head = head{major: res.ProtoMajor, minor: res.ProtoMinor, status: res.StatusCode, reason: nethttp.StatusText(res.StatusCode),
		header: textproto.MIMEHeader(res.Header)}
	x.size, x.stream = framed, &h2Body{ReadCloser: res.Body, x: x}
	if err = x.checkH2Head(res.Status); err != nil {
		x.stream.Close()
	}
	return err
}

// checkH2Head refuses what net/http accepts in the head of a response.
func (x *exchange) checkH2Head(status string) error {
	if code, _, _ := strings.Cut(status, " "); len(code) != 3 || code[0] < '2' || code[0] > '9' { // any number: 0, +200
		return fetch.Errorf(fetch.ErrProtocol, "bad status: %q", code)
	}
	if _, err := contentLength(x.head.header["Content-Length"]); err != nil {
		return err
	}
	x.strict()
	return checkHeader(x.head.header)
}

// h2Request turns the lines into a request for net/http, with the target unchanged and no fields added.
func (x *exchange) h2Request(lines []fetch.Step) *nethttp.Request {
	host := x.plan.Addr
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
	r.URL = &url.URL{Scheme: x.name, Host: host, Opaque: "//" + host + path, RawQuery: query, ForceQuery: found}
	return r
}

// h2Error sets the Kind of an error of net/http.
func h2Error(err error) error {
	switch {
	case fetch.KindOf(err) != "", errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fetch.Errorf(fetch.ErrTruncated, "the connection was closed within the response: %v", err)
	}
	if e, ok := errors.AsType[streamError](err); ok && e.Code == refusedStream && e.isFromPeer() {
		return &fetch.Error{Kind: fetch.ErrUnavailable, Text: "the server refused the stream: it limits requests", Busy: true}
	}
	return fetch.Errorf(fetch.ErrProtocol, "%v", err)
}

// A framedBody is a body whose end is known from its framing, not from its bytes: that of an HTTP/2 response or a stored one.
type framedBody struct {
	x   *exchange
	err error
}

func (b *framedBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.x.stream.Read(p)
	switch {
	case err == io.EOF:
		b.err = err
		b.x.finish()
	case err != nil && b.x.isStored():
		b.err = fetch.Errorf(fetch.ErrLocal, "the stored response cannot be read: %w", err)
	case err != nil:
		b.err = h2BodyError(b.x.causeOf(err))
	}
	return n, b.err
}

// h2BodyError is h2Error for an error within a body, which is truncated if the server resets the stream or closes the connection (RFC 9113
// sections 5.4.2 and 6.8).
func h2BodyError(err error) error {
	if e, ok := errors.AsType[streamError](err); ok && e.isFromPeer() {
		return fetch.Errorf(fetch.ErrTruncated, "the server reset the stream within the document: error code %d", e.Code)
	}
	if text := err.Error(); fetch.KindOf(err) == "" && strings.HasPrefix(text, "http2: ") && strings.Contains(text, goneAway) {
		return fetch.Errorf(fetch.ErrTruncated, "the server closed the connection within the document: %v", err)
	}
	return h2Error(err)
}

// A streamError has the fields of net/http's StreamError, which converts itself to such a type (net/http/h2_error.go).
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string { return "stream error" }

func (e streamError) isFromPeer() bool { return e.Cause != nil && e.Cause.Error() == fromPeer }

const refusedStream = 7 // the code of a stream that was not processed: RFC 9113 section 8.7

// Texts of net/http's errors that have no exported type: the Cause of a reset by the server instead of by us, and GOAWAY.
const (
	fromPeer = "received from peer"
	goneAway = "GOAWAY"
)

// Close resets the stream. It closes the connection if that serves one document at a time.
func (b *framedBody) Close() error {
	b.x.stream.Close()
	b.x.release(-1)
	return nil
}

// An h2Body is a body of net/http with a deadline for each Read. It checks the length.
type h2Body struct {
	io.ReadCloser
	x   *exchange
	got int64
}

func (b *h2Body) Read(p []byte) (int, error) {
	b.x.startWait()
	n, err := b.ReadCloser.Read(p)
	if late := b.x.endWait(n); err == nil {
		err = late
	}
	if b.got += int64(n); err == io.EOF && b.hasWrongLength() {
		err = fetch.Errorf(fetch.ErrProtocol, "the body has %d bytes, which contradicts Content-Length", b.got)
	}
	return n, err
}

// hasWrongLength reports whether the length of the body contradicts Content-Length (RFC 9113 section 8.1.1). net/http does not notice that
// if the header has Content-Length twice.
func (b *h2Body) hasWrongLength() bool {
	n, _ := contentLength(b.x.head.header["Content-Length"])
	return n >= 0 && n != b.got && b.x.head.status != 304 && b.x.plan.Options.Op != fetch.Metadata
}
