package batch

import (
	"bufio"
	"context"
	"io"
	"os"
	"sync/atomic"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/spill"
	"example.org/deref/fetch/save"
)

// A fileLog is a Log in a file of lines. The position of a record is its offset.
type fileLog struct {
	file  *os.File
	close func() error

	size atomic.Int64 // bytes in complete lines
}

// maxFrontierLine bounds a line.
const maxFrontierLine = 1 << 20

// openFileLog opens the file path, and creates it if it does not exist. With "" it uses an unnamed file for this process alone.
func openFileLog(path string) (*fileLog, error) {
	if path != "" {
		f, err := save.Open(path, os.O_RDWR|os.O_CREATE, 0o600) // a URI may hold a secret
		return &fileLog{file: f, close: f.Close}, save.LocalError(err)
	}
	f, err := spill.Create("")
	if err != nil {
		return nil, save.LocalError(err)
	}
	return &fileLog{file: f.File, close: f.Close}, nil
}

// load passes every record to f, and drops an incomplete last line, whose position was never returned.
func (l *fileLog) load(f func(record []byte, at int64) error) error {
	size, err := spill.EachLine(l.file, maxFrontierLine, f)
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "the frontier: %w", err)
	}
	if err := l.file.Truncate(size); err != nil {
		return fetch.Errorf(fetch.ErrDisk, "the frontier: %w", err)
	}
	l.size.Store(size)
	return nil
}

// append appends a record, and returns its position. It is not called concurrently.
func (l *fileLog) append(record []byte) (int64, error) {
	at := l.size.Load()
	if _, err := l.file.WriteAt(append(record, '\n'), at); err != nil {
		return 0, fetch.Errorf(fetch.ErrDisk, "the frontier: %w", err)
	}
	l.size.Add(int64(len(record)) + 1)
	return at, nil
}

func (l *fileLog) Read(at int64) ([]byte, error) {
	line, err := spill.LineAt(l.file, at, maxFrontierLine)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "the frontier: %w", err)
	}
	return line[:len(line)-1], nil
}

func (l *fileLog) Scan() LogReader {
	return &fileReader{log: l, in: bufio.NewReaderSize(nil, 64<<10)}
}

// Close closes the file.
func (l *fileLog) Close() error { return l.close() }

// A fileReader reads the file up to the length that it had when the buffer was last empty.
type fileReader struct {
	log      *fileLog
	in       *bufio.Reader
	at, read int64
}

// Next does not wait, since the Frontier calls it only if there is a record.
func (r *fileReader) Next(context.Context) ([]byte, int64, error) {
	if r.at == r.read { // the reader is at its end
		r.read = r.log.size.Load()
		r.in.Reset(io.NewSectionReader(r.log.file, r.at, r.read-r.at))
	}
	line, err := r.in.ReadBytes('\n')
	if err != nil {
		return nil, 0, fetch.Errorf(fetch.ErrLocal, "the frontier: %w", err)
	}
	at := r.at
	r.at += int64(len(line))
	return line[:len(line)-1], at, nil
}

func (r *fileReader) Close() error { return nil }
