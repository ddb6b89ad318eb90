package fetchtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing/iotest"
	"time"

	"example.org/deref/fetch"
)

// A reader is one way to read a document.
type reader struct {
	name string
	read func(*fetch.Document) ([]byte, error)
	part bool // not to the end
}

func readers() []reader {
	return []reader{
		{"to the end", readAll, false},
		{"byte by byte", func(d *fetch.Document) ([]byte, error) { return io.ReadAll(iotest.OneByteReader(d.Body)) }, false},
		{"by WriteTo", copyAll, false},
		{"past the end", readPast, false},
		{"one byte, then closed", func(d *fetch.Document) ([]byte, error) {
			b := make([]byte, 1)
			n, err := d.Body.Read(b)
			return b[:n], notEOF(err)
		}, true},
		{"not at all", func(*fetch.Document) ([]byte, error) { return nil, nil }, true},
		{"closed twice", func(d *fetch.Document) ([]byte, error) { return nil, d.Body.Close() }, true},
		{"after Close", readClosed, true},
		{"as entries", func(d *fetch.Document) ([]byte, error) { return nil, entries(d, -1) }, true},
		{"one entry", func(d *fetch.Document) ([]byte, error) { return nil, entries(d, 1) }, true},
	}
}

// checkReading: a document is the same however it is read, and reading may stop at any time.
func checkReading(x *subject) error {
	var errs []error
	slow := false
	for _, how := range readers() {
		if slow {
			break // the other ways of reading would take as long
		}
		a := x.attempt()
		a.read = how.read
		r, err := a.whole()
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("read %s: %w", how.name, err))
		case r.elapsed > x.prompt():
			slow = true
			errs = append(errs, fmt.Errorf("read %s: it takes %s, want at most %s: Close must not wait for the server", how.name, r.elapsed, x.prompt()))
		case r.err != nil:
			errs = append(errs, fmt.Errorf("read %s: %w", how.name, r.err))
		case !how.part && !bytes.Equal(r.body, x.base.body):
			errs = append(errs, fmt.Errorf("read %s: got body %q, want %q", how.name, r.body, x.base.body))
		case !bytes.HasPrefix(x.base.body, r.body):
			errs = append(errs, fmt.Errorf("read %s: got %q, want the beginning of %q", how.name, r.body, x.base.body))
		}
	}
	return errors.Join(errs...)
}

// prompt returns how long a request without faults may take.
func (x *subject) prompt() time.Duration {
	if x.Live {
		return watchdog / 2
	}
	return patience/2 + x.script.Delays()
}

func copyAll(d *fetch.Document) ([]byte, error) {
	var b bytes.Buffer
	_, err := io.Copy(&b, d.Body)
	return b.Bytes(), err
}

func readPast(d *fetch.Document) ([]byte, error) {
	b, err := io.ReadAll(d.Body)
	if n, end := d.Body.Read(make([]byte, 10)); err == nil && (n != 0 || end != io.EOF) {
		err = fmt.Errorf("after io.EOF, Read returns %d bytes and %v, want 0 bytes and io.EOF", n, end)
	}
	return b, err
}

func readClosed(d *fetch.Document) ([]byte, error) {
	if err := d.Body.Close(); err != nil {
		return nil, err
	}
	if n, err := d.Body.Read(make([]byte, 10)); err == nil || n > 0 {
		return nil, fmt.Errorf("after Close, Read returns %d bytes and %v, want an error", n, err)
	}
	return nil, nil
}

// entries ranges over at most n entries, all for -1.
func entries(d *fetch.Document, n int) error {
	if d.Entries == nil {
		return nil
	}
	for e, err := range d.Entries {
		if err != nil {
			return err
		}
		if !e.URI.IsZero() && !e.URI.IsAbs() {
			return fmt.Errorf("the entry %q has the relative URI %s: resolve it with the URI of the listing", e.Title, e.URI)
		}
		if e.Kind == "" {
			return fmt.Errorf("the entry %q has no Kind: set Entry.Kind", e.Title)
		}
		if n--; n == 0 {
			break
		}
	}
	return nil
}

func notEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// checkLeaks: nothing is left running or open, also after an error.
func checkLeaks(x *subject) error {
	_, err := x.attempt().whole()
	if err != nil {
		return err
	}
	if x.Live || x.script.Bytes() == 0 {
		return nil
	}
	a := x.attempt()
	a.faults.CutAfter = x.script.Needed() / 2
	_, err = a.whole()
	return err
}
