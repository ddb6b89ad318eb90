package fetch

import (
	"io"
	"iter"
)

// bounded applies the limit of entries, contains panics while they are read, and lets them be read once. It ends without an error only if
// the peer has confirmed the end.
func (e *Env) bounded(d *Document, b *body) iter.Seq2[Entry, error] {
	entries := d.Entries
	return func(yield func(Entry, error) bool) {
		switch {
		case b.err == errClosed:
			yield(Entry{}, errClosed)
			return
		case b.use != unused:
			yield(Entry{}, errUsed)
			return
		}
		b.use = asEntries
		defer func() { b.use = usedUp }()
		over := false // nothing more may be yielded
		err := e.contain(func() error {
			count, most := int64(0), e.client.limits.Entries
			for entry, err := range entries {
				count++
				entry.URI = entry.URI.ASCII()
				if err == nil && most >= 0 && count > most {
					err = Errorf(ErrLimit, "the listing has more than %d entries", most)
				}
				if err != nil {
					entry, err = Entry{}, e.finishEnd(err)
				}
				e.callback(func() { over = !yield(entry, err) || err != nil })
				if over {
					return nil
				}
			}
			return nil
		})
		switch {
		case over:
			return
		case err == nil:
			err = b.confirm()
		default:
			b.err = e.finishError(err)
			err = b.err
		}
		if err != nil {
			yield(Entry{}, err)
		}
	}
}

// confirm reads the rest of the bytes from which a parser has made entries (a parser may stop at the last line), so that the entries are
// complete only if the bytes are. A listing without bytes of its own has confirmed its end itself.
func (b *body) confirm() error {
	if b.doc.made != nil {
		if b.err == nil {
			b.env.noteMissing(b.doc, io.EOF)
		}
		return nil
	}
	_, err := io.Copy(io.Discard, b.doc.Body) // which a caller may have wrapped, to resume it
	return err
}
