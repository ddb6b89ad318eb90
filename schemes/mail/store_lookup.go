package mail

import (
	"cmp"
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

// holding yields the messages of a store with an id, verified by their own headers. With a cache directory a store is read once, and then
// only what has changed.
func (s source) holding(ctx context.Context, id, cache string) iter.Seq2[storedMessage, error] {
	return func(yield func(storedMessage, error) bool) {
		x := openIndex(cache, s)
		defer x.save()
		s.messages(func(f mailstore.Folder) iter.Seq2[storedMessage, error] { return x.lookup(ctx, f, normalizeID(id)) })(yield)
	}
}

// lookup yields the messages of a mailbox with the id.
func (x *index) lookup(ctx context.Context, b mailstore.Folder, id string) iter.Seq2[storedMessage, error] {
	return func(yield func(storedMessage, error) bool) {
		if x.file == "" {
			for m, err := range headers(ctx, b, nil) {
				if (err != nil || m.id() == id) && !yield(m, err) {
					return
				}
			}
			return
		}
		hits, err := x.hits(ctx, b, id)
		if err != nil {
			yield(storedMessage{}, err)
			return
		}
		for _, m := range hits {
			if !yield(m, nil) {
				return
			}
		}
	}
}

// hits returns the messages that the index names. If one of them does not have the id, the mailbox is read again.
func (x *index) hits(ctx context.Context, b mailstore.Folder, id string) (list []storedMessage, err error) {
	for range 2 {
		if err := x.update(ctx, b); err != nil {
			return nil, err
		}
		stale := false
		list = nil
		for _, e := range x.mailboxes[b.Path].entries {
			if e.id != id {
				continue
			}
			m, err := b.Find(e.name)
			out := storedMessage{Message: m}
			if err == nil {
				out.fields, err = fieldsOf(m)
			}
			if err == nil && out.id() == id {
				list = append(list, out)
			} else {
				stale = true
			}
		}
		if !stale {
			break
		}
		delete(x.mailboxes, b.Path)
	}
	return list, nil
}

func (m storedMessage) id() string { return normalizeID(mimemail.ParseHeader(m.fields).MessageID()) }

// normalizeID replaces the white space of a folded id by single blanks, so that ids can be compared.
func normalizeID(id string) string { return strings.Join(strings.Fields(id), " ") }

// update reads a mailbox unless it is unchanged. It does not read unchanged files again.
func (x *index) update(ctx context.Context, b mailstore.Folder) error {
	state := stateOf(b, time.Now())
	old := x.mailboxes[b.Path]
	if old != nil && old.state == state && state != "" {
		return nil
	}
	known := map[string]indexEntry{}
	if old != nil && b.Kind != "mbox" {
		for _, e := range old.entries {
			known[fixedName(e.name)] = e
		}
	}
	now := &mailboxIndex{state: state}
	for m, err := range headers(ctx, b, known) {
		if err != nil {
			return err
		}
		id := m.id()
		if e, ok := known[fixedName(m.Name)]; ok && m.fields == nil {
			id = e.id
		}
		now.entries = append(now.entries, indexEntry{m.Name, m.Size, m.Modified.UnixNano(), id})
	}
	x.changed = x.changed || old == nil || old.state != state || !slices.Equal(old.entries, now.entries)
	x.mailboxes[b.Path] = now
	return nil
}

// fixedName returns the part of a name that a maildir keeps when a message gets other flags or moves from new to cur.
func fixedName(name string) string {
	base, _, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ":")
	return base
}

// headers yields the messages of a mailbox with their headers, but without the headers of those that are known and unchanged. A message that
// cannot be read does not hide the others.
func headers(ctx context.Context, b mailstore.Folder, known map[string]indexEntry) iter.Seq2[storedMessage, error] {
	return func(yield func(storedMessage, error) bool) {
		for m, err := range b.Messages() {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				yield(storedMessage{}, err)
				return
			}
			out := storedMessage{Message: m}
			if e, ok := known[fixedName(m.Name)]; !ok || e.size != m.Size || e.mtime != m.Modified.UnixNano() {
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

// settled is the age from which on the modification time distinguishes a change from the next one.
const settled = 2 * time.Second

// stateOf returns a text that changes with the mailbox, or "" if it must be read again: the times of the two directories of a maildir, whose
// files never change; time and size of an mbox file. The files of MH may change, so their own times are compared.
func stateOf(b mailstore.Folder, now time.Time) string {
	var names []string
	switch b.Kind {
	case "maildir":
		names = []string{filepath.Join(b.Path, "cur"), filepath.Join(b.Path, "new")}
	case "mbox":
		names = []string{b.Path}
	}
	words := []string{}
	for _, name := range names {
		fi, err := os.Stat(name)
		switch {
		case os.IsNotExist(err):
			words = append(words, "none")
		case err != nil || now.Sub(fi.ModTime()).Abs() < settled:
			return ""
		case b.Kind == "mbox":
			words = append(words, strconv.FormatInt(fi.Size(), 10))
			fallthrough
		default:
			words = append(words, strconv.FormatInt(fi.ModTime().UnixNano(), 10))
		}
	}
	return strings.Join(words, " ")
}
