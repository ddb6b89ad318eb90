package mirror

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"iter"
	"os"
	"slices"

	"example.org/deref/fetch/internal/spill"
	"example.org/deref/fetch/save"
)

// all yields the last record of each URI that is not gone, in the order in which they were added. It may omit records added meanwhile.
func (m *manifest) all() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		m.mu.Lock()
		file, size := m.file, m.size
		m.mu.Unlock()
		_, err := spill.EachLine(io.NewSectionReader(file, 0, size), maxRecord, func(line []byte, at int64) error {
			r, err := parseRecord(line)
			if err != nil {
				return err
			}
			last, err := m.isLast(r.URI, at)
			if last && !r.Gone && !yield(r, nil) {
				return io.EOF
			}
			return err
		})
		if err != nil {
			yield(Record{}, err)
		}
	}
}

// each calls f with every record of all. It ends with the first error, or with ctx.
func (m *manifest) each(ctx context.Context, f func(Record) error) error {
	for r, err := range m.all() {
		if err = cmp.Or(err, ctx.Err()); err == nil {
			err = f(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachOf calls f with the records of these kinds. A Page includes the pages that earlier versions recorded as files. It reads nothing if there
// are none.
func (m *manifest) eachOf(ctx context.Context, f func(Record) error, kinds ...Kind) error {
	m.mu.Lock()
	has := slices.ContainsFunc(kinds, func(k Kind) bool { return m.kinds[k] })
	m.mu.Unlock()
	if !has {
		return nil
	}
	return m.each(ctx, func(r Record) error {
		if slices.Contains(kinds, r.Kind) || r.isPage() && slices.Contains(kinds, Page) {
			return f(r)
		}
		return nil
	})
}

// isGrown reports whether the journal has changed since it was last compacted.
func (m *manifest) isGrown() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.grown
}

// compact rewrites the journal with the records that keep accepts, by a rename.
func (m *manifest) compact(keep func(*Record) bool) error {
	const temp = manifestName + ".new"
	m.root.Remove(temp) // left by a killed process
	f, err := m.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return diskError(err)
	}
	err = m.copyTo(f, keep)
	if err == nil {
		err = save.Sync(f) // it replaces the only other copy
	}
	if err = cmp.Or(err, f.Close()); err == nil {
		err = m.root.Rename(temp, manifestName)
	}
	return diskError(err)
}

func (m *manifest) copyTo(f *os.File, keep func(*Record) bool) error {
	out := bufio.NewWriterSize(f, 64<<10)
	err := m.each(context.Background(), func(r Record) error {
		if !keep(&r) {
			return nil
		}
		line, err := r.line()
		out.Write(line) // Flush reports errors
		return err
	})
	return cmp.Or(err, out.Flush())
}
