package retrieve

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/render"
)

// Limits for the data of all documents that wait for their turn on standard output. While more than maxMemory waits, only the document whose turn it
// is may start, so the temporary files hold little more than the rest of those in progress.
const (
	maxMemory = 4 << 20
	maxFiles  = 256 << 20 // a document that would exceed it is fetched again in its turn
)

// A sequence is standard output for documents that are fetched several at a time. They appear in the order of the list: the one whose turn it is is
// written as it arrives, and the others wait in memory or in temporary files, so that no server has to wait.
type sequence struct {
	ctx       context.Context
	stdout    *os.File
	terminal  bool
	patience  time.Duration // how long a write of waiting output may block; 0 means no limit
	waits     func(*batch.Item) bool
	memory    atomic.Int64
	files     atomic.Int64
	maxMemory int64
	maxFiles  int64

	mu    sync.Mutex
	turn  int64
	slots map[int64]*slot
}

func newSequence(ctx context.Context, stdout *os.File, waits func(*batch.Item) bool) *sequence {
	return &sequence{ctx: ctx, stdout: stdout, terminal: terminal.IsTerminal(stdout), waits: waits, maxMemory: maxMemory, maxFiles: maxFiles, slots: map[int64]*slot{}}
}

// Waits implements batch.Order.
func (o *sequence) Waits(it *batch.Item) bool { return o.waits(it) }

// Full implements batch.Order.
func (o *sequence) Full() bool { return o.memory.Load()+o.files.Load() >= o.maxMemory }

// Turn implements batch.Order: it writes the output of the item that has waited, and passes on what follows.
func (o *sequence) Turn(number int64) error {
	o.mu.Lock()
	if s := o.slots[number-1]; s != nil {
		s.drop()
		delete(o.slots, number-1)
	}
	o.turn = number
	s := o.slots[number]
	o.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.begin()
}

// slot returns the slot of the item.
func (o *sequence) slot(number int64) *slot {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.slots[number]
	if s == nil {
		s = &slot{of: o, open: number == o.turn}
		o.slots[number] = s
	}
	return s
}

// close discards the output that is still waiting.
func (o *sequence) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.slots {
		s.drop()
	}
}

// A slot is the part of standard output that belongs to one item.
type slot struct {
	of *sequence

	mu       sync.Mutex
	open     bool // it is its turn
	used     bool // something was written
	over     bool // it cannot wait
	memory   []byte
	file     *os.File // the data after memory, nil if there is none
	size     int64    // of file
	deadline time.Time
	err      error
}

// errTooLong is the error of writing a document that is too long to wait.
var errTooLong = errors.New("the document is too long to wait for its turn")

func (s *slot) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	s.used = true
	if s.open {
		return s.put(p)
	}
	if s.file == nil && s.of.memory.Add(int64(len(p))) <= s.of.maxMemory {
		s.memory = append(s.memory, p...)
		return len(p), nil
	}
	if s.file == nil {
		s.of.memory.Add(-int64(len(p)))
	}
	n, err := s.spill(p)
	s.err = err
	return n, err
}

// spill writes to a temporary file. If there is no room for p, or no such file, the document is fetched again in its turn.
func (s *slot) spill(p []byte) (n int, err error) {
	if s.of.files.Add(int64(len(p))) > s.of.maxFiles {
		err = errTooLong
	} else if s.file == nil {
		s.file, err = os.CreateTemp("", "deref-")
		if err == nil {
			os.Remove(s.file.Name()) // some systems remove it only after it is closed
		}
	}
	if err == nil {
		n, err = s.file.Write(p)
	}
	s.size += int64(n)
	s.of.files.Add(int64(n - len(p)))
	s.over = err != nil
	return n, err
}

// begin writes the output that has waited. It is called when it is the slot's turn.
func (s *slot) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = true
	if s.err != nil || !s.used {
		return nil
	}
	if s.of.patience > 0 {
		s.deadline = time.Now().Add(s.of.patience)
	}
	_, err := s.put(s.memory)
	if err == nil && s.file != nil {
		if _, err = s.file.Seek(0, io.SeekStart); err == nil {
			_, err = io.Copy(putter{s}, io.LimitReader(s.file, s.size))
		}
	}
	s.release()
	s.err = s.written(err)
	return s.err
}

// putter is a Writer to put.
type putter struct{ s *slot }

func (p putter) Write(b []byte) (int, error) { return p.s.put(b) }

// put writes to standard output. The caller holds s.mu. The end of the run or the request's timeout interrupts it if the system supports that.
func (s *slot) put(p []byte) (int, error) {
	s.of.stdout.SetWriteDeadline(s.deadline)
	if s.of.ctx.Err() != nil { // the interrupting deadline was already set, and has just been replaced
		s.of.stdout.SetWriteDeadline(time.Unix(1, 0))
	}
	return s.of.stdout.Write(p)
}

// setDeadline sets the deadline of the document.
func (s *slot) setDeadline(t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = t
}

// written returns an error of standard output with its Kind.
func (s *slot) written(err error) error {
	pe, ok := errors.AsType[*fs.PathError](err)
	switch {
	case err == nil:
		return nil
	case s.of.ctx.Err() != nil:
		return s.of.ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fetch.Errorf(fetch.ErrTimeout, "the reader of standard output did not read within the request's timeout")
	case ok && pe.Op != "read":
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	return err
}

// drop discards the waiting output.
func (s *slot) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
}

func (s *slot) release() {
	s.of.memory.Add(-int64(len(s.memory)))
	s.memory = nil
	if s.file != nil {
		s.of.files.Add(-s.size)
		s.file.Close()
		os.Remove(s.file.Name())
		s.file, s.size = nil, 0
	}
}

// postponed reports whether the document was too long to wait. If so, it resets the slot.
func (s *slot) postponed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		return false
	}
	s.release()
	s.over, s.used, s.err = false, false, nil
	return true
}

// began reports whether something was written, so that the document cannot be restarted.
func (s *slot) began() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// words returns a Writer for text of the command itself, in whole lines. On a terminal it goes through the filter.
func (s *slot) words() io.Writer {
	if !s.of.terminal {
		return s
	}
	return filtered{s}
}

type filtered struct{ s *slot }

func (f filtered) Write(p []byte) (int, error) {
	t := render.NewTerminal(f.s)
	n, err := t.Write(p)
	return n, errors.Join(err, t.Flush())
}
