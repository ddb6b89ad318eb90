package save

import (
	"errors"
	"io/fs"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
)

// LocalError sets the kind of an error of opening, looking up or naming a file.
func LocalError(err error) error {
	if err == nil || fetch.KindOf(err) != "" {
		return err
	}
	if isFull(err) {
		return DiskError(err)
	}
	return fetch.Errorf(fetch.ErrLocal, "%w", err)
}

// DiskError sets the kind of a write error.
func DiskError(err error) error {
	if err == nil || fetch.KindOf(err) != "" {
		return err
	}
	return fetch.Errorf(fetch.ErrDisk, "%w", err)
}

// copyError sets the kind of an error from io.Copy. An error of the Body already has a kind, or is the caller's cancellation; an error of a
// file has neither.
func copyError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok && fetch.KindOf(err) == "" && pe.Op != "read" || isFull(err) {
		return DiskError(err)
	}
	return err
}

// named returns err with the path as the user knows it. The system's own error names a temporary file, or none.
func named(err error, pathOf func() string) error {
	if fetch.KindOf(err) != fetch.ErrDisk {
		return err
	}
	path := pathOf()
	if path == "" {
		return err
	}
	cause := err
	for e := err; e != nil; e = errors.Unwrap(e) {
		cause = e
	}
	if cause == err {
		return err
	}
	return &fetch.Error{Kind: fetch.ErrDisk, Text: "write " + path + ": " + cause.Error(), Err: err}
}

func existsError(path string) error {
	return &fetch.Error{Kind: fetch.ErrLocal, Text: path + " already exists", Hint: hint.Force, Err: fs.ErrExist}
}
