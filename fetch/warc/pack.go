package warc

import (
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A packer writes records, each as a member of its own, so that each can be read by itself.
type packer interface {
	// member begins a member for a record; closing it ends it.
	member(w *counter, r *Record) io.WriteCloser
}

// packerFor chooses by the ending of a name, whatever it will be numbered.
func packerFor(name string) packer {
	switch {
	case strings.HasSuffix(name, ".gz"):
		return &gzipPacker{}
	case strings.HasSuffix(name, ".zst"):
		return &zstdPacker{}
	}
	return plainPacker{}
}

type plainPacker struct{}

func (plainPacker) member(w *counter, _ *Record) io.WriteCloser { return plainMember{w} }

type plainMember struct{ *counter }

func (plainMember) Close() error { return nil }

// short is the length of a block up to which it is stored as it is: to make codes for it and its head takes as long as the rest of the
// record together, and saves some 200 octets.
const short = 512

// gzipPacker makes gzip members (ISO 28500:2017 annex D).
type gzipPacker struct{ fast, stored *gzip.Writer }

func (p *gzipPacker) member(w *counter, r *Record) io.WriteCloser {
	if r.Size < short || r.isDense() {
		return again(&p.stored, gzip.NoCompression, w)
	}
	return again(&p.fast, gzip.BestSpeed, w)
}

// again makes use of a writer that there is.
func again(z **gzip.Writer, level int, w io.Writer) io.WriteCloser {
	if *z == nil {
		*z, _ = gzip.NewWriterLevel(w, level) // the level is a right one
	} else {
		(*z).Reset(w)
	}
	return *z
}

// zstdPacker makes zstd frames (the IIPC's "WARC compression with Zstandard", without a dictionary).
type zstdPacker struct {
	z     *zstd.Encoder
	whole wholeMember
}

func (p *zstdPacker) member(w *counter, r *Record) io.WriteCloser {
	if p.z == nil {
		p.z, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20))
	}
	if r.Block == nil {
		p.whole = wholeMember{p.z, w, p.whole.in[:0], p.whole.out[:0]}
		return &p.whole
	}
	p.z.Reset(w)
	return p.z
}

// A wholeMember compresses what is in memory at once: that takes half the time of a stream.
type wholeMember struct {
	z       *zstd.Encoder
	w       *counter
	in, out []byte
}

func (m *wholeMember) Write(p []byte) (int, error) {
	m.in = append(m.in, p...)
	return len(p), nil
}

func (m *wholeMember) Close() error {
	m.out = m.z.EncodeAll(m.in, m.out)
	_, err := m.w.Write(m.out)
	return err
}

// counter counts what passes to w.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// ReadFrom lets one file be copied into another by the system.
func (c *counter) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(c.w, r)
	c.n += n
	return n, err
}
