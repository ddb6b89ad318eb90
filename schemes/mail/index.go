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

// An index remembers which Message-IDs the folders of a store hold, so that a later request need not read every header. It lies in a
// file of the cache folder, and is only ever a hint: what it names is looked at before it is taken for the message, and a folder that has
// changed since is read again.
type index struct {
	file    string // "" is nowhere
	shelves map[string]*entries
	changed bool
}

// entries are what is known of one folder.
type entries struct {
	state string // of the folder when it was read; "" must be read again
	notes []note
}

// A note is a message of a folder.
type note struct {
	name        string // mailstore.Message.Name
	size, mtime int64
	id          string // with each blank of a folded one as a single one
}

// Bounds of an index.
const (
	maxNotes = 1 << 20
	maxIndex = 64 << 20
)

const indexHead = "deref message-ids 1"

// openIndex reads the index of a store; one that cannot be read is void.
func openIndex(dir string, s source) *index {
	x := &index{shelves: map[string]*entries{}}
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
	if shelves, err := readIndex(io.LimitReader(f, maxIndex)); err == nil {
		x.shelves = shelves
	}
	return x
}

// readIndex reads lines of words between tabs: "F path state" begins a folder, "M name size mtime id" is a message of it.
func readIndex(r io.Reader) (map[string]*entries, error) {
	in := bufio.NewScanner(r)
	shelves, count := map[string]*entries{}, 0
	var now *entries
	for n := 0; in.Scan(); n++ {
		word := strings.Split(in.Text(), "\t")
		switch {
		case n == 0 && in.Text() == indexHead:
		case n > 0 && word[0] == "F" && len(word) == 3:
			path, err := strconv.Unquote(word[1])
			if err != nil {
				return nil, err
			}
			now = &entries{state: word[2]}
			shelves[path] = now
		case word[0] == "M" && len(word) == 5 && now != nil && count < maxNotes:
			m, err := readNote(word[1:])
			if err != nil {
				return nil, err
			}
			now.notes = append(now.notes, m)
			count++
		default:
			return nil, fmt.Errorf("line %d is none of an index", n+1)
		}
	}
	return shelves, in.Err()
}

func readNote(word []string) (m note, err error) {
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
	for path, f := range x.shelves {
		fmt.Fprintf(b, "F\t%q\t%s\n", path, f.state)
		for _, m := range f.notes {
			fmt.Fprintf(b, "M\t%q\t%d\t%d\t%q\n", m.name, m.size, m.mtime, m.id)
		}
	}
	return b.Flush()
}

// save puts the index into its place, whole or not at all. That it cannot be written is no harm.
func (x *index) save() {
	count := 0
	for _, f := range x.shelves {
		count += len(f.notes)
	}
	if x.file == "" || !x.changed || count > maxNotes || os.MkdirAll(filepath.Dir(x.file), 0o700) != nil {
		return
	}
	_, _ = save.Rewrite(x.file, 0o600, x.write)
}

// keep forgets folders that are there no more.
func (x *index) keep(list []shelf) {
	here := map[string]bool{}
	for _, f := range list {
		here[f.path] = true
	}
	for path := range x.shelves {
		if !here[path] {
			delete(x.shelves, path)
			x.changed = true
		}
	}
}
