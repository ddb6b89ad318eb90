package mail

import (
	"context"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/mailstore"
)

// A localMailbox is a mailbox of a store on this machine.
type localMailbox struct {
	kind string // maildir, mbox, mh
	path string
	name string // within the store: "INBOX" for the store itself, with "/" as separator
}

func (b localMailbox) messages() iter.Seq2[mailstore.Message, error] {
	return mailstore.Messages(b.kind + ":" + b.path)
}

// localMailboxes returns the mailboxes of a store that are to be searched, in order.
func (s source) localMailboxes() (list []localMailbox, err error) {
	if s.kind == "mbox" {
		return []localMailbox{{s.kind, s.path, inbox}}, nil
	}
	err = filepath.WalkDir(s.path, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == s.path:
			return err
		case err != nil || !d.IsDir():
			return nil // one unreadable directory does not hide the others
		case len(list) == maxMailboxes:
			return fs.SkipAll
		case s.kind == "mh":
			list = append(list, localMailbox{s.kind, path, mailboxName(s.path, path)})
		case isMaildir(filepath.Dir(path)) && slices.Contains([]string{"cur", "new", "tmp"}, d.Name()):
			return fs.SkipDir
		case isMaildir(path):
			list = append(list, localMailbox{s.kind, path, mailboxName(s.path, path)})
		}
		return nil
	})
	return orderMailboxes(list, s.mailboxes, func(b localMailbox) (string, bool) { return b.name, false }), err
}

func isMaildir(path string) bool {
	d, err := os.Stat(filepath.Join(path, "cur"))
	return err == nil && d.IsDir()
}

// inbox is the name of the first mailbox of a store (RFC 9051 section 5.1).
const inbox = "INBOX"

// mailboxName returns the name of a mailbox. Maildir++ writes "a/b" as ".a.b".
func mailboxName(root, path string) string {
	name, err := filepath.Rel(root, path)
	if name = filepath.ToSlash(name); err != nil || name == "." {
		return inbox
	}
	if plus, ok := strings.CutPrefix(name, "."); ok {
		return strings.ReplaceAll(plus, ".", "/")
	}
	return name
}

// orderMailboxes returns the mailboxes that the user wants, in their order, or else all, with those for junk and trash last.
func orderMailboxes[M any](list []M, wanted []string, about func(M) (name string, last bool)) (out []M) {
	for _, want := range wanted {
		for _, m := range list {
			if name, _ := about(m); name == want || strings.EqualFold(name, inbox) && strings.EqualFold(want, inbox) {
				out = append(out, m)
			}
		}
	}
	if len(wanted) > 0 {
		return out
	}
	var after []M
	for _, m := range list {
		if name, last := about(m); last || isTrash(name) {
			after = append(after, m)
		} else {
			out = append(out, m)
		}
	}
	return append(out, after...)
}

// isTrash guesses from its name that a mailbox is for junk or trash.
func isTrash(name string) bool {
	name = strings.ToLower(name[strings.LastIndexAny(name, "/.")+1:])
	return name == "junk" || name == "trash" || name == "spam"
}

// stored yields the messages of a store, each with its mailbox.
func (s source) stored(ctx context.Context) iter.Seq2[storedMessage, error] {
	return func(yield func(storedMessage, error) bool) {
		list, err := s.localMailboxes()
		for _, b := range list {
			for m, err := range b.messages() {
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					yield(storedMessage{}, storeError(s, err))
					return
				}
				if !yield(storedMessage{Message: m, mailbox: b}, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(storedMessage{}, storeError(s, err))
		}
	}
}

// A storedMessage is a message of a store. fields is its header once it was read.
type storedMessage struct {
	mailstore.Message
	mailbox localMailbox
	fields  []byte
}

func storeError(s source, err error) error {
	if err == nil || fetch.KindOf(err) != "" || err == context.Canceled || err == context.DeadlineExceeded {
		return err
	}
	return fetch.Errorf(fetch.ErrLocal, "%s: %w", s.name, err)
}
