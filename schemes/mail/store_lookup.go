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

// holding yields the messages of a store with an id, verified by their own headers. With a cache directory a store is read once, and then
// only what has changed.
func (s source) holding(ctx context.Context, id, cache string) iter.Seq2[storedMessage, error] {
	return func(yield func(storedMessage, error) bool) {
		x := openIndex(cache, s)
		defer x.save()
		list, err := s.localMailboxes()
		if err == nil && len(s.mailboxes) == 0 {
			x.prune(list)
		}
		for _, b := range list {
			for m, err := range x.lookup(ctx, b, normalizeID(id)) {
				if !yield(m, storeError(s, err)) || err != nil {
					return
				}
			}
		}
		if err != nil {
			yield(storedMessage{}, storeError(s, err))
		}
	}
}

// lookup yields the messages of a mailbox with the id.
func (x *index) lookup(ctx context.Context, b localMailbox, id string) iter.Seq2[storedMessage, error] {
	return func(yield func(storedMessage, error) bool) {
		if x.file == "" {
			for m, err := range b.read(ctx, nil) {
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
func (x *index) hits(ctx context.Context, b localMailbox, id string) (list []storedMessage, err error) {
	for range 2 {
		if err := x.update(ctx, b); err != nil {
			return nil, err
		}
		stale := false
		list = nil
		for _, e := range x.mailboxes[b.path].entries {
			if e.id != id {
				continue
			}
			if m, ok := b.find(e.name, id); ok {
				list = append(list, m)
			} else {
				stale = true
			}
		}
		if !stale {
			break
		}
		delete(x.mailboxes, b.path)
	}
	return list, nil
}

// find returns the message with a name if it has the id.
func (b localMailbox) find(name, id string) (storedMessage, bool) {
	m, err := mailstore.Find(b.kind+":"+b.path, name)
	if err != nil {
		return storedMessage{}, false
	}
	fields, err := fieldsOf(m)
	out := storedMessage{m, b, fields}
	return out, err == nil && out.id() == id
}

func (m storedMessage) id() string { return normalizeID(mimemail.ParseHeader(m.fields).MessageID()) }

// normalizeID replaces the white space of a folded id by single blanks, so that ids can be compared.
func normalizeID(id string) string { return strings.Join(strings.Fields(id), " ") }

// update reads a mailbox unless it is unchanged. It does not read unchanged files again.
func (x *index) update(ctx context.Context, b localMailbox) error {
	state := b.state(time.Now())
	old := x.mailboxes[b.path]
	if old != nil && old.state == state && state != "" {
		return nil
	}
	known := map[string]indexEntry{}
	if old != nil && b.kind != "mbox" {
		for _, e := range old.entries {
			known[fixedName(e.name)] = e
		}
	}
	now := &mailboxIndex{state: state}
	for m, err := range b.read(ctx, known) {
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
	x.mailboxes[b.path] = now
	return nil
}

// fixedName returns the part of a name that a maildir keeps when a message gets other flags or moves from new to cur.
func fixedName(name string) string {
	base, _, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ":")
	return base
}

// read yields the messages of a mailbox with their headers, but without the headers of those that are known and unchanged. A message that
// cannot be read does not hide the others.
func (b localMailbox) read(ctx context.Context, known map[string]indexEntry) iter.Seq2[storedMessage, error] {
	return func(yield func(storedMessage, error) bool) {
		for m, err := range b.messages() {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(storedMessage{}, err)
				return
			}
			out := storedMessage{Message: m, mailbox: b}
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

// state returns a text that changes with the mailbox, or "" if it must be read again: the times of the two directories of a maildir, whose
// files never change; time and size of an mbox file. The files of MH may change, so their own times are compared.
func (b localMailbox) state(now time.Time) string {
	var names []string
	switch b.kind {
	case "maildir":
		names = []string{filepath.Join(b.path, "cur"), filepath.Join(b.path, "new")}
	case "mbox":
		names = []string{b.path}
	}
	words := []string{}
	for _, name := range names {
		fi, err := os.Stat(name)
		switch {
		case os.IsNotExist(err):
			words = append(words, "none")
		case err != nil || now.Sub(fi.ModTime()).Abs() < settled:
			return ""
		case b.kind == "mbox":
			words = append(words, strconv.FormatInt(fi.Size(), 10))
			fallthrough
		default:
			words = append(words, strconv.FormatInt(fi.ModTime().UnixNano(), 10))
		}
	}
	return strings.Join(words, " ")
}
