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

// A shelf is a folder of a store on this machine.
type shelf struct {
	kind string // maildir, mbox, mh
	path string
	name string // within the store: "INBOX" for the store itself, with "/" between folders
}

func (f shelf) messages() iter.Seq2[mailstore.Message, error] {
	return mailstore.Messages(f.kind + ":" + f.path)
}

// shelves are the folders of a store that are to be searched, in their order.
func (s source) shelves() (list []shelf, err error) {
	if s.kind == "mbox" {
		return []shelf{{s.kind, s.path, inbox}}, nil
	}
	err = filepath.WalkDir(s.path, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == s.path:
			return err
		case err != nil || !d.IsDir():
			return nil // one that cannot be read hides no other
		case len(list) == maxFolders:
			return fs.SkipAll
		case s.kind == "mh":
			list = append(list, shelf{s.kind, path, shelfName(s.path, path)})
		case isMaildir(filepath.Dir(path)) && slices.Contains([]string{"cur", "new", "tmp"}, d.Name()):
			return fs.SkipDir
		case isMaildir(path):
			list = append(list, shelf{s.kind, path, shelfName(s.path, path)})
		}
		return nil
	})
	return pick(list, s.folders, func(f shelf) (string, bool) { return f.name, false }), err
}

func isMaildir(path string) bool {
	d, err := os.Stat(filepath.Join(path, "cur"))
	return err == nil && d.IsDir()
}

// inbox is what the first folder of a store is called (RFC 9051 section 5.1).
const inbox = "INBOX"

// shelfName is the folder's name: Maildir++ writes "a/b" as ".a.b".
func shelfName(root, path string) string {
	name, err := filepath.Rel(root, path)
	if name = filepath.ToSlash(name); err != nil || name == "." {
		return inbox
	}
	if plus, ok := strings.CutPrefix(name, "."); ok {
		return strings.ReplaceAll(plus, ".", "/")
	}
	return name
}

// pick puts folders into the order in which they are searched: those that the user names, or else all, the ones for junk and waste last.
func pick[F any](list []F, wanted []string, about func(F) (name string, last bool)) (out []F) {
	for _, want := range wanted {
		for _, f := range list {
			if name, _ := about(f); name == want || strings.EqualFold(name, inbox) && strings.EqualFold(want, inbox) {
				out = append(out, f)
			}
		}
	}
	if len(wanted) > 0 {
		return out
	}
	var after []F
	for _, f := range list {
		if name, last := about(f); last || isWaste(name) {
			after = append(after, f)
		} else {
			out = append(out, f)
		}
	}
	return append(out, after...)
}

// isWaste tells by its name what a folder is for, where nothing else does.
func isWaste(name string) bool {
	name = strings.ToLower(name[strings.LastIndexAny(name, "/.")+1:])
	return name == "junk" || name == "trash" || name == "spam"
}

// stored yields the messages of a store that are to be searched, each with its folder.
func (s source) stored(ctx context.Context) iter.Seq2[stored, error] {
	return func(yield func(stored, error) bool) {
		list, err := s.shelves()
		for _, f := range list {
			for m, err := range f.messages() {
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					yield(stored{}, storeError(s, err))
					return
				}
				if !yield(stored{m, f}, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(stored{}, storeError(s, err))
		}
	}
}

// stored is a message of a store.
type stored struct {
	mailstore.Message
	shelf shelf
}

func storeError(s source, err error) error {
	if err == nil || fetch.KindOf(err) != "" || err == context.Canceled || err == context.DeadlineExceeded {
		return err
	}
	return fetch.Errorf(fetch.ErrLocal, "%s: %w", s.name, err)
}
