package warc

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/lock"
	"example.org/deref/fetch/pieces"
	"example.org/deref/fetch/save"
)

// A Writer writes an archive. It is safe for concurrent use.
type Writer struct {
	name string
	o    Options
	pack *packer

	stored storedPayloads // in all files

	mu     sync.Mutex
	file   *os.File           // nil between files
	final  string             // the final name of file
	direct bool               // file is a device or FIFO, which is written to directly
	out    pieces.CountWriter // counts the bytes written to file
	blank  int64              // of a new file, how many are those of the warcinfo
	buffer *bufio.Writer
	flush  *time.Timer // while records wait, else nil
	head   []byte      // of the last record; its memory is reused
	info   string      // ID of the file's warcinfo record
	number int
	logged runLog
	index  *index // of file
	dirs   bool   // the file's name is durable
	err    error  // the first write error; nothing is written after it
	closed bool
}

// Create starts an archive. The suffix of its name chooses the form: .gz and .zst compress each record by itself; in .gz, short or already
// compressed blocks are stored uncompressed.
func Create(name string, o *Options) (*Writer, error) {
	w := &Writer{name: name}
	if o != nil {
		w.o = *o
	}
	for _, f := range w.o.Info {
		if err := CheckInfo(f); err != nil {
			return nil, err
		}
	}
	if w.o.now == nil {
		w.o.now = time.Now
	}
	w.pack = packerFor(name)
	if w.o.Size <= 0 {
		var err error
		if w.name, w.direct, err = save.Resolve(name); err != nil {
			return nil, err
		}
	}
	w.stored.at.Dir = filepath.Dir(w.name)
	w.stored.entries.dir = w.stored.at.Dir
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.open(); err != nil {
		if w.file != nil {
			lock.Close(w.file)
		}
		w.release()
		return nil, diskError(err)
	}
	return w, nil
}

// release frees what the Writer holds besides its file.
func (w *Writer) release() {
	w.stored.close()
	w.logged.text.close()
	if w.index != nil {
		w.index.Close()
	}
}

// Write appends records without anything between them. It sets the length of each, and the ID of the file's warcinfo.
func (w *Writer) Write(records ...*Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed && w.err == nil {
		w.err = os.ErrClosed
	}
	if w.err == nil {
		w.failLocked(w.write(records))
	}
	return w.err
}

// failLocked keeps the first write error. The caller holds mu.
func (w *Writer) failLocked(err error) {
	if err == nil || w.err != nil {
		return
	}
	w.err = diskError(err)
	if w.o.Failed != nil {
		w.o.Failed(w.err)
	}
}

