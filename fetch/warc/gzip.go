package warc

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"runtime"

	"github.com/klauspost/compress/flate"
)

// A parallelGzip writes one gzip member (RFC 1952) of pieces that are compressed on all cores at once: one core compresses more slowly than
// a document arrives. Each piece ends at a byte, as after Flush, and does not refer to the one before it. All goroutines have ended when
// Close returns. (Those of klauspost/pgzip 1.2.6 stay after a write error.)
type parallelGzip struct {
	w       io.Writer
	err     error // the first write error
	sum     uint32
	size    uint32       // modulo 2^32
	piece   *gzipPiece   // is being filled; nil after dispatch
	waiting []*gzipPiece // are being compressed, in order
	free    []*gzipPiece
}

const (
	// gzipPieceSize is the content of one piece. Longer ones save 1 % of the file, and need more memory.
	gzipPieceSize = 512 << 10
	// maxGzipPieces bounds the pieces in memory, whatever the number of cores.
	maxGzipPieces = 8
)

// A gzipPiece is a part of the content and its compressed form.
type gzipPiece struct {
	content []byte
	packed  bytes.Buffer
	z       *flate.Writer
	ended   chan struct{}
}

// gzipHead begins a member: deflate, fastest, unknown system.
const gzipHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff"

// begin starts a member in w.
func (g *parallelGzip) begin(w io.Writer) {
	*g = parallelGzip{w: w, waiting: g.waiting[:0], free: g.free}
	_, g.err = io.WriteString(w, gzipHead)
}

func (g *parallelGzip) Write(p []byte) (int, error) {
	n := len(p)
	g.sum = crc32.Update(g.sum, crc32.IEEETable, p)
	g.size += uint32(n)
	for len(p) > 0 {
		if g.piece == nil {
			g.piece = g.next()
		}
		k := min(len(p), gzipPieceSize-len(g.piece.content))
		g.piece.content, p = append(g.piece.content, p[:k]...), p[k:]
		if len(g.piece.content) == gzipPieceSize {
			g.dispatch(false)
		}
	}
	return n, g.err
}

// next returns an empty piece. If there are enough of them, it waits for the first and writes it.
func (g *parallelGzip) next() *gzipPiece {
	if len(g.waiting) >= min(runtime.GOMAXPROCS(0)+1, maxGzipPieces) {
		g.writeFirst()
	}
	if n := len(g.free); n > 0 {
		p := g.free[n-1]
		g.free = g.free[:n-1]
		return p
	}
	z, _ := flate.NewWriter(nil, flate.BestSpeed) // the level is valid
	return &gzipPiece{content: make([]byte, 0, gzipPieceSize), z: z}
}

// dispatch compresses the current piece.
func (g *parallelGzip) dispatch(isLast bool) {
	p := g.piece
	p.ended = make(chan struct{})
	g.piece, g.waiting = nil, append(g.waiting, p)
	go func() {
		defer close(p.ended)
		p.packed.Reset()
		p.z.Reset(&p.packed)
		p.z.Write(p.content)
		if isLast {
			p.z.Close()
		} else {
			p.z.Flush()
		}
	}()
}

// writeFirst waits for the piece that was dispatched first, and writes it.
func (g *parallelGzip) writeFirst() {
	p := g.waiting[0]
	<-p.ended
	if g.err == nil {
		_, g.err = g.w.Write(p.packed.Bytes())
	}
	p.content = p.content[:0]
	g.waiting = append(g.waiting[:0], g.waiting[1:]...)
	g.free = append(g.free, p)
}

// Close ends the member and returns the first write error.
func (g *parallelGzip) Close() error {
	if g.piece == nil {
		g.piece = g.next()
	}
	g.dispatch(true)
	for len(g.waiting) > 0 {
		g.writeFirst()
	}
	if g.err == nil {
		_, g.err = g.w.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, g.sum), g.size))
	}
	return g.err
}
