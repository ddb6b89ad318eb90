package dicttest

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
)

// root is the database of the files at the top.
const root = "root"

// A site is the directory of databases.
type site struct{ fsys fs.FS }

// An entry is a file as a word of a database.
type entry struct{ database, word, file string }

// databases returns the top-level directories, and root.
func (s site) databases() []string {
	list := []string{root}
	members, err := fs.ReadDir(s.fsys, ".")
	if err != nil {
		return list
	}
	for _, m := range members {
		if m.IsDir() {
			list = append(list, m.Name())
		}
	}
	return list
}

func (s site) has(database string) bool { return slices.Contains(s.databases(), database) }

// words returns the files of a database.
func (s site) words(database string) (list []entry) {
	dir := database
	if database == root {
		dir = "."
	}
	members, err := fs.ReadDir(s.fsys, dir)
	if err != nil {
		return nil
	}
	for _, m := range members {
		if !m.IsDir() {
			word := strings.TrimSuffix(m.Name(), path.Ext(m.Name()))
			list = append(list, entry{database, word, path.Join(dir, m.Name())})
		}
	}
	return list
}

// find looks a word up: in one database, in all ("*"), or in the first that has it ("!"). ok is false if there is no such database.
func (s site) find(database, strategy, word string) (found []entry, ok bool) {
	list := []string{database}
	if database == "*" || database == "!" {
		list = s.databases()
	} else if !s.has(database) {
		return nil, false
	}
	for _, name := range list {
		for _, e := range s.words(name) {
			if matches(strategy, loopback.Lower(e.word), loopback.Lower(word)) {
				found = append(found, e)
			}
		}
		if database == "!" && len(found) > 0 {
			break
		}
	}
	return found, true
}

func matches(strategy, word, sought string) bool {
	switch strategy {
	case "exact":
		return word == sought
	case "substring":
		return strings.Contains(word, sought)
	}
	return strings.HasPrefix(word, sought)
}

func (s site) read(e entry) string {
	b, err := loopback.ReadFile(s.fsys, e.file)
	if err != nil {
		return "(it cannot be read)\n"
	}
	return string(b)
}