// Sync makes everything written before durable: if it returns nil, neither a killed process nor a system crash loses it. It fails if the file was
// removed or replaced meanwhile, since only this process would have what it wrote.
func (w *Writer) Sync() error {
	w.mu.Lock()
	if w.err == nil && w.file != nil {
		w.failLocked(w.buffer.Flush())
	}
	file, dirs, err := w.file, w.dirs, w.err
	w.dirs = true
	w.mu.Unlock()
	if file == nil || err != nil {
		return err
	}
	err = save.Sync(file) // without the lock, so that captures continue meanwhile
	if err == nil && !dirs {
		if err = save.SyncDir(filepath.Dir(w.name)); err != nil {
			err = fmt.Errorf("%s: %w", file.Name(), err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil && w.file == file {
		err = w.checkName()
	}
	if !errors.Is(err, os.ErrClosed) { // if it is closed, finish has synced it
		w.failLocked(err)
	}
	return w.err
}

// write writes the records, and starts a new file if the current one has become long enough.
func (w *Writer) write(records []*Record) error {
	if w.file == nil {
		if err := w.open(); err != nil {
			return err
		}
	}
	for _, r := range records {
		if err := w.append(r); err != nil {
			return err
		}
	}
	if w.o.Size > 0 && w.out.N >= w.o.Size {
		return w.finish()
	}
	return w.flushSoon()
}

// flushSoon flushes the buffer now, or after Options.Wait.
func (w *Writer) flushSoon() error {
	if w.o.Wait <= 0 {
		return w.buffer.Flush()
	}
	if w.flush == nil && w.buffer.Buffered() > 0 {
		w.flush = time.AfterFunc(w.o.Wait, w.flushWaiting)
	}
	return nil
}

// flushWaiting flushes the records that have waited long enough.
func (w *Writer) flushWaiting() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flush = nil
	if w.file != nil && w.err == nil {
		w.failLocked(w.buffer.Flush())
	}
}

// append writes one record and adds it to the index.
func (w *Writer) append(r *Record) error {
	if kind := r.Type(); kind != Warcinfo && !(r.compact && kind == Metadata) { // which is concurrent to a record that has it
		r.Fields.add("WARC-Warcinfo-ID", w.info)
	}
	r.Offset = w.out.N
	w.head = r.appendHead(w.head[:0])
	m := w.pack.member(&w.out, r)
	m.Write(w.head)
	var err error
	if r.Block != nil {
		_, err = io.Copy(m, r.Block)
	}
	m.Write(append(w.head[:0], "\r\n\r\n"...))
	err = cmp.Or(err, m.Close()) // Close reports every write error
	r.Length = w.out.N - r.Offset
	if err == nil && w.index != nil {
		err = w.index.add(r, filepath.Base(w.final))
	}
	if err == nil && w.o.Stored != nil && r.isIndexed() {
		is := StoredRecord{Target: r.about(), File: filepath.Base(w.final), Offset: r.Offset}
		if r.isOriginal {
			is.Original = r.identity()
		}
		w.o.Stored(is)
	}
	return err
}

// open starts the next file with its warcinfo record, or continues one that was left unfinished.
func (w *Writer) open() error {
	file, left, err := w.openNext()
	if err != nil {
		return err
	}
	w.file, w.buffer, w.dirs = file, bufio.NewWriterSize(file, 64<<10), false
	w.out = pieces.CountWriter{W: w.buffer}
	if w.o.Index {
		w.index = newIndex(filepath.Dir(w.name))
	}
	if left {
		if err := w.resume(); err != nil {
			return err
		}
	}
	if w.out.N == 0 {
		err = w.append(w.warcinfo())
		w.blank = w.out.N
	}
	if err != nil {
		return err
	}
	return w.flushSoon()
}

// finish renames the current file to its final name.
func (w *Writer) finish() error {
	if w.file == nil {
		return nil
	}
	err := w.complete()
	if err != nil || w.direct {
		err = cmp.Or(err, lock.Close(w.file))
	} else if err = publish(w.file, w.final+Unfinished, w.final); err == nil {
		err = save.SyncDir(filepath.Dir(w.final))
	}
	w.file = nil
	return err
}

// complete writes what belongs to the current file. The index is written before the file is renamed: a process killed between the two leaves an
// unfinished archive, and Resume rewrites the index.
func (w *Writer) complete() error {
	err := cmp.Or(w.appendLog(), w.buffer.Flush())
	if err == nil && !w.direct {
		err = cmp.Or(save.Sync(w.file), w.checkName()) // else a crash could leave the final name without content
	}
	if err == nil && !w.direct {
		_, err = save.CopyMetadata(w.file, w.final)
	}
	if err == nil && w.index != nil {
		defer w.index.Close()
		if _, err = save.Rewrite(indexName(w.final), 0o666, w.index.Write); err != nil {
			err = fetch.Errorf(fetch.ErrDisk, "the archive is still called %s: its index failed: %w", w.final+Unfinished, err)
		}
	}
	return err
}

// fail makes err the Writer's error, if it is the first.
func (w *Writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failLocked(err)
}

// Err returns the first write error. Nothing after it is in the archive.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Close completes the archive and returns the first write error. A file that could not be written keeps its unfinished name.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return w.err
	}
	w.closed = true
	defer w.release()
	if w.flush != nil {
		w.flush.Stop()
	}
	if w.err != nil {
		if w.file != nil {
			w.buffer.Flush() // the records before the error
			lock.Close(w.file)
		}
		return w.err
	}
	w.failLocked(w.finish())
	return w.err
}

// Discard closes an archive after a failure, and removes the file if nothing was written to it.
func (w *Writer) Discard() error {
	w.mu.Lock()
	if w.err == nil && w.out.N == w.blank && !w.direct && os.Remove(w.final+Unfinished) == nil {
		w.err = os.ErrClosed
	}
	w.mu.Unlock()
	if err := w.Close(); err != os.ErrClosed {
		return err
	}
	return nil
}

func diskError(err error) error {
	if err == nil || fetch.KindOf(err) != "" {
		return err
	}
	return fetch.Errorf(fetch.ErrDisk, "the archive could not be written: %w", err)
}
