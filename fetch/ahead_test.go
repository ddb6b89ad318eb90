package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/internal/socket"
	"example.org/deref/uri"
)

// serveSecurely starts a TLS server that passes each connection to serve, and returns a Client that trusts it.
func serveSecurely(t testing.TB, serve func(raw net.Conn, t *tls.Conn)) (*Client, uri.URI) {
	conf, c := secureBulk(t)
	addr := loopback.ForTest(t, func(nc net.Conn) { serve(nc, tls.Server(nc, conf)) })
	return c, uri.MustParse("bulk://" + addr + "/")
}

// secureBulk returns the configuration of a TLS server and a Client that trusts it.
func secureBulk(t testing.TB) (*tls.Config, *Client) {
	lender := httptest.NewTLSServer(nil) // of its certificate, which is valid at any time
	t.Cleanup(lender.Close)
	c := New(bulk(&DialOptions{TLS: true}))
	roots := x509.NewCertPool()
	roots.AddCert(lender.Certificate())
	c.TLS = &tls.Config{RootCAs: roots}
	return &tls.Config{Certificates: lender.TLS.Certificates}, c
}

func TestSecureBodyKeepsEveryOctet(t *testing.T) {
	for _, size := range []int{0, 1, 16 << 10, plainly - 1, plainly, plainly + 1, plainly + socket.BufferSize, piece + 12345} {
		data := noise(size)
		c, u := serveSecurely(t, func(_ net.Conn, s *tls.Conn) { s.Write(data); s.Close() })
		keepsEveryOctet(t, c, u, data)
	}
}

// BenchmarkSecureBulkToFile is BenchmarkBulkToFile inside TLS. It includes the server's cost.
func BenchmarkSecureBulkToFile(b *testing.B) {
	data := noise(64 << 20)
	c, u := serveSecurely(b, func(_ net.Conn, s *tls.Conn) { s.Write(data); s.Close() })
	out, err := os.CreateTemp(b.TempDir(), "")
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		out.Seek(0, io.SeekStart)
		d := mustGet(b.Context(), b, c, u, nil)
		if n, err := io.Copy(out, d.Body); err != nil || n != int64(len(data)) {
			b.Fatal(n, err)
		}
		d.Body.Close()
	}
}

// The end of a long body is reported after the bytes that were read ahead, and none of them is missing.
func TestSecureBodyEnds(t *testing.T) {
	t.Parallel()
	data := noise(plainly + 5*socket.BufferSize)
	for name, tt := range map[string]struct {
		end  func(raw net.Conn, s *tls.Conn)
		want Kind
	}{
		"close_notify":         {func(_ net.Conn, s *tls.Conn) { s.Close() }, ""},
		"no close_notify":      {func(raw net.Conn, _ *tls.Conn) { raw.Close() }, ErrTruncated},
		"half a record":        {func(raw net.Conn, _ *tls.Conn) { raw.Write([]byte{23, 3, 3, 64, 0, 1, 2}); raw.Close() }, ErrTruncated},
		"half a header":        {func(raw net.Conn, _ *tls.Conn) { raw.Write([]byte{23, 3}); raw.Close() }, ErrTruncated},
		"a forged record":      {func(raw net.Conn, _ *tls.Conn) { raw.Write(append([]byte{23, 3, 3, 0, 32}, make([]byte, 32)...)) }, ErrTLS},
		"a record out of size": {func(raw net.Conn, _ *tls.Conn) { raw.Write([]byte{23, 3, 3, 255, 255, 1}) }, ErrTLS},
		"text":                 {func(raw net.Conn, _ *tls.Conn) { io.WriteString(raw, "HTTP/1.1 500 no\r\n\r\n") }, ErrTLS},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, u := serveSecurely(t, func(raw net.Conn, s *tls.Conn) { s.Write(data); tt.end(raw, s) })
			endsWith(t, c, u, data, tt.want)
		})
	}
}

