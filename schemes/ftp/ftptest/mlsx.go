package ftptest

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
)

// entry returns the line of one file: its facts (RFC 3659 §7.5), a blank, and the name.
func (x *session) entry(fi fs.FileInfo, typ, name string) string {
	perm, size := "el", ""
	if !fi.IsDir() {
		perm, size = "r", fmt.Sprintf("size=%d;", fi.Size()+x.f.WrongSize)
	}
	return fmt.Sprintf("modify=%s;perm=%s;%stype=%s;UNIX.mode=%04o; %s", stamp(modTime(fi)), perm, size, typ, fi.Mode().Perm(), x.encode(name))
}

// factType returns the type fact of a member.
func (x *session) factType(dir string, fi fs.FileInfo) string {
	switch {
	case fi.IsDir():
		return "dir"
	case fi.Mode()&fs.ModeSymlink != 0:
		return "OS.unix=slink:" + strings.TrimPrefix(Listing{FS: x.fsys, Dir: dir}.target(fi, ":"), ":")
	}
	return "file"
}

// cmdMLSD lists a directory (RFC 3659 §7). Its own entry comes first.
func (x *session) cmdMLSD(arg string) {
	abs := x.resolve(arg)
	fi, err := x.stat(abs)
	if err != nil || !fi.IsDir() {
		x.reply(501, loopback.Printable(arg)+": Not a directory")
		return
	}
	_, list, err := x.entries(arg)
	if err != nil {
		x.reply(550, loopback.Printable(arg)+": Cannot be read")
		return
	}
	lines := []string{x.entry(fi, "cdir", ".")}
	for _, m := range list {
		lines = append(lines, x.entry(m, x.factType(abs, m), m.Name()))
	}
	x.sendLines("MLSD", lines)
}

// cmdMLST describes one file or directory on the control connection.
func (x *session) cmdMLST(arg string) {
	abs := x.resolve(arg)
	fi, err := x.stat(abs)
	if err != nil {
		x.reply(550, loopback.Printable(arg)+": No such file or directory")
		return
	}
	x.reply(250, "Facts:", " "+x.entry(fi, x.factType(path.Dir(abs), fi), abs), "End")
}
