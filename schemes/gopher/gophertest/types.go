package gophertest

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"strings"
)

// sniff is how much of a file without a known suffix is inspected.
const sniff = 512

// itemType returns the item type of a file (RFC 1436 section 3.8, and those in use since): by suffix, else text unless there is a NUL near
// its beginning.
func (s *server) itemType(p string, fi fs.FileInfo) byte {
	if fi.IsDir() {
		return '1'
	}
	if t := suffixType(strings.ToLower(path.Ext(p))); t != 0 {
		return t
	}
	f, err := s.fsys.Open(p)
	if err != nil {
		return '9'
	}
	defer f.Close()
	buf := make([]byte, sniff)
	n, _ := io.ReadFull(f, buf)
	if bytes.IndexByte(buf[:n], 0) >= 0 {
		return '9'
	}
	return '0'
}

func suffixType(ext string) byte {
	switch ext {
	case ".txt", ".md", ".text", ".c", ".go", ".log", ".ask":
		return '0'
	case ".hqx":
		return '4'
	case ".zip", ".arc", ".lzh", ".exe":
		return '5'
	case ".uu", ".uue":
		return '6'
	case ".bin", ".gz", ".tar", ".tgz", ".z", ".bz2", ".xz", ".dat", ".mp3", ".ogg":
		return '9'
	case ".gif":
		return 'g'
	case ".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".xbm", ".xpm":
		return 'I'
	case ".html", ".htm":
		return 'h'
	case ".wav", ".au", ".aiff":
		return 's'
	case ".pdf", ".ps", ".doc":
		return 'd'
	case ".eml", ".mime":
		return 'M'
	}
	return 0
}

// isText reports whether items of type t are sent in lines.
func isText(t byte) bool { return t == '0' || t == '4' || t == '6' }
