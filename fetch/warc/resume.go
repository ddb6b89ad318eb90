package warc

import (
	"crypto/sha1"
	"encoding/base32"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
)

// takeUp reads what an earlier process has written, cuts it after its last whole record, and goes on there: in the same warcinfo, and
// with the same index and payloads as if one process had written all.
func (w *Writer) takeUp() error {
	end, err := w.review()
	if err == nil {
		err = w.file.Truncate(end)
	}
	if err == nil {
		_, err = w.file.Seek(end, io.SeekStart)
	}
	w.out.n = end
	return disk(err)
}

// review reads the file's records, and returns where the last whole one ends. Damage that is followed by whole records stays as it is.
func (w *Writer) review() (end int64, err error) {
	r := NewReader(w.file)
	defer r.Close()
	var last *Record // whole as far as itself; it is the file's only if what follows it is in order
	settle := func(next int64) error {
		if last == nil {
			return nil
		}
		last.Length, end = next-last.Offset, next
		rec := last
		last = nil
		return w.recall(rec)
	}
	for {
		rec, rerr := r.Next()
		next, whole := r.from, true
		switch {
		case rerr == nil:
		case rerr == io.EOF:
			next, whole = r.in.in.n, true
			if r.in.plain {
				next, whole = r.within(), r.ends == 2 // else killed within the line ends
			}
		case rerr == io.ErrUnexpectedEOF, isFormat(rerr):
			next, whole = r.bad, r.apart && last != nil && r.bad > last.Offset
		default:
			return 0, fetch.Errorf(fetch.ErrLocal, "%w", rerr)
		}
		if whole {
			if err := settle(next); err != nil {
				return 0, err
			}
		}
		last = nil
		switch {
		case rerr == io.EOF, rerr == io.ErrUnexpectedEOF:
			return end, nil
		case rerr != nil:
			continue
		}
		switch ok, err := examine(rec); {
		case err == io.ErrUnexpectedEOF, isFormat(err): // Next says it again
		case err != nil:
			return 0, fetch.Errorf(fetch.ErrLocal, "%w", err)
		case ok:
			last = rec
		}
	}
}

func isFormat(err error) bool {
	_, is := errors.AsType[*FormatError](err)
	return is
}

// examine reads the block of r to its end and reports whether it has the digest that the record says. It notes what an index says of it.
func examine(r *Record) (ok bool, err error) {
	sum := newSum(r.Fields.Get("WARC-Block-Digest"))
	all := *r
	all.Block = io.TeeReader(r.Block, orDiscard(sum))
	r.entry = entry{status: 200, media: mediatype.Essence(r.MediaType())}
	if kind := r.Type(); kind == Response || kind == Revisit {
		r.entry = entry{}
		if head, _, err := divide(&all); err == nil {
			if h, ok := parseHead(head); ok {
				r.entry = entry{status: h.status, media: h.media}
			}
		}
	}
	_, err = io.Copy(io.Discard, all.Block)
	return err == nil && sum.matches(), err
}

// recall notes a record of an earlier process.
func (w *Writer) recall(r *Record) error {
	if r.Type() == Warcinfo && w.info == "" {
		w.info = r.ID()
	}
	if w.index != nil {
		if err := w.index.add(r, filepath.Base(w.final)); err != nil {
			return disk(err)
		}
	}
	if kind := r.Type(); kind != Response && kind != Resource || r.Fields.Get("WARC-Truncated") != "" || len(w.known) >= maxSeen {
		return nil
	}
	digits, ok := strings.CutPrefix(r.Fields.Get("WARC-Payload-Digest"), "sha1:")
	if b, err := base32.StdEncoding.DecodeString(digits); ok && err == nil && len(b) == sha1.Size {
		w.known = append(w.known, known{[sha1.Size]byte(b), visit{r.ID(), r.Target(), r.Fields.Get("WARC-Date")}})
	}
	return nil
}
