package mail

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"example.org/deref/fetch/save"
)

// An index maps the Message-IDs of a store to its files, so that a later request need not read every header. It is a file of the cache
// directory, and only a hint: the message that it names is verified, and a mailbox that has changed is read again.
type index struct {
	file      string // "" if it is not saved
	mailboxes map[string]*mailboxIndex
	changed   bool
}

// A mailboxIndex is the part of the index for one mailbox.
type mailboxIndex struct {
	state   string // of the mailbox when it was read; "" means that it must be read again
	entries []indexEntry
}

// An indexEntry is a message of a mailbox.
type indexEntry struct {
	name        string // mailstore.Message.Name
	size, mtime int64
	id          string // see normalizeID
}

// Bounds of an index.
const (
	maxEntries = 1 << 20
	maxIndex   = 64 << 20
)

const indexHead = "deref message-ids 1"

// openIndex reads the index of a store. It returns an empty one if it cannot be read.
func openIndex(dir string, s source) *index {
	x := &index{mailboxes: map[string]*mailboxIndex{}}
	path, err := filepath.Abs(s.path)
	if dir == "" || err != nil {
		return x
	}
	sum := sha256.Sum256([]byte(s.kind + ":" + path))
	x.file = filepath.Join(dir, hex.EncodeToString(sum[:16]))
	f, err := os.Open(x.file)
	if err != nil {
		return x
	}
	defer f.Close()
	if mailboxes, err := readIndex(io.LimitReader(f, maxIndex)); err == nil {
		x.mailboxes = mailboxes
	}
	return x
}

// readIndex parses lines of tab-separated words: "F path state" begins a mailbox, "M name size mtime id" is one of its messages.
func readIndex(r io.Reader) (map[string]*mailboxIndex, error) {
	in := bufio.NewScanner(r)
	mailboxes, count := map[string]*mailboxIndex{}, 0
	var now *mailboxIndex
	for n := 0; in.Scan(); n++ {
		word := strings.Split(in.Text(), "\t")
		switch {
		case n == 0 && in.Text() == indexHead:
		case n > 0 && word[0] == "F" && len(word) == 3:
			path, err := strconv.Unquote(word[1])
			if err != nil {
				return nil, err
			}
			now = &mailboxIndex{state: word[2]}
			mailboxes[path] = now
		case word[0] == "M" && len(word) == 5 && now != nil && count < maxEntries:
			m, err := parseEntry(word[1:])
			if err != nil {
				return nil, err
			}
			now.entries = append(now.entries, m)
			count++
		default:
			return nil, fmt.Errorf("index line %d: unknown form", n+1)
		}
	}
	return mailboxes, in.Err()
}

func parseEntry(word []string) (m indexEntry, err error) {
	for i, to := range []*string{0: &m.name, 3: &m.id} {
		if to == nil {
			continue
		}
		if *to, err = strconv.Unquote(word[i]); err != nil {
			return m, err
		}
	}
	if m.size, err = strconv.ParseInt(word[1], 10, 64); err != nil {
		return m, err
	}
	m.mtime, err = strconv.ParseInt(word[2], 10, 64)
	return m, err
}

func (x *index) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, indexHead)
	for path, f := range x.mailboxes {
		fmt.Fprintf(b, "F\t%q\t%s\n", path, f.state)
		for _, m := range f.entries {
			fmt.Fprintf(b, "M\t%q\t%d\t%d\t%q\n", m.name, m.size, m.mtime, m.id)
		}
	}
	return b.Flush()
}

// save replaces the file of the index atomically, without the mailboxes that no longer exist. It ignores errors, because the index is only a
// hint.
func (x *index) save() {
	if x.file == "" || !x.changed {
		return
	}
	count := 0
	for path, f := range x.mailboxes {
		if _, err := os.Stat(path); os.IsNotExist(err) {
			delete(x.mailboxes, path)
			continue
		}
		count += len(f.entries)
	}
	if count <= maxEntries && os.MkdirAll(filepath.Dir(x.file), 0o700) == nil {
		_, _ = save.Rewrite(x.file, 0o600, x.write)
	}
}
