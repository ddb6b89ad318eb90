package warc

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
)

// Options choose how an archive is written; nil is the default of each.
type Options struct {
	// Size closes a file once it has grown to so many octets, and goes on in the next: NAME-00000.warc.gz, -00001 and so on, after
	// those that are there already. 0 is one file without end, under the name as it stands.
	Size int64
	// Index writes a CDXJ file beside each archive: its name with .cdxj for .warc and what follows.
	Index bool
	// Replace puts the archive in the place of one that has the name already, unless a process is writing that.
	Replace bool
	// Resume goes on with the file that a dead process has left under its unfinished name, after cutting off what follows its last whole
	// record. A file that a process is writing is never taken up.
	Resume bool
	// Append goes on with a finished archive that has the name.
	Append bool
	// Wait lets records wait for others so long at most, to be written together. What is killed, other than by closing the Writer, then
	// loses those that have come so lately, unless Sync was called. With 0 each document's are in the file before its Account has ended.
	Wait time.Duration
	// Failed, if it is not nil, is called once with the first error of writing, so that the caller can stop: what comes after it would not
	// be in the archive. It must not call the Writer.
	Failed func(error)
	// Info are fields of the warcinfo record besides those of the program: operator, isPartOf, description, ...
	Info []Field
	// Software is what the warcinfo record calls the program.
	Software string

	now func() time.Time // replaced by tests
}

// Unfinished is what the name of a file ends in until it is whole. What a killed program leaves under such a name is an archive up
// to its last whole record.
const Unfinished = ".open"

// A Writer writes an archive. It is safe for concurrent use.
type Writer struct {
	name string
	o    Options
	pack packer

	mu     sync.Mutex
	file   *os.File // nil between two files
	final  string   // what file will be called
	direct bool     // file is a device or FIFO, which is written to as it is
	out    counter  // what was written to it
	buffer *bufio.Writer
	flush  *time.Timer // armed while records wait
	waits  bool
	head   []byte // of the last record, whose room the next one takes
	info   string // ID of the file's warcinfo record
	number int
	index  *index
	dirs   bool    // the file's name is durable
	known  []known // payloads in a file that was taken up
	err    error   // the first of writing; nothing is written after it
	closed bool
}

