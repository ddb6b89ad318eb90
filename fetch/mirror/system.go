package mirror

import (
	"os"
	"runtime"
	"unicode/utf8"

	"example.org/deref/fetch/save"
)

// A system describes the restrictions of a file system. Every Run determines it again, since another disk can be mounted at any time.
type system struct {
	exact bool // allows almost every name; otherwise only portable names are used
	folds bool // may treat names that differ in case or in the form of accents as equal
	links bool // has symbolic links
}

// Names of probes. The first contains characters that FAT and NTFS forbid. The next two are the same file if case or accents are ignored.
const (
	probeName = "probe A\u00e9:?*\"<>|\\."
	probeCase = "probe a\u00e9:?*\"<>|\\."
	probeForm = "probe Ae\u0301:?*\"<>|\\."
	probeLink = "probe"
)

// systemOf tests the mirror's own directory. Windows keeps portable names however it mounts a disk, and macOS compares names in its own
// ways.
func systemOf(root *os.Root) system {
	s := system{folds: true}
	switch runtime.GOOS {
	case "windows", "plan9":
		return s
	}
	root.Remove(probeLink)
	defer root.Remove(probeLink)
	s.links = root.Symlink(".", probeLink) == nil
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return s
	}
	if !s.links {
		root.WriteFile(probeLink, nil, 0o600)
	}
	if s.exact = root.Rename(probeLink, probeName) == nil; s.exact {
		_, caseless := root.Lstat(probeCase)
		_, formless := root.Lstat(probeForm)
		s.folds = caseless == nil || formless == nil
		root.Remove(probeName)
	}
	return s
}

// plain turns a server's name into one that the system allows. Clean would treat it as a path, but here it is one name.
func (s system) plain(name string) string {
	if s.exact {
		return save.CleanExact(name)
	}
	return save.Clean(oneName(name))
}

// oneName replaces what Clean would treat as separators. In a name that is not UTF-8, Clean keeps a backslash after a byte above 0x7F.
func oneName(name string) string {
	b, valid := []byte(name), utf8.ValidString(name)
	for i, c := range b {
		if c == '/' || c == '\\' && (valid || i == 0 || b[i-1] < utf8.RuneSelf) {
			b[i] = '_'
		}
	}
	return string(b)
}
