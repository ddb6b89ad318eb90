package warc

import (
	"bytes"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress"
	"github.com/klauspost/compress/flate"

	"example.org/deref/fetch/internal/spill"
)

// tails are the compressors for long blocks of .warc.gz that arrive at the moment. Each holds some pieces in memory, so that there are few
// of them; other blocks are compressed when they are complete.
type tails chan *tail

// maxTails is the number of long blocks that are compressed while they arrive.
const maxTails = 2

func newTails() tails {
	t := make(tails, maxTails)
	for range maxTails {
		t <- &tail{}
	}
	return t
}

// take returns a compressor for what follows the beginning of a block, or nil if none is free or compression gains nothing.
func (t tails) take(file *spill.File, beginning []byte) *tail {
	middle := beginning[len(beginning)/2:]
	if compress.Estimate(middle[:min(len(middle), 4<<10)]) < incompressible {
		return nil
	}
	select {
	case p := <-t:
		p.z.beginPart(file)
		p.at = int64(len(beginning))
		return p
	default:
		return nil
	}
}

// A tail is a block without its beginning, in a file, as compressed pieces that a gzip member of any beginning can contain: the head of a
// record, which precedes the block, is known only at the end. Compared with compressing the complete block, this saves writing and reading
// the whole of it once more, and all cores are busy while it arrives.
type tail struct {
	z  parallelGzip
	at int64 // where it begins in the block
}

// content returns what follows the first n bytes of the tail.
func (p *tail) content(file *spill.File, n int64) io.Reader {
	if err := p.z.flush(); err != nil {
		return failing{err}
	}
	const final = "\x03\x00" // an empty last block
	r := flate.NewReader(io.MultiReader(io.NewSectionReader(file, 0, 1<<62), bytes.NewReader([]byte(final))))
	if _, err := io.CopyN(io.Discard, r, n); err != nil {
		return failing{err}
	}
	return r
}

// failing is a reader that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// A tailedSection is the part of a spool from an offset within its beginning to the end of its tail.
type tailedSection struct {
	s    *spool
	from int64
	rest io.Reader // nil before the first Read
}

func (t *tailedSection) Read(p []byte) (int, error) {
	if t.rest == nil {
		t.rest = io.MultiReader(bytes.NewReader(t.s.mem[t.from:]), t.s.tail.content(t.s.file, 0))
	}
	return t.rest.Read(p)
}

// WriteTo copies the compressed pieces if w is a member of a gzip file.
func (t *tailedSection) WriteTo(w io.Writer) (int64, error) {
	m, ok := w.(*joinedGzip)
	if !ok || t.rest != nil {
		return io.Copy(w, struct{ io.Reader }{t})
	}
	n, err := m.Write(t.s.mem[t.from:])
	if err == nil {
		err = m.join(t.s.tail, t.s.file)
	}
	return int64(n) + t.s.size - t.s.tail.at, err
}

// A joinedGzip writes a gzip member that contains a tail.
type joinedGzip struct {
	w         io.Writer
	z         *flate.Writer
	err       error // the first write error
	sum, size uint32
}

// begin starts a member in w.
func (g *joinedGzip) begin(w io.Writer) {
	*g = joinedGzip{w: w, z: g.z}
	if g.z == nil {
		g.z, _ = flate.NewWriter(w, flate.BestSpeed) // the level is valid
	} else {
		g.z.Reset(w)
	}
	_, g.err = io.WriteString(w, gzipHead)
}

func (g *joinedGzip) Write(p []byte) (int, error) {
	g.sum = crc32.Update(g.sum, crc32.IEEETable, p)
	g.size += uint32(len(p))
	if g.err == nil {
		_, g.err = g.z.Write(p)
	}
	return len(p), g.err
}

// join adds a tail. What follows does not refer to anything before it.
func (g *joinedGzip) join(p *tail, file *spill.File) error {
	if g.err == nil {
		g.err = g.z.Flush()
	}
	if err := p.z.flush(); g.err == nil {
		g.err = err
	}
	if g.err == nil {
		_, g.err = file.Seek(0, io.SeekStart)
	}
	if g.err == nil {
		_, g.err = io.Copy(g.w, file)
	}
	g.z.Reset(g.w)
	g.sum = joinedSum(g.sum, p.z.sum, p.z.bytes)
	g.size += p.z.size
	return g.err
}

// Close ends the member and returns the first write error.
func (g *joinedGzip) Close() error {
	if g.err == nil {
		g.err = g.z.Close()
	}
	if g.err == nil {
		_, g.err = g.w.Write(gzipTrailer(g.sum, g.size))
	}
	return g.err
}

// joinedSum returns the CRC-32 of two parts, the second one of n bytes. Appending zeros to a part multiplies its CRC, which is a polynomial
// over GF(2), by a power of x; the bits of the CRCs are reflected (RFC 1952 section 8).
func joinedSum(first, second uint32, n int64) uint32 {
	power := uint32(1) << 23 // x^8: one byte of zeros
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			first = timesModulo(first, power)
		}
		power = timesModulo(power, power)
	}
	return first ^ second
}

// timesModulo multiplies two reflected polynomials modulo that of CRC-32.
func timesModulo(a, b uint32) (product uint32) {
	for bit := uint32(1) << 31; bit != 0; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
		}
		if b&1 != 0 {
			b = b>>1 ^ crc32.IEEE
		} else {
			b >>= 1
		}
	}
	return product
}
