// Package mailstore reads messages stored on this machine: mailboxes of the mbox family, maildirs, and directories with a file for each
// message (MH, a group of a news spool). It also writes mailboxes.
//
//	for f, err := range mailstore.Folders("maildir:/home/ann/Mail", nil) {
//		for m, err := range f.Messages() {
//			r, err := m.Open() // the bytes as stored
package mailstore

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Folder is a mailbox in a store: a file, or a directory of messages.
type Folder struct {
	Kind string // mbox, maildir, mh, or spool for a group
	Path string
	Name string // within the store, with "/" as separator, or the name of a group; "" for the store itself
}

// A Message is a message of a folder.
type Message struct {
	Folder   Folder
	Name     string    // name within the folder: a file name, or the offset in a mailbox
	Number   int64     // the file name in directories of numbers, else 0
	Size     int64     // bytes as stored
	Modified time.Time // time of the file; zero in a mailbox
	// Open returns the message without what the store has added to it.
	Open func() (io.ReadCloser, error)
}

// Folders yields the folders of a store: mbox:FILE, maildir:DIR, mh:DIR, or spool:DIR with a directory for each group. It does not follow
// links out of the store. If enters is not nil, it looks only into directories for which enters returns true.
func Folders(source string, enters func(Folder) bool) iter.Seq2[Folder, error] {
	kind, dir, _ := strings.Cut(source, ":")
	return func(yield func(Folder, error) bool) {
		if kind == "mbox" {
			yield(Folder{Kind: kind, Path: dir}, nil)
			return
		}
		root, err := os.OpenRoot(dir)
		if err == nil {
			defer root.Close()
			err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
				f := Folder{Kind: kind, Path: filepath.Join(dir, filepath.FromSlash(name)), Name: name}
				switch {
				case name == ".":
					f.Name = ""
				case kind == "maildir" && name[0] == '.': // Maildir++
					f.Name = strings.ReplaceAll(name[1:], ".", "/")
				case kind == "spool":
					f.Name = strings.ReplaceAll(name, "/", ".")
				}
				switch {
				case err != nil && f.Name == "":
					return err
				case err != nil || !d.IsDir() || kind == "spool" && f.Name == "":
					return nil // one unreadable directory does not hide the others
				case kind == "maildir" && slices.Contains([]string{"cur", "new", "tmp"}, d.Name()) && isMaildir(root, path.Dir(name)),
					f.Name != "" && enters != nil && !enters(f):
					return fs.SkipDir
				case (kind != "maildir" || isMaildir(root, name)) && !yield(f, nil):
					return fs.SkipAll
				}
				return nil
			})
		}
		if err != nil {
			yield(Folder{}, err)
		}
	}
}

func isMaildir(root *os.Root, name string) bool {
	d, err := root.Stat(filepath.FromSlash(path.Join(name, "cur")))
	return err == nil && d.IsDir()
}

// Messages yields the messages of a folder, in its order: those in cur of a maildir and then those in new by names, which begin with a time,
// and files whose names are numbers. It does not follow links. An error ends the sequence.
func (f Folder) Messages() iter.Seq2[Message, error] {
	if f.Kind == "mbox" {
		return f.sections
	}
	return func(yield func(Message, error) bool) {
		root, err := os.OpenRoot(f.Path)
		var names []string
		if err == nil {
			defer root.Close()
			names, err = f.names(root)
		}
		for _, name := range names {
			m, err := f.file(root, name)
			if errors.Is(err, fs.ErrNotExist) {
				continue // not a file, or another program has moved it
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
		if err != nil {
			yield(Message{}, err)
		}
	}
}

// names returns the names that messages have in a directory.
func (f Folder) names(root *os.Root) (names []string, err error) {
	if f.Kind != "maildir" {
		list, err := fs.ReadDir(root.FS(), ".")
		for _, d := range list {
			if numberOf(d.Name()) > 0 {
				names = append(names, d.Name())
			}
		}
		slices.SortStableFunc(names, func(a, b string) int { return len(a) - len(b) })
		return names, err
	}
	for _, sub := range []string{"cur", "new"} {
		list, err := fs.ReadDir(root.FS(), sub)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, d := range list {
			if !strings.HasPrefix(d.Name(), ".") {
				names = append(names, path.Join(sub, d.Name()))
			}
		}
	}
	return names, nil
}

// numberOf parses the name of a message in a directory of numbers. It returns 0 if it is not a decimal number from 1 on.
func numberOf(name string) int64 {
	n, err := strconv.ParseInt(name, 10, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != name {
		return 0
	}
	return n
}

// file returns the message in a file of its own.
func (f Folder) file(root *os.Root, name string) (Message, error) {
	local := filepath.FromSlash(name)
	fi, err := root.Lstat(local)
	if err == nil && !fi.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return Message{}, err
	}
	return Message{Folder: f, Name: name, Number: numberOf(name), Size: fi.Size(), Modified: fi.ModTime(),
		Open: func() (io.ReadCloser, error) { return os.OpenInRoot(f.Path, local) }}, nil
}
