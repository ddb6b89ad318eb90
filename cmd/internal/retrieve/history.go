package retrieve

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
)

// maxHistory is the maximum size of the history. When it would grow larger, its older half is removed.
const maxHistory = 256 << 10

// historyFile returns the name of the file that records the entries of listings for completion. deref never creates it: only the user can decide to
// keep a record of what they have read.
func historyFile(a *app.App) string {
	dir := app.UserDir(a.Getenv, "XDG_STATE_HOME", filepath.Join(".local", "state"))
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "deref", "visited")
}

// Visited returns the recorded entries that continue what is typed, up to the next slash.
func Visited(a *app.App, typed string) (list []string) {
	b, err := os.ReadFile(historyFile(a))
	if err != nil || !strings.Contains(typed, ":") {
		return nil
	}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		rest, ok := strings.CutPrefix(line, typed)
		if !ok {
			continue
		}
		if i := strings.IndexByte(strings.TrimLeft(rest, "/"), '/'); i >= 0 {
			i += len(rest) - len(strings.TrimLeft(rest, "/"))
			line = typed + rest[:i+1]
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// remember records the entries of d as they are read, if the user has created the file.
func remember(a *app.App, d *fetch.Document) {
	if d.Entries == nil {
		return
	}
	if _, err := os.Stat(historyFile(a)); err != nil {
		return
	}
	entries := d.Entries
	d.Entries = func(yield func(fetch.Entry, error) bool) {
		var b bytes.Buffer
		for e, err := range entries {
			if u := e.URI.Redacted(nil); err == nil && !e.URI.IsZero() && b.Len()+len(u) < maxHistory/4 && !strings.ContainsAny(u, "\r\n") {
				b.WriteString(u + "\n")
			}
			if !yield(e, err) {
				break
			}
		}
		appendBounded(historyFile(a), b.Bytes())
	}
}

// appendBounded appends to a list, and removes its older half if it becomes too long. It ignores failures, which only affect completion.
func appendBounded(name string, more []byte) {
	old, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
	if len(old)+len(more) <= maxHistory {
		if f, err := save.Open(name, os.O_WRONLY|os.O_APPEND, 0); err == nil {
			f.Write(more)
			f.Close()
		}
		return
	}
	old = old[len(old)/2:]
	old = old[bytes.IndexByte(old, '\n')+1:]
	_, _ = save.Rewrite(name, 0o600, func(w io.Writer) error {
		_, err := w.Write(append(old, more...))
		return err
	})
}
