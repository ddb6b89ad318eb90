package ftptest

import (
	"fmt"
	"io/fs"
	"path"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Listing is what a Dialect prints.
type Listing struct {
	FS      fs.FS
	Dir     string // absolute, with slashes
	Entries []fs.FileInfo
	Now     time.Time
}

// Dialect returns the lines of a listing, without line ends. RFC 959 leaves the
// format of LIST to the server.
type Dialect func(l Listing) []string

// UNIX is the format of /bin/ls -l, with times in UTC.
func UNIX(l Listing) []string {
	var out []string
	for _, fi := range l.Entries {
		out = append(out, fmt.Sprintf("%s %3d %-8s %-8s %8d %s %s%s",
			unixMode(fi), 1, "ftp", "ftp", fi.Size(), unixTime(modTime(fi), l.Now), fi.Name(), l.target(fi, " -> ")))
	}
	return out
}

// DOS is the format of IIS.
func DOS(l Listing) []string {
	var out []string
	for _, fi := range l.Entries {
		size := fmt.Sprintf("%21d", fi.Size())
		if fi.IsDir() {
			size = fmt.Sprintf("%-21s", "       <DIR>")
		}
		out = append(out, modTime(fi).Format("01-02-06  03:04PM")+size+" "+fi.Name())
	}
	return out
}

// target returns an arrow and the target of a link. It returns "" for other files.
func (l Listing) target(fi fs.FileInfo, arrow string) string {
	if fi.Mode()&fs.ModeSymlink == 0 {
		return ""
	}
	to, err := fs.ReadLink(l.FS, inFS(path.Join(l.Dir, fi.Name())))
	if err != nil {
		return ""
	}
	return arrow + loopback.Printable(to)
}

func unixMode(fi fs.FileInfo) string {
	kind := "-"
	switch m := fi.Mode(); {
	case m.IsDir():
		kind = "d"
	case m&fs.ModeSymlink != 0:
		return "lrwxrwxrwx"
	case m&fs.ModeNamedPipe != 0:
		kind = "p"
	}
	return kind + fi.Mode().Perm().String()[1:]
}

// unixTime returns date and time for the last half year, otherwise date and year.
func unixTime(t, now time.Time) string {
	if age := now.Sub(t); age > 180*24*time.Hour || age < -24*time.Hour {
		return t.Format("Jan _2  2006")
	}
	return t.Format("Jan _2 15:04")
}
