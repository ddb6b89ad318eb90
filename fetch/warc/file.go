package warc

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/fetch/internal/lock"
	"example.org/deref/fetch/save"
)

// openNext opens the next file to write, and locks it until it is closed. left reports that it holds records to continue from.
func (w *Writer) openNext() (file *os.File, left bool, err error) {
	if w.direct {
		w.final = w.name
		file, err = save.Open(w.name, os.O_WRONLY, 0)
		return file, false, err
	}
	if w.o.Size <= 0 {
		w.final = w.name
		return w.openFinal()
	}
	for ; ; w.number++ {
		w.final = Numbered(w.name, w.number)
		is := exists(w.final + Unfinished)
		if exists(w.final) || is && !w.o.Resume || !is && w.taken(w.final) != "" {
			continue
		}
		if file, left, err = w.openFinal(); !errors.Is(err, lock.ErrHeld) && !errors.Is(err, fs.ErrExist) {
			return file, left, err
		}
	}
}

// openFinal is openNext for the name in w.final.
func (w *Writer) openFinal() (file *os.File, left bool, err error) {
	open := w.final + Unfinished
	is := exists(open)
	name := w.taken(w.final)
	switch {
	case w.o.Append && !is && exists(w.final):
		if err = w.checkForm(w.final); err == nil {
			file, err = lockAndRename(w.final, open)
		}
		return file, true, err
	case is && w.o.Resume && !exists(w.final): // an index may exist: its process was killed before it renamed the archive
		file, err = lockExisting(open)
		return file, true, err
	case name != "" && !w.o.Replace:
		return nil, false, alreadyExists(name)
	case !is:
		if file, err = create(open); err != nil {
			return nil, false, err
		}
		return w.begin(file, open)
	}
	file, err = lockExisting(open)
	if errors.Is(err, fs.ErrNotExist) {
		return w.openFinal() // its process has just completed it
	}
	if err != nil {
		return nil, false, err
	}
	// Nothing is lost with an empty file. Its process was killed, or has just created it and will find that it is in use.
	if is, err := file.Stat(); err == nil && is.Size() == 0 {
		return w.begin(file, open)
	}
	if w.o.Replace {
		err = file.Truncate(0)
	} else {
		err = &fetch.Error{Kind: fetch.ErrLocal, Text: open + " exists: the run that wrote it was killed", Err: fs.ErrExist, Hint: hint.Resume}
	}
	if err != nil {
		file.Close()
		return nil, false, err
	}
	return file, false, nil
}

// checkForm returns an error unless the file is empty, or begins with a record in the form of this archive. Resuming would cut any other file.
func (w *Writer) checkForm(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return save.LocalError(err)
	}
	defer file.Close()
	r := NewReader(file)
	defer r.Close()
	first, err := r.Next()
	if err == io.EOF || err == nil && first.Version != versionARC && r.in.form() == w.pack.form {
		return nil
	}
	return fetch.Errorf(fetch.ErrLocal, "%s does not begin with a record in the form that its name states, and is not continued", name)
}

// begin returns an empty file that is locked, unless another process has written all of the archive since it was looked for.
func (w *Writer) begin(file *os.File, open string) (*os.File, bool, error) {
	if name := w.taken(w.final); name != "" && !w.o.Replace {
		os.Remove(open)
		file.Close()
		return nil, false, alreadyExists(name)
	}
	return file, false, nil
}

func alreadyExists(name string) error {
	return &fetch.Error{Kind: fetch.ErrLocal, Text: name + " already exists", Err: fs.ErrExist, Hint: hint.Replace}
}

// create makes a new file and locks it.
func create(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, lock.InUse(name)
	}
	if err != nil {
		return nil, err
	}
	if _, err := lock.File(file); err != nil {
		if !errors.Is(err, lock.ErrHeld) { // by who wants to continue it
			os.Remove(name)
		}
		file.Close()
		return nil, err
	}
	return file, nil
}

// lockExisting opens an existing file, unless another process is writing it.
func lockExisting(name string) (*os.File, error) { return lockAndRename(name, name) }

// lockAndRename is lockExisting, and renames the file while it holds the lock.
func lockAndRename(name, to string) (_ *os.File, err error) {
	is, err := os.Lstat(name)
	if err == nil && !is.Mode().IsRegular() {
		err = fetch.Errorf(fetch.ErrLocal, "%s is not a regular file", name)
	}
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	sure, err := lock.File(file)
	if err == nil && !sure {
		err = &fetch.Error{Kind: fetch.ErrLocal, Text: name +
			" exists, and a process may be writing it: the file system has no locks that would show this",
			Hint: "give it another name to keep it"}
	}
	if err != nil {
		return nil, err
	}
	is, err = file.Stat()
	now, nerr := os.Lstat(name)
	if err = cmp.Or(err, nerr); err != nil {
		return nil, err
	}
	switch {
	case !os.SameFile(is, now): // its writer has just finished and renamed it
		file.Close()
		return lockAndRename(name, to)
	case name == to:
		return file, nil
	case renamesOpen:
		return file, os.Rename(name, to)
	}
	file.Close()
	if err = os.Rename(name, to); err != nil {
		return nil, err
	}
	return lockExisting(to)
}

// renamesOpen reports whether an open file can be renamed. QUIRK: Windows refuses that for files that Go has opened, which are not shared
// for deletion (os.OpenFile, syscall.Open).
const renamesOpen = runtime.GOOS != "windows"

// publish gives a file its final name and closes it. It keeps the lock until then if the system allows that.
func publish(file *os.File, name, to string) error {
	if !renamesOpen {
		if err := file.Close(); err != nil {
			return err
		}
		return os.Rename(name, to)
	}
	return cmp.Or(os.Rename(name, to), lock.Close(file))
}

// checkName returns an error if the name of the open file is no longer that of this file.
func (w *Writer) checkName() error {
	if w.direct {
		return nil
	}
	is, err := w.file.Stat()
	now, nerr := os.Lstat(w.final + Unfinished)
	switch err = cmp.Or(err, nerr); {
	case err == nil && os.SameFile(is, now):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fetch.Errorf(fetch.ErrDisk, "the archive could not be written: %w", err)
	}
	return fetch.Errorf(fetch.ErrDisk, "the archive could not be written: %s was removed or replaced", w.final+Unfinished)
}
