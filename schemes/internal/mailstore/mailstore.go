// Package mailstore reads messages that are on this machine already: mailboxes of the mbox family, maildirs, and folders with a file
// for each message (MH, a news spool's group). It writes mailboxes, too.
//
//	for m, err := range mailstore.Messages("mbox:/var/mail/ann") {
//		...
//		r, err := m.Open() // the octets as stored
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

// A Message is one of a store.
type Message struct {
	Name     string    // what the store calls it: a file's name, the offset in a mailbox
	Number   int64     // the file's number in folders of numbers, else the place in the store, from 1
	Size     int64     // octets as stored
	Modified time.Time // the file's; zero in a mailbox
	open     func() (io.ReadCloser, error)
	regular  bool
}

// Open returns the message as it is stored, without what the store has added to it.
func (m Message) Open() (io.ReadCloser, error) { return m.open() }

// errKind is what an unknown source is answered with.
var errKind = errors.New("a store is mbox:FILE, maildir:DIR or mh:DIR")

// Messages yields the messages of a store, in its order; an error ends them.
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

// errName says that a name names no message any more.
var errName = errors.New("the store has no such message")

// Find is the message that a store called name when its messages were yielded. It may be another one by now, or none.
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

// Maildir yields the messages of a maildir: those in cur, then those in new, by the names that begin with their time. Names lead nowhere else: links
// out of the maildir are not followed.
func Maildir(dir string) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			yield(Message{}, err)
			return
		}
		defer root.Close()
		n := int64(0)
		for _, sub := range []string{"cur", "new"} {
			list, err := fs.ReadDir(root.FS(), sub)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				yield(Message{}, err)
				return
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
					return
				}
			}
		}
	}
}

// MH yields the files of a folder whose names are numbers, in their order.
func MH(dir string) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			yield(Message{}, err)
			return
		}
		defer root.Close()
		list, err := fs.ReadDir(root.FS(), ".")
		if err != nil {
			yield(Message{}, err)
			return
		}
		for _, n := range numbers(list) {
			m, err := fileMessage(root, dir, strconv.FormatInt(n, 10), n)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// numbers are the names that are numbers from 1 on, written as they are usually.
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

// fileMessage is a message in a file of its own.
func fileMessage(root *os.Root, dir, name string, n int64) (Message, error) {
	fi, err := root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return Message{}, err
	}
	return Message{Name: name, Number: n, Size: fi.Size(), Modified: fi.ModTime(), regular: fi.Mode().IsRegular(), open: func() (io.ReadCloser, error) {
		return os.OpenInRoot(dir, filepath.FromSlash(name))
	}}, nil
}
