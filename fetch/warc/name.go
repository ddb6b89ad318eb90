package warc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Numbered returns the name of the Nth of several archives: NAME-00000.EXT, NAME-00001.EXT, ...
func Numbered(name string, n int) string {
	base, ext := splitName(name)
	return fmt.Sprintf("%s-%05d%s", base, n, ext)
}

// IsName reports whether the name has the suffix of an archive that can be written: .warc, .warc.gz or .warc.zst.
func IsName(name string) bool {
	return strings.HasSuffix(name, ".warc") || strings.HasSuffix(name, ".warc.gz") || strings.HasSuffix(name, ".warc.zst")
}

// taken returns the name that is already in use: the archive's or its index's. It returns "" if both are free.
func (w *Writer) taken(name string) string {
	switch index := indexName(name); {
	case exists(name):
		return name
	case w.o.Index && exists(index):
		return index
	}
	return ""
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// splitName splits a name before its ".warc".
func splitName(name string) (base, ext string) {
	dir, file := filepath.Split(name)
	if i := strings.LastIndex(file, ".warc"); i > 0 {
		return dir + file[:i], file[i:]
	}
	return name, ""
}
