package fetch

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/internal/socket"
	"example.org/deref/uri"
)

// bulk is a scheme whose documents are everything that the server sends.
func bulk(o *DialOptions) Scheme {
	run := func(ctx context.Context, p *Plan, env *Env) (*Document, error) {
		c, err := env.Dial(ctx, "tcp", p.Addr, o)
		if err != nil {
			return nil, err
		}
		return NewDocument(c), nil
	}
	return Scheme{Names: []string{"bulk"}, Plan: func(u uri.URI, _ *Options) (*Plan, error) {
		hp, err := u.HostPort(9)
		return &Plan{Network: "tcp", Addr: hp, Shape: ShapeDocument, Run: run}, err
	}}
}

// mustGet gets u, and fails the test unless there is a document.
func mustGet(ctx context.Context, t testing.TB, c *Client, u uri.URI, o *Options) *Document {
	t.Helper()
	d, err := c.Get(ctx, u, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// serveOctets starts a server that sends data to every client. It returns the server's URI.
func serveOctets(t testing.TB, data []byte) uri.URI {
	t.Helper()
	return uri.MustParse("bulk://" + loopback.ForTest(t, func(nc net.Conn) { nc.Write(data) }) + "/")
}

func noise(n int) []byte {
	data := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(data)
	return data
}

func TestWriteToFileAndPipeKeepsEveryOctet(t *testing.T) {
	for _, size := range []int{0, 1, socket.BufferSize, plainly, plainly + 1, piece + 12345} {
		data := noise(size)
		u := serveOctets(t, data)
		c := New(bulk(nil))
		keepsEveryOctet(t, c, u, data)
	}
}

// keepsEveryOctet copies the document of u into each kind of sink, and compares.
func keepsEveryOctet(t *testing.T, c *Client, u uri.URI, data []byte) {
	t.Helper()
	for name, sink := range map[string]func() (io.Writer, func() []byte){"file": fileSink(t), "pipe": pipeSink(t), "buffer": bufferSink} {
		d := mustGet(t.Context(), t, c, u, nil)
		w, got := sink()
		n, err := io.Copy(w, d.Body)
		d.Body.Close()
		if b := got(); err != nil || n != int64(len(data)) || !bytes.Equal(b, data) {
			t.Errorf("%d octets to a %s: %d came, %v, %d are there, equal: %t", len(data), name, n, err, len(b), bytes.Equal(b, data))
		}
	}
}

func TestLimitHoldsWhileSplicing(t *testing.T) {
	u := serveOctets(t, noise(8<<20))
	c := New(bulk(nil))
	c.Limits.Document = 5 << 20
	d := mustGet(t.Context(), t, c, u, nil)
	defer d.Body.Close()
	w, got := fileSink(t)()
	if _, err := io.Copy(w, d.Body); KindOf(err) != ErrLimit {
		t.Errorf("8 MiB with a limit of 5 MiB: %v", err)
	}
	if n := len(got()); n > 5<<20+1 {
		t.Errorf("%d octets were written", n)
	}
}

func fileSink(t *testing.T) func() (io.Writer, func() []byte) {
	return func() (io.Writer, func() []byte) {
		name := filepath.Join(t.TempDir(), "out")
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		return f, func() []byte { f.Close(); b, _ := os.ReadFile(name); return b }
	}
}

func pipeSink(t *testing.T) func() (io.Writer, func() []byte) {
	return func() (io.Writer, func() []byte) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		all := make(chan []byte)
		go func() { b, _ := io.ReadAll(r); r.Close(); all <- b }()
		return w, func() []byte { w.Close(); return <-all }
	}
}

func bufferSink() (io.Writer, func() []byte) {
	var b bytes.Buffer
	return &b, b.Bytes
}

func BenchmarkBulkToFile(b *testing.B) {
	data := noise(64 << 20)
	u := serveOctets(b, data)
	c := New(bulk(nil))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		f, err := os.Create(filepath.Join(b.TempDir(), "out"))
		if err != nil {
			b.Fatal(err)
		}
		d := mustGet(b.Context(), b, c, u, nil)
		if n, err := io.Copy(f, d.Body); err != nil || n != int64(len(data)) {
			b.Fatal(n, err)
		}
		d.Body.Close()
		f.Close()
	}
}
