package mirror

import (
	"os"
	"runtime"

	"example.org/deref/fetch/save"
	"strings"
)

// A system is what a file system can hold. A Run finds it out anew: a disk of another system can be mounted anywhere.
type system struct {
	exact bool // almost every name; otherwise names are those that every system can hold
	folds bool // two names that differ by case, or by the form of accents, may be one
	links bool // symbolic links
}

// Names of probes. The first one has what FAT and NTFS cannot hold, and its twins are the same file where case or accents do not count.
const (
	probeName = "probe A\u00e9:?*\"<>|\\."
	probeCase = "probe a\u00e9:?*\"<>|\\."
	probeForm = "probe Ae\u0301:?*\"<>|\\."
	probeLink = "probe"
)

// systemOf tries out a directory of ours. Windows keeps the portable names however it mounts a disk, and macOS compares names in its own ways.
func systemOf(root *os.Root) system {
	s := system{folds: true}
	switch runtime.GOOS {
	case "windows", "plan9":
		return s
	}
	root.Remove(probeLink)
	s.links = root.Symlink(".", probeLink) == nil
	root.Remove(probeLink)
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return s
	}
	if root.WriteFile(probeName, nil, 0o600) != nil {
		return s
	}
	s.exact = true
	_, caseless := root.Lstat(probeCase)
	_, formless := root.Lstat(probeForm)
	s.folds = caseless == nil || formless == nil
	root.Remove(probeName)
	return s
}

// plain makes a name that the system can hold of one that a server gave. What Clean takes for a path is one name here.
func (s system) plain(name string) string {
	if s.exact {
		return save.CleanExact(name)
	}
	return save.Clean(strings.NewReplacer("/", "_", `\`, "_").Replace(name))
}
