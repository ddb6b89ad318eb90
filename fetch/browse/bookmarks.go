package browse

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// ReadBookmarks reads a file in the format text/uri-list (RFC 2483 section 5): one URI on each line. The comment before a URI is its title.
func ReadBookmarks(r io.Reader) (list []fetch.Entry, err error) {
	lines := bufio.NewScanner(r)
	title := ""
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if comment, ok := strings.CutPrefix(line, "#"); ok || line == "" {
			title = strings.TrimSpace(comment)
			continue
		}
		u, err := uri.Parse(line)
		if err != nil || !u.IsAbs() {
			return list, fetch.Errorf(fetch.ErrLocal, "line %d: not an absolute URI", n)
		}
		list = append(list, fetch.Entry{URI: u.ASCII(), Title: title, Kind: fetch.KindFile, Size: -1})
		title = ""
	}
	return list, fetch.LineError(lines.Err(), bufio.MaxScanTokenSize)
}

// bookmarks returns the bookmarks of the file, which need not exist.
func (b *Browser) bookmarks() ([]fetch.Entry, error) {
	if b.config.Bookmarks == "" {
		return nil, fetch.Errorf(fetch.ErrLocal, "there is no directory for bookmarks")
	}
	f, err := os.Open(b.config.Bookmarks)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	defer f.Close()
	list, err := ReadBookmarks(f)
	if err != nil {
		err = fetch.Errorf(fetch.ErrLocal, "%s: %w", b.config.Bookmarks, err)
	}
	return list, err
}

// write replaces the bookmarks.
func (b *Browser) write(list []fetch.Entry) error {
	_, err := save.Rewrite(b.config.Bookmarks, 0o600, func(w io.Writer) error {
		for _, e := range list {
			if e.Title != "" {
				fmt.Fprintf(w, "# %s\r\n", strings.Join(strings.Fields(e.Title), " "))
			}
			if _, err := fmt.Fprintf(w, "%s\r\n", e.URI); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// addBookmark adds a bookmark for the page. Passwords are not written.
func (b *Browser) addBookmark() {
	v := b.visit()
	if v.target.uri.IsZero() {
		b.say("This page has no address.")
		return
	}
	u := v.target.uri.WithoutPassword()
	list, err := b.bookmarks()
	if err != nil {
		b.fail(err)
		return
	}
	if slices.ContainsFunc(list, func(e fetch.Entry) bool { return e.URI.String() == u.String() }) {
		b.say("This page has a bookmark already.")
		return
	}
	b.ask("Title: ", v.page.title(), func(text string) {
		if err := b.write(append(list, fetch.Entry{URI: u, Title: text})); err != nil {
			b.fail(err)
			return
		}
		b.say("Added to the bookmarks.")
	})
}

// title returns a title for a page: its first line of text.
func (p *page) title() string {
	for _, r := range p.layout.rows {
		if text := strings.Trim(r.text, " #=-*"); text != "" && !strings.HasPrefix(text, "[") {
			return text
		}
	}
	return ""
}

// deleteBookmark deletes the selected bookmark.
func (b *Browser) deleteBookmark() {
	v := b.visit()
	e, ok := b.selected()
	list, err := b.bookmarks()
	if v.target.own != startName || !ok || v.link > len(list) {
		b.say("d deletes a bookmark on their page, which B shows.")
		return
	}
	if err == nil {
		list = slices.DeleteFunc(list, func(x fetch.Entry) bool { return x.URI.String() == e.URI.String() })
		err = b.write(list)
	}
	if err != nil {
		b.fail(err)
		return
	}
	b.visits, b.at = b.visits[:b.at], b.at-1
	b.showStart()
	b.say("Deleted.")
}
