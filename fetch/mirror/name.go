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
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// claim returns the record of u, a document of the media type kind, with the path of its local copy: the recorded one, or a new one. The record is in the manifest before any
// file of that name exists, so an existing file without a record is not the mirror's.
func (m *mirror) claim(u uri.URI, kind string) (Record, error) {
	m.naming.Lock()
	defer m.naming.Unlock()
	r, ok, err := m.manifest.byURI(key(u))
	if err != nil || ok && r.Path != "" {
		return r, err
	}
	p := m.placeOf(u)
	if p.name == "" {
		return r, fetch.Errorf(fetch.ErrLocal, "the URI contains no file name")
	}
	dir, err := m.dirFor(p.dirs)
	if err != nil {
		return r, err
	}
	at, err := m.choosePath(dir, m.extended(m.plain(u, p.name), kind), key(u), false)
	if err != nil {
		return r, err
	}
	r = Record{URI: key(u), Path: at}
	return r, m.manifest.add(r)
}

// plain returns the local name of a name on u's server, as text if its charset is known.
func (m *mirror) plain(u uri.URI, name string) string {
	return m.system.plain(charset.FileName(name, m.client.NameCharset(u, m.requestOf(u))))
}

// isUseful reports whether a record contains more than a name chosen for a document that was never saved.
func (m *mirror) isUseful(r *Record) bool {
	if r.Kind != "" {
		return true
	}
	_, err := m.docs.Lstat(r.Path)
	return err == nil || isRegular(m.docs.Lstat(r.Path+partSuffix))
}

// dirPrefix starts the keys of directories in the manifest, unlike those of documents.
const dirPrefix = "folder:"

// dirFor returns the path of the local directory for the server's directories, each with its own record.
func (m *mirror) dirFor(dirs []string) (string, error) {
	at := ""
	for i, name := range dirs {
		k := m.dirKey(dirs[:i+1])
		r, ok, err := m.manifest.byURI(k)
		if err == nil && !ok {
			r = Record{URI: k, Kind: Dir}
			if r.Path, err = m.choosePath(at, m.plain(m.root, name), k, true); err == nil {
				m.noteNewDir(r.Path)
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

// dirKey returns the key of a directory in the manifest: usually the common prefix of the URIs in it.
func (m *mirror) dirKey(dirs []string) string {
	var b strings.Builder
	b.WriteString(dirPrefix + m.server)
	for _, f := range append(slices.Clone(m.top), dirs...) {
		b.WriteString("/" + string(uri.Segment.Escape(uri.RFC3986, f)))
	}
	return b.String() + "/"
}

// choosePath finds a free path. Owners that want the same path get different suffixes, the same in every Run.
func (m *mirror) choosePath(dir, name, owner string, isDir bool) (string, error) {
	if len(dir)+len(name) > maxLocalPath {
		_, suffix := save.CutSuffix(name)
		dir, name = "", "deep"+hashSuffix(owner, 10)+suffix
	}
	for digits := 0; digits <= 26; digits += 5 {
		n := name
		if digits > 0 {
			n = save.Mark(name, hashSuffix(owner, digits))
		}
		at := path.Join(dir, n)
		free, err := m.isFree(at, isDir)
		if free || err != nil {
			return at, err
		}
	}
	return "", fetch.Errorf(fetch.ErrLocal, "no free name like %s", path.Join(dir, name))
}

// isFree reports whether a new record may have the path. A directory may use an existing directory, and a document may replace a generated
// index.
func (m *mirror) isFree(at string, isDir bool) (bool, error) {
	if _, taken, err := m.manifest.byPath(at); taken || err != nil {
		return false, err
	}
	fi, err := m.lookup(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case err != nil:
		return false, save.LocalError(err)
	case fi.IsDir():
		return isDir, nil
	}
	return !isDir && path.Base(at) == indexFile && m.ownIndex(path.Dir(at)), nil
}

// hashSuffix derives digits from owner that distinguish its name from others.
func hashSuffix(owner string, digits int) string {
	sum := sha256.Sum256([]byte(owner))
	return "~" + strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:]))[:digits]
}
