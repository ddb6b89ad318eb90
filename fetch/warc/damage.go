package warc

import (
	"errors"
	"io"
	"strings"
)

// noteWarcinfo notes the warcinfo records that the file's records belong to.
func (r *Reader) noteWarcinfo(rec *Record) {
	id := rec.Fields.Get("WARC-Warcinfo-ID")
	if rec.Type() == Warcinfo {
		id = rec.ID()
	}
	if r.infos == nil {
		r.infos = map[string]bool{}
	}
	if id != "" && len(id) <= maxID && len(r.infos) < maxIDs {
		r.infos[id] = true
	}
}

// findAfterDamage returns the first record that begins at or after offset from, or nil if there is none.
//
// A document may itself be an archive that a server has made as a trap: its records must not be mistaken for records of this file. So a record
// must belong to a known warcinfo record, whose random ID no server can know. If no record does, because that record itself is damaged,
// everything from the record to the end of the file must be valid, which is never true for a record within another.
func (r *Reader) findAfterDamage(from int64) (*Record, error) {
	rec, err := r.search(from, func(rec *Record, _ int64) bool {
		return len(r.infos) == 0 || r.infos[rec.Fields.Get("WARC-Warcinfo-ID")]
	})
	if rec != nil || err != nil || len(r.infos) == 0 {
		return rec, err
	}
	tries := 0
	return r.search(from, func(_ *Record, at int64) bool {
		if tries++; tries > maxTries { // each attempt may read the rest of the file
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

// maxTries bounds how many records without a warcinfo record are followed to the end of the file.
const maxTries = 100

// searchPiece is how much is searched at a time, and searchOver how much pieces overlap.
const (
	searchPiece = 64 << 10
	searchOver  = 16
)

// search tries every offset from on where a record may begin.
func (r *Reader) search(from int64, wanted func(rec *Record, at int64) bool) (*Record, error) {
	piece := make([]byte, searchPiece)
	isText := r.in.plain
	if r.last < 0 { // no record has been read yet
		n, _ := r.in.at.ReadAt(piece[:24], 0)
		isText = isMostlyText(piece[:n])
	}
	for {
		n, err := r.in.at.ReadAt(piece, from)
		for i := 0; i < n; i++ {
			if isText && !isVersionLine(piece[i:n]) || !isText && !isMember(piece[i:n]) {
				continue
			}
			if rec := r.tryRecord(from+int64(i), isText); rec != nil && wanted(rec, from+int64(i)) {
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

// isMostlyText reports whether the archive begins with a text header in which a few bytes are damaged.
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
	rest, ok := versionIn(string(b[:min(len(b), 13)]))
	return ok && strings.Contains(rest, "\n")
}

// isMember reports whether a compressed member may begin here: gzip with deflate and no reserved flags (RFC 1952 section 2.3), or zstd.
func isMember(b []byte) bool {
	return len(b) >= 4 && (b[0] == 0x1f && b[1] == 0x8b && b[2] == 8 && b[3]&0xe0 == 0 || isZstd(b) && b[0] == 0x28)
}

// tryRecord reads the header of a record that may begin at an offset. It returns nil if none does.
func (r *Reader) tryRecord(at int64, plain bool) *Record {
	r.in.seek(at, plain)
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
