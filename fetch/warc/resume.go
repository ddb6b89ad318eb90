package warc

import (
	"io"
	"path/filepath"

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
	return err
}

// scan reads the file's records and returns where the last complete one ends. Damage that is followed by complete records stays.
func (w *Writer) scan() (end int64, err error) {
	r := NewReader(w.file)
	defer r.Close()
	intact := false
	err = r.walk(&walk{
		visit: func(rec *Record) (err error) {
			intact, err = verifyBlock(rec)
			return err
		},
		settle: func(rec *Record) error {
			if !intact || rec.unended {
				return nil
			}
			end = rec.Offset + rec.Length
			return w.restore(rec)
		},
	})
	return end, err
}

// verifyBlock reads the block of r to its end and reports whether it matches its digest. It also sets the fields for the index.
func verifyBlock(r *Record) (ok bool, err error) {
	sum := newSum(r.Fields.Get("WARC-Block-Digest"))
	all := *r
	all.Block = io.TeeReader(r.Block, orDiscard(sum))
	r.readEntry(&all)
	_, err = io.Copy(io.Discard, all.Block)
	return err == nil && sum.matches(), err
}

// readEntry sets the fields of r for the index, and returns the payload. It reads the beginning of block's Block, which is that of r.
func (r *Record) readEntry(block *Record) (payload io.Reader) {
	r.entry = entry{status: 200, media: mediatype.Essence(r.MediaType())}
	if kind := r.Type(); kind != Response && kind != Revisit {
		return block.Block
	}
	r.entry = entry{}
	head, body, err := splitMessage(block)
	if err != nil {
		return body
	}
	if h, ok := parseHead(head); ok {
		r.entry = h.entry
	}
	return unchunked(head, body)
}

// restore indexes a record of an earlier process.
func (w *Writer) restore(r *Record) error {
	if r.Type() == Warcinfo && w.info == "" {
		w.info = r.ID()
	}
	if w.index != nil {
		if err := w.index.add(r, filepath.Base(w.final)); err != nil {
			return err
		}
	}
	if kind := r.Type(); kind != Response && kind != Resource || r.Fields.Get("WARC-Truncated") != "" {
		return nil
	}
	if w.o.OnlyAdded {
		return nil
	}
	w.AddOriginal(r.identity())
	return nil
}