// Create begins the archive that name says. Its ending chooses the form: .gz and .zst compress each record by itself; in .gz
// what is short, or compressed already, is stored as it is.
func Create(name string, o *Options) (*Writer, error) {
	w := &Writer{name: name}
	if o != nil {
		w.o = *o
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
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.open(); err != nil {
		if w.file != nil {
			w.file.Close()
		}
		return nil, err
	}
	return w, nil
}

// Write appends records, one after the other with nothing between them. Each gets its length, and the ID of the file's warcinfo.
func (w *Writer) Write(records ...*Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed && w.err == nil {
		w.err = os.ErrClosed
	}
	if w.err == nil {
		w.failed(w.write(records))
	}
	return w.err
}

// failed notes the first error of writing.
func (w *Writer) failed(err error) {
	if err == nil || w.err != nil {
		return
	}
	w.err = disk(err)
	if w.o.Failed != nil {
		w.o.Failed(w.err)
	}
}

// Sync makes durable all that was written before: when it returns nil, neither a killed process nor a system that stops loses it.
func (w *Writer) Sync() error {
	w.mu.Lock()
	if w.err == nil && w.file != nil {
		w.failed(w.buffer.Flush())
	}
	file, dirs, err := w.file, w.dirs, w.err
	w.dirs = true
	w.mu.Unlock()
	if file == nil || err != nil {
		return err
	}
	err = syncFile(file) // without the lock: captures go on meanwhile
	if err == nil && !dirs {
		err = syncDir(filepath.Dir(w.name))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !errors.Is(err, os.ErrClosed) { // else finish has synced it
		w.failed(err)
	}
	return w.err
}

// write puts the records into the file, and a new one in its place when it has become long enough.
func (w *Writer) write(records []*Record) error {
	if w.file == nil {
		if err := w.open(); err != nil {
			return err
		}
	}
	for _, r := range records {
		if err := w.append(r); err != nil {
			return disk(err)
		}
	}
	if w.o.Size > 0 && w.out.n >= w.o.Size {
		return w.finish()
	}
	return disk(w.settle())
}

// settle writes what is in the buffer: at once, or soon.
func (w *Writer) settle() error {
	switch {
	case w.o.Wait <= 0:
		return w.buffer.Flush()
	case w.waits || w.buffer.Buffered() == 0:
	case w.flush == nil:
		w.flush, w.waits = time.AfterFunc(w.o.Wait, w.waited), true
	default:
		w.flush.Reset(w.o.Wait)
		w.waits = true
	}
	return nil
}

// waited writes what has waited long enough.
func (w *Writer) waited() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waits = false
	if w.file != nil && w.err == nil {
		w.failed(w.buffer.Flush())
	}
}

// append writes one record and notes it in the index.
func (w *Writer) append(r *Record) error {
	if r.Type() != Warcinfo {
		r.Fields.add("WARC-Warcinfo-ID", w.info)
	}
	r.Offset = w.out.n
	w.head = r.appendHead(w.head[:0])
	m := w.pack.member(&w.out, r)
	m.Write(w.head)
	err := r.writeBlock(m)
	m.Write(append(w.head[:0], "\r\n\r\n"...))
	if cerr := m.Close(); err == nil { // it tells of every failure to write
		err = cerr
	}
	r.Length = w.out.n - r.Offset
	if err == nil && w.index != nil {
		err = w.index.add(r, filepath.Base(w.final))
	}
	return err
}

// open begins the next file with its warcinfo record, or goes on with one that was left unfinished.
func (w *Writer) open() error {
	file, left, err := w.claim()
	if err != nil {
		return disk(err)
	}
	w.file, w.buffer, w.dirs = file, bufio.NewWriterSize(file, 64<<10), false
	w.out = counter{w: w.buffer}
	if w.o.Index {
		w.index = newIndex(w.final, filepath.Dir(w.name))
	}
	if left {
		if err := w.takeUp(); err != nil {
			return err
		}
	}
	if w.out.n == 0 {
		err = w.append(w.warcinfo())
	}
	if err != nil {
		return disk(err)
	}
	return disk(w.settle())
}

// warcinfo describes the file (ISO 28500:2017 section 6.2).
func (w *Writer) warcinfo() *Record {
	r := &Record{}
	r.begin(Warcinfo, "", stampOf(w.o.now()))
	r.Fields.add("WARC-Filename", filepath.Base(w.final))
	r.Fields.add("Content-Type", FieldsType)
	w.info = r.ID()
	software := w.o.Software
	if software == "" {
		software = "deref"
	}
	var f Fields
	f.add("software", software)
	f.add("format", "WARC File Format 1.1")
	f.add("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/")
	for _, x := range w.o.Info {
		f.add(x.Name, x.Value)
	}
	var b []byte
	for _, x := range f {
		b = fmt.Appendf(b, "%s: %s\r\n", x.Name, x.Value)
	}
	r.Size, r.mem = int64(len(b)), b
	return r
}

// finish gives the file in hand its name. Its index comes first: a process that is killed between the two leaves an archive that is still
// unfinished, and Resume writes the index anew.
func (w *Writer) finish() error {
	if w.file == nil {
		return nil
	}
	err := w.buffer.Flush()
	if err == nil && !w.direct {
		err = syncFile(w.file) // a name that outlives the content would be an archive without records
	}
	if err == nil && !w.direct {
		_, err = save.CopyMetadata(w.file, w.final)
	}
	if err == nil && w.index != nil {
		err = w.index.close()
	}
	if err != nil || w.direct {
		err = errors.Join(err, w.file.Close())
	} else if err = settle(w.file, w.final+Unfinished, w.final); err == nil {
		err = syncDir(filepath.Dir(w.final))
	}
	w.file = nil
	return disk(err)
}

// fail makes err the Writer's, if it is the first.
func (w *Writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed(err)
}

// Err returns the first error of writing: what came after it is not in the archive.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Close ends the archive and returns the first error of writing. A file that could not be written is left under its unfinished name.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return w.err
	}
	w.closed = true
	if w.flush != nil {
		w.flush.Stop()
	}
	if w.err != nil {
		if w.file != nil {
			w.buffer.Flush() // what came before it
			w.file.Close()
		}
		return w.err
	}
	w.failed(w.finish())
	return w.err
}

func disk(err error) error {
	if err == nil || fetch.KindOf(err) != "" {
		return err
	}
	return fetch.Errorf(fetch.ErrDisk, "the archive could not be written: %w", err)
}
