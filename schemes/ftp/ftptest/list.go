package ftptest

import (
	"io/fs"
	"path"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
)

// entries returns the entries that LIST shows for an argument: the members of a directory, or the one file. Links among the members are not
// followed.
func (x *session) entries(arg string) (dir string, list []fs.FileInfo, err error) {
	abs := x.resolve(arg)
	fi, err := x.stat(abs)
	if err != nil {
		return "", nil, err
	}
	if !fi.IsDir() {
		return path.Dir(abs), []fs.FileInfo{fi}, nil
	}
	members, err := fs.ReadDir(x.fsys, inFS(abs))
	for _, m := range members {
		fi, err := m.Info()
		if err != nil || strings.ContainsAny(m.Name(), "\r\n") {
			continue // deleted since, or a name that does not fit in a line
		}
		list = append(list, fi)
	}
	return abs, list, err
}

// lines formats entries in the dialect of the server.
func (x *session) lines(dir string, list []fs.FileInfo) []string {
	out := x.o.List(Listing{FS: x.fsys, Dir: dir, Entries: list, Now: x.now()})
	for i := range out {
		out[i] = x.encode(out[i])
	}
	return out
}

// flags drops the options of ls that clients send with LIST.
func flags(arg string) string {
	for strings.HasPrefix(arg, "-") {
		_, arg, _ = strings.Cut(arg, " ")
	}
	return arg
}

func (x *session) cmdLIST(arg string) {
	arg = flags(arg)
	dir, list, err := x.entries(arg)
	switch {
	case err != nil && x.o.EmptyMissing:
		x.sendLines("LIST", nil)
	case err != nil:
		x.reply(550, loopback.Printable(arg)+": No such file or directory")
	default:
		x.sendLines("LIST", x.lines(dir, list))
	}
}

// cmdNLST sends names alone. If the argument names a directory, each name begins
// with it, as with vsftpd, proftpd and pure-ftpd.
func (x *session) cmdNLST(arg string) {
	arg = flags(arg)
	dir, list, err := x.entries(arg)
	if err != nil {
		x.reply(550, loopback.Printable(arg)+": No such file or directory")
		return
	}
	var names []string
	for _, fi := range list {
		name := x.encode(fi.Name())
		switch {
		case dir != x.resolve(arg): // it is a file
			name = arg
		case arg != "":
			name = strings.TrimSuffix(arg, "/") + "/" + name
		}
		names = append(names, name)
	}
	x.sendLines("NLST", names)
}

// sendLines sends a listing on a data connection, with CR LF in every type, as
// real servers do.
func (x *session) sendLines(verb string, lines []string) {
	text := strings.Join(lines, "\r\n")
	if len(lines) > 0 {
		text += "\r\n"
	}
	x.send(verb, strings.NewReader(text), "Here comes the listing")
}
