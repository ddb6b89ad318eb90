package save

import (
	"io"
	"strings"
)

// fewNames is how many a folder may hold for them to be remembered: the list is read in one call of the system or two.
const fewNames = 256

// namesOf returns the names that a folder has, in lower case, since the file system may know no difference; nil where they are too many
// or cannot be read.
func (f *Folder) namesOf() map[string]bool {
	list, err := f.dir.Readdirnames(fewNames + 1)
	if len(list) > fewNames || err != nil && err != io.EOF {
		return nil
	}
	names := make(map[string]bool, len(list))
	for _, name := range list {
		names[strings.ToLower(name)] = true
	}
	return names
}

// lacks reports whether nothing had the name when the folder was first asked, and it holds nothing of ours since but whole files: then
// the name needs not be looked up, since the call that gives a file its name refuses one that is taken. Twenty thousand documents are
// spared two look-ups each.
func (f *Folder) lacks(name string) bool {
	f.first.Do(func() { f.before = f.namesOf() })
	return f.before != nil && !f.parts.Load() && !f.before[strings.ToLower(name)]
}
