package schemetest

import (
	"path/filepath"
	"strings"
)

// FileURI returns the URI of an absolute path of this machine: file:///tmp/x, or file:///C:/Temp/x. It escapes nothing.
func FileURI(path string) string {
	return "file:///" + strings.TrimPrefix(filepath.ToSlash(path), "/")
}
