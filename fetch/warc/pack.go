package warc

import (
	"io"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"example.org/deref/fetch/pieces"
)

// A packer compresses each record separately, so that each can be read by itself.
type packer struct {
	form               string // one of the following
	fast, stored, best *gzip.Writer
	z                  *zstd.Encoder
}

// Forms of archives, by the suffixes of their names.
const (
	formPlain = ""
	formGzip  = ".gz"
	formZstd  = ".zst"
)

// packerFor chooses by the suffix of the archive's name.
func packerFor(name string) *packer {
	switch form := filepath.Ext(name); form {
	case formGzip, formZstd:
		return &packer{form: form}
	}
	return &packer{}
}

type plainMember struct{ *pieces.CountWriter }

func (plainMember) Close() error { return nil }

// minCompressed is the size from which blocks are compressed. Building the codes for a shorter one takes as long as the rest of the record,
// and saves about 200 bytes.
const minCompressed = 512

// member starts the compressed member of a record; closing it ends it: a gzip member (ISO 28500:2017 annex D), or a zstd frame (the IIPC's "WARC
// compression with Zstandard", without a dictionary).
func (p *packer) member(w *pieces.CountWriter, r *Record) io.WriteCloser {
	switch {
	case p.form == formPlain:
		return plainMember{w}
	case p.form == formZstd:
		if p.z == nil {
			p.z, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20))
		}
		p.z.Reset(w)
		return p.z
	case r.compact:
		return reuse(&p.best, gzip.BestCompression, w)
	case r.Size < minCompressed || r.isCompressed():
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
