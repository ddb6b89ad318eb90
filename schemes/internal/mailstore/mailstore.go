// Package mailstore reads messages stored on this machine: mailboxes of the mbox family, maildirs, and directories with a file for each
// message (MH, a group of a news spool). It also writes mailboxes.
//
//	for m, err := range mailstore.Messages("mbox:/var/mail/ann") {
//		...
//		r, err := m.Open() // the bytes as stored
//	}
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

// A Message is a message of a store.
type Message struct {
	Name     string    // name within the store: a file name, or the offset in a mailbox
	Number   int64     // the file name in directories of numbers, else the position in the store, from 1
	Size     int64     // bytes as stored
	Modified time.Time // time of the file; zero in a mailbox
	open     func() (io.ReadCloser, error)
	regular  bool
}

// Open returns the message without what the store has added to it.
func (m Message) Open() (io.ReadCloser, error) { return m.open() }

// errKind is the error for an unknown kind of store.
var errKind = errors.New("a store is mbox:FILE, maildir:DIR or mh:DIR")

// Messages yields the messages of a store, in its order. An error ends the sequence.
func Messages(source string) iter.Seq2[Message, error] {
	kind, name, _ := strings.Cut(source, ":")
	switch kind {
	case "mbox":
		return Mbox(name)
	case "maildir":
		return Maildir(name)
	case "mh":
		return MH(name)
	}
	return func(yield func(Message, error) bool) { yield(Message{}, errKind) }
}

// errName means that no message has the name any more.
var errName = errors.New("no such message in the store")

// Find returns the message that had the name when Messages yielded it. It may be another message by now.
func Find(source, name string) (Message, error) {
	kind, dir, _ := strings.Cut(source, ":")
	switch {
	case kind == "mbox":
		return inMbox(dir, name)
	case kind != "maildir" && kind != "mh":
		return Message{}, errKind
	case !filepath.IsLocal(filepath.FromSlash(name)):
		return Message{}, errName
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Message{}, err
	}
	defer root.Close()
	m, err := fileMessage(root, dir, name, 0)
	if err == nil && !m.regular {
		err = errName
	}
	return m, err
}

// Maildir yields the messages of a maildir: those in cur, then those in new, by names, which begin with a time. It does not follow links
// out of the maildir.
func Maildir(dir string) iter.Seq2[Message, error] {
	return inRoot(dir, func(root *os.Root, yield func(Message, error) bool) error {
		n := int64(0)
		for _, sub := range []string{"cur", "new"} {
			list, err := fs.ReadDir(root.FS(), sub)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			for _, d := range list {
				if !d.Type().IsRegular() || strings.HasPrefix(d.Name(), ".") {
					continue
				}
				n++
				m, err := fileMessage(root, dir, path.Join(sub, d.Name()), n)
				if errors.Is(err, fs.ErrNotExist) {
					continue // another program has moved it
				}
				if !yield(m, err) || err != nil {
					return nil
				}
			}
		}
		return nil
	})
}

// MH yields the files of a directory whose names are numbers, in order.
func MH(dir string) iter.Seq2[Message, error] {
	return inRoot(dir, func(root *os.Root, yield func(Message, error) bool) error {
		list, err := fs.ReadDir(root.FS(), ".")
		if err != nil {
			return err
		}
		for _, n := range numbers(list) {
			m, err := fileMessage(root, dir, strconv.FormatInt(n, 10), n)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if !yield(m, err) || err != nil {
				return nil
			}
		}
		return nil
	})
}

// inRoot opens dir and yields what list yields, and then its error.
func inRoot(dir string, list func(root *os.Root, yield func(Message, error) bool) error) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		root, err := os.OpenRoot(dir)
		if err == nil {
			defer root.Close()
			err = list(root, yield)
		}
		if err != nil {
			yield(Message{}, err)
		}
	}
}

// numbers returns the names that are decimal numbers from 1 on.
func numbers(list []fs.DirEntry) (out []int64) {
	for _, d := range list {
		n, err := strconv.ParseInt(d.Name(), 10, 64)
		if err == nil && n > 0 && strconv.FormatInt(n, 10) == d.Name() && d.Type().IsRegular() {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// A fileMessage is a message in a file of its own.
func fileMessage(root *os.Root, dir, name string, n int64) (Message, error) {
	fi, err := root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return Message{}, err
	}
	return Message{Name: name, Number: n, Size: fi.Size(), Modified: fi.ModTime(), regular: fi.Mode().IsRegular(),
		open: func() (io.ReadCloser, error) {
			return os.OpenInRoot(dir, filepath.FromSlash(name))
		}}, nil
}
