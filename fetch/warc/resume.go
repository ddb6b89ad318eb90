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

// resume reads the file of an earlier process, truncates it after its last complete record, and continues there with the same warcinfo,
// index and known payloads, as if one process had written everything.
func (w *Writer) resume() error {
	end, err := w.scan()
	if err == nil {
		err = w.file.Truncate(end)
	}
	if err == nil {
		_, err = w.file.Seek(end, io.SeekStart)
	}
	w.out.N = end
	return diskError(err)
}

// scan reads the file's records and returns where the last complete one ends. Damage that is followed by complete records stays.
func (w *Writer) scan() (end int64, err error) {
	r := NewReader(w.file)
	defer r.Close()
	var last *Record // complete in itself, but counted only if a valid record or the end of the file follows
	settle := func(next int64) error {
		if last == nil {
			return nil
		}
		last.Length, end = next-last.Offset, next
		rec := last
		last = nil
		return w.restore(rec)
	}
	for {
		rec, rerr := r.Next()
		next, whole := r.from, true
		switch {
		case rerr == nil:
		case rerr == io.EOF:
			next, whole = r.in.in.n, true
			if r.in.plain {
				next, whole = r.within(), r.ends == 2 // else the process was killed within the line ends
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
		switch ok, err := verifyBlock(rec); {
		case err == io.ErrUnexpectedEOF, isFormat(err): // Next reports it again
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

// verifyBlock reads the block of r to its end and reports whether it matches its digest. It also sets the fields for the index.
func verifyBlock(r *Record) (ok bool, err error) {
	sum := newSum(r.Fields.Get("WARC-Block-Digest"))
	all := *r
	all.Block = io.TeeReader(r.Block, orDiscard(sum))
	r.entry = entry{status: 200, media: mediatype.Essence(r.MediaType())}
	r.alone = r.Type() == Metadata && r.MediaType() == DialogueType && r.Fields.Get("WARC-Concurrent-To") == ""
	if kind := r.Type(); kind == Response || kind == Revisit {
		r.entry = entry{}
		if head, _, err := splitMessage(&all); err == nil {
			if h, ok := parseHead(head); ok {
				r.entry = entry{status: h.status, media: h.media}
			}
		}
	}
	_, err = io.Copy(io.Discard, all.Block)
	return err == nil && sum.matches(), err
}

// restore indexes a record of an earlier process.
func (w *Writer) restore(r *Record) error {
	if r.Type() == Warcinfo && w.info == "" {
		w.info = r.ID()
	}
	if w.index != nil {
		if err := w.index.add(r, filepath.Base(w.final)); err != nil {
			return diskError(err)
		}
	}
	if kind := r.Type(); kind != Response && kind != Resource || r.Fields.Get("WARC-Truncated") != "" || len(w.known) >= maxStored {
		return nil
	}
	digits, ok := strings.CutPrefix(r.Fields.Get("WARC-Payload-Digest"), "sha1:")
	if b, err := base32.StdEncoding.DecodeString(digits); ok && err == nil && len(b) == sha1.Size {
		w.known = append(w.known, knownPayload{payloadKey{[sha1.Size]byte(b), r.Type() == Response}, storedCopy{r.ID(), r.Target(), r.Fields.Get("WARC-Date")}})
	}
	return nil
}
