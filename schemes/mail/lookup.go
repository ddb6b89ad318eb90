package mail

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/mailstore"
)

// A found message of a store, verified by its own header.
type found struct {
	stored
	fields []byte
}

// holding yields the messages of a store that have an id. With a folder for the index, a store is read once, and then only what has
// changed of it.
func (s source) holding(ctx context.Context, id, cache string) iter.Seq2[found, error] {
	return func(yield func(found, error) bool) {
		x := openIndex(cache, s)
		defer x.save()
		list, err := s.shelves()
		if err == nil && len(s.folders) == 0 {
			x.keep(list)
		}
		for _, f := range list {
			for m, err := range x.lookup(ctx, f, plainID(id)) {
				if !yield(m, storeError(s, err)) || err != nil {
					return
				}
			}
		}
		if err != nil {
			yield(found{}, storeError(s, err))
		}
	}
}

// lookup yields the messages of a folder that have the id.
func (x *index) lookup(ctx context.Context, f shelf, id string) iter.Seq2[found, error] {
	return func(yield func(found, error) bool) {
		if x.file == "" {
			for m, err := range f.read(ctx, nil) {
				if (err != nil || m.id() == id) && !yield(m, err) {
					return
				}
			}
			return
		}
		hits, err := x.hits(ctx, f, id)
		if err != nil {
			yield(found{}, err)
			return
		}
		for _, m := range hits {
			if !yield(m, nil) {
				return
			}
		}
	}
}

// hits are the messages that the index names. Where one is not what it says, the folder is read anew.
func (x *index) hits(ctx context.Context, f shelf, id string) (list []found, err error) {
	for range 2 {
		if err := x.renew(ctx, f); err != nil {
			return nil, err
		}
		lies := false
		list = nil
		for _, n := range x.shelves[f.path].notes {
			if n.id != id {
				continue
			}
			if m, ok := f.find(n.name, id); ok {
				list = append(list, m)
			} else {
				lies = true
			}
		}
		if !lies {
			break
		}
		delete(x.shelves, f.path)
	}
	return list, nil
}

// find is the message of a name, if it has the id.
func (f shelf) find(name, id string) (found, bool) {
	m, err := mailstore.Find(f.kind+":"+f.path, name)
	if err != nil {
		return found{}, false
	}
	fields, err := fieldsOf(m)
	out := found{stored{m, f}, fields}
	return out, err == nil && out.id() == id
}

func (m found) id() string { return plainID(mimemail.ParseHeader(m.fields).MessageID()) }

// plainID is an id with each blank of a folded one as a single one: they need not be the same ones.
func plainID(id string) string { return strings.Join(strings.Fields(id), " ") }

// renew reads a folder unless it is as it was. Files that are as they were are not read again.
func (x *index) renew(ctx context.Context, f shelf) error {
	state := f.state(time.Now())
	old := x.shelves[f.path]
	if old != nil && old.state == state && state != "" {
		return nil
	}
	known := map[string]note{}
	if old != nil && f.kind != "mbox" {
		for _, n := range old.notes {
			known[fixedName(n.name)] = n
		}
	}
	now := &entries{state: state}
	for m, err := range f.read(ctx, known) {
		if err != nil {
			return err
		}
		id := m.id()
		if n, ok := known[fixedName(m.Name)]; ok && m.fields == nil {
			id = n.id
		}
		now.notes = append(now.notes, note{m.Name, m.Size, m.Modified.UnixNano(), id})
	}
	x.changed = x.changed || old == nil || old.state != state || !slices.Equal(old.notes, now.notes)
	x.shelves[f.path] = now
	return nil
}

// fixedName is what stays of a name when a maildir's message gets other flags or moves from new to cur.
func fixedName(name string) string {
	base, _, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ":")
	return base
}

// read yields the messages of a folder with their headers, which those that are known and unchanged come without. One that cannot be read
// hides no other.
func (f shelf) read(ctx context.Context, known map[string]note) iter.Seq2[found, error] {
	return func(yield func(found, error) bool) {
		for m, err := range f.messages() {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(found{}, err)
				return
			}
			out := found{stored: stored{m, f}}
			if n, ok := known[fixedName(m.Name)]; !ok || n.size != m.Size || n.mtime != m.Modified.UnixNano() {
				if out.fields, err = fieldsOf(m); err != nil {
					continue
				}
			}
			if !yield(out, nil) {
				return
			}
		}
	}
}

// settled is how long ago a change must be for the time of a folder to tell it from the next one.
const settled = 2 * time.Second

// state tells whether a folder has changed: the times of a maildir's two, whose files never change; of a mailbox, with its size. In a
// folder of MH files may, so that has none, and its files are looked at each by its own time.
func (f shelf) state(now time.Time) string {
	var names []string
	switch f.kind {
	case "maildir":
		names = []string{filepath.Join(f.path, "cur"), filepath.Join(f.path, "new")}
	case "mbox":
		names = []string{f.path}
	}
	words := []string{}
	for _, name := range names {
		fi, err := os.Stat(name)
		switch {
		case os.IsNotExist(err):
			words = append(words, "none")
		case err != nil || now.Sub(fi.ModTime()).Abs() < settled:
			return ""
		case f.kind == "mbox":
			words = append(words, strconv.FormatInt(fi.Size(), 10))
			fallthrough
		default:
			words = append(words, strconv.FormatInt(fi.ModTime().UnixNano(), 10))
		}
	}
	return strings.Join(words, " ")
}
