package batch

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/spill"
	"example.org/deref/fetch/save"
)

// A fileLog is a Log in a file of lines. The position of a record is its offset.
type fileLog struct {
	file  *os.File
	close func() error

	mu    sync.Mutex
	size  int64         // bytes in complete lines
	grown chan struct{} // closed by the next Append; nil while no reader waits
}

// maxFrontierLine bounds a line.
const maxFrontierLine = 1 << 20

// OpenLog opens the file path as a Log, and creates it if it does not exist. With "" it uses an unnamed file for this process alone. Only
// one process may use a file at a time.
func OpenLog(path string) (Log, error) {
	l, err := openFileLog(path)
	if err != nil {
		return nil, err
	}
	if err := l.load(func([]byte, int64) error { return nil }); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func openFileLog(path string) (*fileLog, error) {
	if path != "" {
		f, err := save.Open(path, os.O_RDWR|os.O_CREATE, 0o600) // a URI may hold a secret
		if err != nil && fetch.KindOf(err) == "" {
			err = fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		return &fileLog{file: f, close: f.Close}, err
	}
	f, err := spill.Create("")
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return &fileLog{file: f.File, close: f.Close}, nil
}

// load passes every record to f, and drops an incomplete last line, whose position was never returned.
func (l *fileLog) load(f func(record []byte, at int64) error) error {
	var err error
	if l.size, err = spill.EachLine(l.file, maxFrontierLine, f); err != nil {
		return fetch.Errorf(fetch.ErrLocal, "the frontier: %w", err)
	}
	if err := l.file.Truncate(l.size); err != nil {
		return fetch.Errorf(fetch.ErrDisk, "the frontier: %w", err)
	}
	return nil
}

// Append never omits a record.
func (l *fileLog) Append(record []byte) (int64, error) {
	if len(record) >= maxFrontierLine || bytes.IndexByte(record, '\n') >= 0 {
		return 0, fetch.Errorf(fetch.ErrLimit, "the frontier: invalid or too long record")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.size
	if _, err := l.file.WriteAt(append(record, '\n'), at); err != nil {
		return 0, fetch.Errorf(fetch.ErrDisk, "the frontier: %w", err)
	}
	l.size += int64(len(record)) + 1
	if l.grown != nil {
		close(l.grown)
		l.grown = nil
	}
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

// wait waits until the file is longer than at, and returns its length.
func (l *fileLog) wait(ctx context.Context, at int64) (int64, error) {
	for {
		l.mu.Lock()
		size := l.size
		if size <= at && l.grown == nil {
			l.grown = make(chan struct{})
		}
		grown := l.grown
		l.mu.Unlock()
		if size > at {
			return size, nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// A fileReader reads the file up to the length that it had when the buffer was last empty.
type fileReader struct {
	log      *fileLog
	in       *bufio.Reader
	at, read int64
}

func (r *fileReader) Next(ctx context.Context) ([]byte, int64, error) {
	if r.at == r.read { // the reader is at its end
		end, err := r.log.wait(ctx, r.at)
		if err != nil {
			return nil, 0, err
		}
		r.in.Reset(io.NewSectionReader(r.log.file, r.at, end-r.at))
		r.read = end
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
