package warc

import (
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"example.org/deref/fetch/pieces"
)

// A packer compresses each record separately, so that each can be read by itself.
type packer interface {
	// member starts the compressed member of a record; closing it ends it.
	member(w *pieces.CountWriter, r *Record) io.WriteCloser
}

// packerFor chooses by the suffix of the archive's name.
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

func (plainPacker) member(w *pieces.CountWriter, _ *Record) io.WriteCloser { return plainMember{w} }

type plainMember struct{ *pieces.CountWriter }

func (plainMember) Close() error { return nil }

// minCompressed is the size from which blocks are compressed. Building the codes for a shorter one takes as long as the rest of the record,
// and saves about 200 bytes.
const minCompressed = 512

// gzipPacker writes gzip members (ISO 28500:2017 annex D).
type gzipPacker struct{ fast, stored, best *gzip.Writer }

func (p *gzipPacker) member(w *pieces.CountWriter, r *Record) io.WriteCloser {
	if r.compact {
		return reuse(&p.best, gzip.BestCompression, w)
	}
	if r.Size < minCompressed || r.isCompressed() {
		return reuse(&p.stored, gzip.NoCompression, w)
	}
	return reuse(&p.fast, gzip.BestSpeed, w)
}

// reuse resets the writer *z, or creates it.
func reuse(z **gzip.Writer, level int, w io.Writer) io.WriteCloser {
	if *z == nil {
		*z, _ = gzip.NewWriterLevel(w, level) // the level is valid
	} else {
		(*z).Reset(w)
	}
	return *z
}

// zstdPacker writes zstd frames (the IIPC's "WARC compression with Zstandard", without a dictionary).
type zstdPacker struct{ z *zstd.Encoder }

func (p *zstdPacker) member(w *pieces.CountWriter, _ *Record) io.WriteCloser {
	if p.z == nil {
		p.z, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20))
	}
	p.z.Reset(w)
	return p.z
}
