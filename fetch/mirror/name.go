package mirror

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// claim returns the record of u, with the path of its local copy: the one that it has, or a new one. The record is in the manifest
// before anything of that name is in the folder, so that a file there which no record names is somebody else's.
func (m *mirror) claim(u uri.URI) (Record, error) {
	m.naming.Lock()
	defer m.naming.Unlock()
	r, ok, err := m.manifest.byURI(key(u))
	if err != nil || ok && r.Path != "" {
		return r, err
	}
	p := m.placeOf(u)
	if p.name == "" {
		return r, fetch.Errorf(fetch.ErrLocal, "the URI gives no name of a file")
	}
	folder, err := m.folderOf(p.folders)
	if err != nil {
		return r, err
	}
	at, err := m.choose(folder, m.system.plain(p.name), key(u), false)
	if err != nil {
		return r, err
	}
	r = Record{URI: key(u), Path: at}
	return r, m.manifest.add(r)
}

// isOfUse reports whether a record says more than that a name was chosen for what never came.
func (m *mirror) isOfUse(r *Record) bool {
	if r.Kind != "" {
		return true
	}
	_, err := m.docs.Lstat(r.Path)
	return err == nil || m.hasPart(r.Path)
}

// folderPrefix is what the names of folders begin with, unlike those of documents.
const folderPrefix = "folder:"

// folderOf returns the path of the local folder for those of a server, each with a record of its own.
func (m *mirror) folderOf(folders []string) (string, error) {
	at := ""
	for i, name := range folders {
		k := m.folderKey(folders[:i+1])
		r, ok, err := m.manifest.byURI(k)
		if err == nil && !ok {
			r = Record{URI: k, Kind: Folder}
			if r.Path, err = m.choose(at, m.system.plain(name), k, true); err == nil {
				err = m.manifest.add(r)
			}
		}
		if err != nil {
			return "", err
		}
		at = r.Path
	}
	return at, nil
}

// folderKey is the name of a folder in the manifest: mostly what is common to the URIs of all that is in it.
func (m *mirror) folderKey(folders []string) string {
	var b strings.Builder
	b.WriteString(folderPrefix + m.server)
	for _, f := range append(slices.Clone(m.top), folders...) {
		b.WriteString("/" + string(uri.Segment.Escape(uri.RFC3986, f)))
	}
	return b.String() + "/"
}

// choose finds a path that nobody has. owner tells two that want the same apart, the same in every Run.
func (m *mirror) choose(folder, name, owner string, isFolder bool) (string, error) {
	if len(folder)+len(name) > maxLocalPath {
		folder, name = "", "deep"+mark(owner, 10)+suffixOf(name)
	}
	for digits := 0; digits <= 26; digits += 5 {
		n := name
		if digits > 0 {
			n = marked(name, mark(owner, digits))
		}
		at := path.Join(folder, n)
		free, err := m.isFree(at, isFolder)
		if free || err != nil {
			return at, err
		}
	}
	return "", fetch.Errorf(fetch.ErrLocal, "there is no free name like %s", path.Join(folder, name))
}

// isFree reports whether a new record may have the path. A folder that is there already will do for a folder; our own index gives
// way to a document.
func (m *mirror) isFree(at string, isFolder bool) (bool, error) {
	if _, taken, err := m.manifest.byPath(at); taken || err != nil {
		return false, err
	}
	fi, err := m.docs.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case err != nil:
		return false, fetch.Errorf(fetch.ErrLocal, "%w", err)
	case fi.IsDir():
		return isFolder, nil
	}
	return !isFolder && path.Base(at) == indexFile && m.ownIndex(path.Dir(at)), nil
}

// mark makes digits of a name that tell it from others.
func mark(owner string, digits int) string {
	sum := sha256.Sum256([]byte(owner))
	return "~" + strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:]))[:digits]
}

// marked puts a mark before the suffix.
func marked(name, mark string) string {
	suffix := suffixOf(name)
	stem := strings.TrimSuffix(name, suffix)
	if most := 220 - len(suffix); len(stem) > most {
		stem = strings.ToValidUTF8(stem[:most], "")
	}
	return stem + mark + suffix
}

func suffixOf(name string) string {
	if s := path.Ext(name); len(s) <= 16 && len(s) < len(name) {
		return s
	}
	return ""
}
