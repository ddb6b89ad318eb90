package file

import (
	"path"
	"path/filepath"
	"strings"

	"example.org/deref/fetch"
)

// noWait makes opening a FIFO return at once. File systems of Windows have none.
const noWait = 0

// native returns the path of a file URI as Windows writes it: /C:/a/b is C:\a\b (RFC 8089 Appendix E.2), and /a/b is on the current drive.
// It refuses paths that Windows would understand in another way than the URI is meant: //host/share would contact that host with the user's
// credentials, a backslash would be a slash, NAME:STREAM is a hidden part of NAME, and CON or NUL is a device in every directory.
func native(p string) (string, error) {
	if strings.HasPrefix(p, "//") {
		return "", fetch.Errorf(fetch.ErrRefusedURL, "the path begins with two slashes, which names another host on this system")
	}
	drive, rest := `\`, strings.TrimPrefix(p, "/")
	if len(rest) >= 2 && rest[1] == ':' && (len(rest) == 2 || rest[2] == '/') && isLetter(rest[0]) {
		drive, rest = rest[:2]+`\`, rest[2:]
	}
	rest = strings.TrimPrefix(path.Clean("/"+rest), "/")
	if rest == "" {
		return drive, nil
	}
	name, err := filepath.Localize(rest)
	if err != nil {
		return "", fetch.Errorf(fetch.ErrRefusedURL, "%q cannot be a file name on this system", rest)
	}
	return drive + name, nil
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }
