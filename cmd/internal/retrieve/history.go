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
	"example.org/deref/cmd/internal/config"
	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
)

// maxHistory is how long the list of visited entries may grow; then its older half is forgotten.
const maxHistory = 256 << 10

// historyFile is where the entries of listings are remembered for completion. Nothing is unless the user has made the file: a list of
// what one has read is nobody else's business.
func historyFile(a *app.App) string {
	dir := config.UserDir(a.Getenv, "XDG_STATE_HOME", filepath.Join(".local", "state"))
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "deref", "visited")
}

// Visited are the entries that continue what is typed, one step further each: a folder's name ends with its slash.
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

// remember notes the entries of d as they pass, where the user wants that.
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

// appendBounded adds to a list and forgets its older half where it becomes too long. What goes wrong is not worth a message.
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
