package ftptest

import (
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
)

// factNames returns the facts of RFC 3659 §7.5 that the server knows.
func factNames() []string {
	return []string{"modify", "perm", "size", "type", "unique", "UNIX.mode"}
}

// factList returns the argument of the MLST feature: a star after each fact in use.
func (x *session) factList() string {
	var b strings.Builder
	for _, f := range factNames() {
		b.WriteString(f)
		if x.shows(f) {
			b.WriteByte('*')
		}
		b.WriteByte(';')
	}
	return b.String()
}

func (x *session) shows(fact string) bool {
	return x.facts == nil || slices.ContainsFunc(x.facts, func(f string) bool { return strings.EqualFold(f, fact) })
}

// optsMLST sets the facts (RFC 3659 §7.9).
func (x *session) optsMLST(arg string) {
	x.facts = []string{}
	answer := "MLST OPTS "
	for f := range strings.SplitSeq(arg, ";") {
		for _, known := range factNames() {
			if strings.EqualFold(strings.TrimSpace(f), known) {
				x.facts = append(x.facts, known)
				answer += known + ";"
			}
		}
	}
	x.reply(200, answer)
}

// entry returns the line of one file: its facts, a blank, and the name.
func (x *session) entry(fi fs.FileInfo, typ, abs, name string) string {
	perm := "r"
	if fi.IsDir() {
		perm = "el"
	}
	var b strings.Builder
	add := func(fact, value string) {
		if x.shows(fact) {
			b.WriteString(fact + "=" + value + ";")
		}
	}
	add("modify", stamp(modTime(fi)))
	add("perm", perm)
	if !fi.IsDir() {
		add("size", fmt.Sprint(fi.Size()+x.f.WrongSize))
	}
	add("type", typ)
	inode := fnv.New32a() // a substitute: fs.FS has no inodes
	io.WriteString(inode, abs)
	add("unique", fmt.Sprintf("%08x", inode.Sum32()))
	add("UNIX.mode", fmt.Sprintf("%04o", fi.Mode().Perm()))
	return b.String() + " " + x.encode(name)
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
	lines := []string{x.entry(fi, "cdir", abs, ".")}
	for _, m := range list {
		lines = append(lines, x.entry(m, x.factType(abs, m), path.Join(abs, m.Name()), m.Name()))
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
	x.block(250, "Facts:", []string{x.entry(fi, x.factType(path.Dir(abs), fi), abs, abs)}, "End")
}
