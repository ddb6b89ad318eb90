package warc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// numbered returns NAME-00000.EXT, NAME-00001.EXT, ...
func (w *Writer) numbered(n int) string {
	base, ext := splitName(w.name)
	return fmt.Sprintf("%s-%05d%s", base, n, ext)
}

// taken is which of the names that an archive will have is somebody's: its own or that of its index; "" if none is.
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

// splitName divides a name before its .warc and what follows.
func splitName(name string) (base, ext string) {
	dir, file := filepath.Split(name)
	if i := strings.LastIndex(file, ".warc"); i > 0 {
		return dir + file[:i], file[i:]
	}
	return name, ""
}
