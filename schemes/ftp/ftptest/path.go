package ftptest

import (
	"io/fs"
	"path"
	"strings"

	"golang.org/x/text/encoding"

	"example.org/deref/fetch/fetchtest/loopback"
)

// join applies an argument to a directory as a UNIX server does: it may have
// several segments, begin at the root, and go up, but never above the root.
func join(cwd, arg string) string {
	if strings.HasPrefix(arg, "/") {
		return path.Clean(arg)
	}
	return path.Clean("/" + cwd + "/" + arg)
}

// inFS returns the fs.FS name of an absolute path.
func inFS(abs string) string {
	if abs == "/" {
		return "."
	}
	return abs[1:]
}

// resolve turns the raw argument of a command into an absolute path.
func (x *session) resolve(arg string) string { return join(x.cwd, x.decode(arg)) }

func (x *session) stat(abs string) (fs.FileInfo, error) { return fs.Stat(x.fsys, inFS(abs)) }

// charset returns the charset of names on the wire, nil for UTF-8.
func (x *session) charset() encoding.Encoding {
	if x.utf8 {
		return nil
	}
	return x.o.Names
}

// decode and encode convert names between the wire and the file system.
func (x *session) decode(name string) string {
	e := x.charset()
	if e == nil {
		return name
	}
	text, err := e.NewDecoder().String(name)
	if err != nil {
		return name
	}
	return text
}

func (x *session) encode(name string) string {
	e := x.charset()
	if e == nil {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		c, err := e.NewEncoder().String(string(r))
		if err != nil {
			c = "?"
		}
		b.WriteString(c)
	}
	return b.String()
}

// cmdCWD changes the directory (RFC 959 §4.1.1).
//
// QUIRK: an empty argument, which RFC 1738 §3.2.2 makes clients send for an empty
// segment, is refused by vsftpd 3.0.3 (550) and proftpd 1.3.8 (501).
func (x *session) cmdCWD(arg string) {
	if arg == "" {
		x.reply(550, "Failed to change directory")
		return
	}
	abs := x.resolve(arg)
	if fi, err := x.stat(abs); err != nil || !fi.IsDir() {
		x.reply(550, loopback.Printable(arg)+": No such directory")
		return
	}
	x.cwd = abs
	x.reply(250, "Directory is now "+quote(x.encode(abs)))
}

func (x *session) cmdCDUP(string) {
	x.cwd = path.Dir(x.cwd)
	x.reply(250, "Directory is now "+quote(x.encode(x.cwd)))
}

func (x *session) cmdPWD(string) {
	x.reply(257, quote(x.encode(x.cwd))+" is the current directory")
}

// quote doubles the quotes in a name (RFC 959, appendix II).
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
