package warc

import (
	"bytes"
	"errors"
	"io"
)

// learn notes the warcinfo records that the file's records belong to.
func (r *Reader) learn(rec *Record) {
	id := rec.Fields.Get("WARC-Warcinfo-ID")
	if rec.Type() == Warcinfo {
		id = rec.ID()
	}
	if r.infos == nil {
		r.infos = map[string]bool{}
	}
	if id != "" && len(r.infos) < maxIDs {
		r.infos[id] = true
	}
}

// find returns the first record after damage that begins at an offset from on, or nil if there is none.
//
// A document may itself be an archive, which a server has made for this very purpose: its records are none of this one. So a record must
// belong to a warcinfo record that was seen, whose random ID nobody else knows. If no record does, since that record itself is damaged,
// all from the record found to the end of the file must be in order, which what is within another record never is.
func (r *Reader) find(from int64) (*Record, error) {
	rec, err := r.search(from, func(rec *Record, _ int64) bool {
		return len(r.infos) == 0 || r.infos[rec.Fields.Get("WARC-Warcinfo-ID")]
	})
	if rec != nil || err != nil || len(r.infos) == 0 {
		return rec, err
	}
	tries := 0
	return r.search(from, func(_ *Record, at int64) bool {
		if tries++; tries > maxTries { // each may read the rest of the file
			return false
		}
		rest := NewReader(io.NewSectionReader(r.in.at, at, 1<<62-at))
		defer rest.Close()
		rest.in.at = nil
		for {
			if _, err := rest.Next(); err != nil {
				return err == io.EOF
			}
		}
	})
}

// maxTries bounds how many records that belong to no warcinfo record are followed to the end of the file.
const maxTries = 100

// searchPiece is how much is looked through at a time, and searchOver by how much pieces overlap.
const (
	searchPiece = 64 << 10
	searchOver  = 16
)

// search tries each place from an offset on where a record may begin.
func (r *Reader) search(from int64, wanted func(rec *Record, at int64) bool) (*Record, error) {
	piece := make([]byte, searchPiece)
	isText := r.in.plain
	if r.last < 0 { // nothing was read yet that tells it
		n, _ := r.in.at.ReadAt(piece[:24], 0)
		isText = isMostlyText(piece[:n])
	}
	for {
		n, err := r.in.at.ReadAt(piece, from)
		for i := 0; i < n; i++ {
			if isText && !isVersionLine(piece[i:n]) || !isText && !isMember(piece[i:n]) {
				continue
			}
			if rec := r.try(from+int64(i), isText); rec != nil && wanted(rec, from+int64(i)) {
				return rec, nil
			}
		}
		if err == io.EOF {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		from += int64(n - searchOver)
	}
}

// isMostlyText reports whether the beginning of an archive is that of a header, in which a few bytes are damaged.
func isMostlyText(b []byte) bool {
	other := 0
	for _, c := range b {
		if c >= 0x7f || c < ' ' && c != '\r' && c != '\n' {
			other++
		}
	}
	return other <= 4
}

// isVersionLine reports whether b begins with the first line of a record: "WARC/1.1".
func isVersionLine(b []byte) bool {
	rest, ok := bytes.CutPrefix(b, []byte("WARC/"))
	return ok && bytes.IndexByte(rest[:min(len(rest), 8)], '\n') >= 0
}

// isMember reports whether a compressed member may begin here: gzip with deflate and no reserved flags (RFC 1952 section 2.3), or zstd.
func isMember(b []byte) bool {
	return len(b) >= 4 && (b[0] == 0x1f && b[1] == 0x8b && b[2] == 8 && b[3]&0xe0 == 0 || isZstd(b) && b[0] == 0x28)
}

// try reads the header of a record that may begin at an offset; nil if none does.
func (r *Reader) try(at int64, plain bool) *Record {
	r.in.to(at, plain)
	r.begun, r.record, r.ends = false, nil, 0
	rec, err := r.next()
	if err != nil || r.from != at {
		return nil
	}
	if _, err := r.text.Peek(int(min(rec.Size, 1))); err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return rec
}
