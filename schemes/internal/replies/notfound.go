package replies

import "strings"

// phrases are texts of servers about names that do not exist: proftpd and pure-ftpd quote the system ("No such file or directory"),
// gophernicus writes "File or directory not found", pygopherd "does not exist".
var phrases = [...]string{"no such", "not found", "does not exist", "doesn't exist", "cannot find"}

// SaysNotFound reports whether text states that an object does not exist. It returns false for vsftpd's "Failed to open file." and "Could not get file
// size.", which it also sends if permission is denied.
func SaysNotFound(text string) bool {
	text = strings.ToLower(text)
	for _, p := range phrases {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}
