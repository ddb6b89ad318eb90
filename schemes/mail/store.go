package mail

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/mailstore"
)

// folders returns the folders of a store that are to be searched: those that the user wants, in their order, or else all, with those for junk
// and trash last.
func (s source) folders() ([]mailstore.Folder, error) {
	var all, junk, wanted []mailstore.Folder
	for f, err := range mailstore.Folders(s.kind+":"+s.path, nil) {
		if err != nil {
			return nil, err
		}
		if f.Name = cmp.Or(f.Name, inbox); isTrash(f.Name) {
			junk = append(junk, f)
		} else {
			all = append(all, f)
		}
		if len(all)+len(junk) > maxMailboxes {
			return nil, errMailboxes()
		}
	}
	if all = append(all, junk...); len(s.mailboxes) == 0 {
		return all, nil
	}
	for _, want := range s.mailboxes {
		for _, f := range all {
			if f.Name == want || strings.EqualFold(f.Name, inbox) && strings.EqualFold(want, inbox) {
				wanted = append(wanted, f)
			}
		}
	}
	return wanted, nil
}

// inbox is the name of the first mailbox of a store (RFC 9051 section 5.1).
const inbox = "INBOX"

// isTrash guesses from its name that a mailbox is for junk or trash.
func isTrash(name string) bool {
	name = strings.ToLower(name[strings.LastIndexAny(name, "/.")+1:])
	return name == "junk" || name == "trash" || name == "spam"
}

// messages yields the messages of a store with their headers. One that cannot be read does not hide the others.
func (s source) messages(ctx context.Context) iter.Seq2[storedMessage, error] {
	return func(yield func(storedMessage, error) bool) {
		list, err := s.folders()
		for _, f := range list {
			for m, err := range f.Messages() {
				var fields []byte
				if err == nil {
					if fields, err = fieldsOf(m); errors.Is(err, fs.ErrNotExist) {
						continue // another program has moved it
					}
				}
				if !yield(storedMessage{m, fields}, storeError(s, cmp.Or(ctx.Err(), err))) || ctx.Err() != nil {
					return
				}
			}
		}
		if err != nil {
			yield(storedMessage{}, storeError(s, err))
		}
	}
}

// A storedMessage is a message of a store with its header.
type storedMessage struct {
	mailstore.Message
	fields []byte
}

func storeError(s source, err error) error {
	if err == nil || fetch.KindOf(err) != "" || err == context.Canceled || err == context.DeadlineExceeded {
		return err
	}
	return fetch.Errorf(fetch.ErrLocal, "%s: %w", s.name, err)
}

// holding yields the messages of a store with an id.
func (s source) holding(ctx context.Context, id string) iter.Seq2[storedMessage, error] {
	id = normalizeID(id)
	return func(yield func(storedMessage, error) bool) {
		for m, err := range s.messages(ctx) {
			if (err != nil || normalizeID(mimemail.ParseHeader(m.fields).MessageID()) == id) && !yield(m, err) {
				return
			}
		}
	}
}

// normalizeID replaces the white space of a folded id by single blanks, so that ids can be compared.
func normalizeID(id string) string { return strings.Join(strings.Fields(id), " ") }
