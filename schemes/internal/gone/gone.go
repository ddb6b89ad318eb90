// Package gone reads what servers write where their protocol has no code of its own for an object that does not exist.
package gone

import "strings"

// phrases are what servers write about a name that does not exist: proftpd and pure-ftpd quote the system ("No such file or directory"),
// gophernicus writes "File or directory not found", pygopherd "does not exist".
var phrases = [...]string{"no such", "not found", "does not exist", "doesn't exist", "cannot find"}

// Said reports whether text says that an object does not exist. vsftpd's "Failed to open file." and "Could not get file size." do not:
// they are also what it sends for a lack of permission.
func Said(text string) bool {
	text = strings.ToLower(text)
	for _, p := range phrases {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}