// endsWith checks that the whole body is read before the error of its end.
func endsWith(t *testing.T, c *Client, u uri.URI, data []byte, want Kind) {
	t.Helper()
	d := mustGet(t.Context(), t, c, u, nil)
	defer d.Body.Close()
	w, got := bufferSink()
	n, err := io.Copy(w, d.Body)
	if KindOf(err) != want || n != int64(len(data)) || !bytes.Equal(got(), data) {
		t.Errorf("%d octets of %d, %v, not %q", n, len(data), err, want)
	}
}

// Silence after a long body, also within a record, ends with Timeouts.Idle.
func TestSecureBodySilence(t *testing.T) {
	data := noise(plainly + 5*socket.BufferSize)
	for name, last := range map[string][]byte{"silence": nil, "silence in a record": {23, 3, 3, 64, 0, 1, 2}} {
		t.Run(name, func(t *testing.T) {
			conf, c := secureBulk(t)
			synctest.Test(t, func(t *testing.T) {
				c.Dialer = func(context.Context, string, string) (net.Conn, error) {
					ours, theirs := net.Pipe()
					go func() {
						defer theirs.Close()
						tls.Server(theirs, conf).Write(data)
						theirs.Write(last)
						theirs.Read(make([]byte, 1))
					}()
					return ours, nil
				}
				began := time.Now()
				endsWith(t, c, uri.MustParse("bulk://127.0.0.1:7777/"), data, ErrTimeout)
				if took := time.Since(began); took != c.timeouts.Idle {
					t.Errorf("got an end after %s, want %s", took, c.timeouts.Idle)
				}
			})
		})
	}
}

// The records of a long body that have arrived are written together.
func TestSecureBodyIsWrittenInLongPieces(t *testing.T) {
	data := noise(plainly + 5*socket.BufferSize)
	sent := make(chan bool)
	c, u := serveSecurely(t, func(_ net.Conn, s *tls.Conn) {
		s.Write(data[:plainly])
		s.Write(data[plainly:])
		s.Close()
		close(sent)
	})
	d := mustGet(t.Context(), t, c, u, nil)
	defer d.Body.Close()
	var pieces []int // after the part that is copied without splicing
	came := 0
	n, err := io.Copy(writerFunc(func(p []byte) (int, error) {
		<-sent // so that all or nearly all of it has arrived
		if came += len(p); came > plainly+socket.BufferSize {
			pieces = append(pieces, len(p))
		}
		return len(p), nil
	}), d.Body)
	if err != nil || n != int64(len(data)) {
		t.Fatal(n, err)
	}
	if records := 4 * socket.BufferSize / (16 << 10); len(pieces) > records*2/3 || slices.Max(pieces) < 3*(16<<10) {
		t.Errorf("the pieces of %d records are %d", records, pieces)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// The end of the request ends a body that waits for more than was read ahead.
func TestSecureBodyIsCancelled(t *testing.T) {
	data := noise(plainly + 3*socket.BufferSize + 100)
	c, u := serveSecurely(t, func(raw net.Conn, s *tls.Conn) { s.Write(data); raw.Read(make([]byte, 1)) })
	ctx, cancel := context.WithCancel(t.Context())
	d := mustGet(ctx, t, c, u, nil)
	defer d.Body.Close()
	came := 0
	_, err := io.Copy(writerFunc(func(p []byte) (int, error) {
		if came += len(p); came == len(data) {
			go func() {
				loopback.Pause(20 * time.Millisecond)
				cancel()
			}()
		}
		return len(p), nil
	}), d.Body)
	if !errors.Is(err, context.Canceled) || came != len(data) {
		t.Errorf("%d octets of %d, %v", came, len(data), err)
	}
}

// A connection that holds bytes that nobody requested is not used again.
func TestReadAheadIsStale(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	client := New()
	c := &Conn{net: a, raw: socket.New(a)}
	if c.isStale() {
		t.Fatal("stale from the start")
	}
	c.raw.ReadAhead(&client.buffers)
	go b.Write([]byte("12"))
	if n, err := c.raw.Read(make([]byte, 1)); n != 1 || err != nil || !c.isStale() {
		t.Errorf("%d, %v, stale: %t", n, err, c.isStale())
	}
	if n, err := c.raw.Read(make([]byte, 9)); n != 1 || err != nil || c.isStale() {
		t.Errorf("%d, %v, stale: %t", n, err, c.isStale())
	}
}
