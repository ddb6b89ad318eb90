// Package fingertest is a finger server (RFC 1288) on the loopback interface, for tests of clients and for `deref serve`. It
// serves any fs.FS, whose files are the users:
//
//	srv := fingertest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "finger://127.0.0.1:PORT"
//
// The name of a user is the path of a file. The response is the file with the line ends of the network, in the long form (/W) after a line
// with its name. The response for a directory, or an empty name, is the list of its files. The server contacts no other host.
package fingertest

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/lineproto"
)

// Options configure a server. A nil *Options means the zero Options.
type Options = loopback.Options

// NewServer starts a server of the files in fsys. Like httptest.NewServer, it panics if it cannot listen.
func NewServer(fsys fs.FS, o *Options) *loopback.Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server of the files in fsys.
func Listen(fsys fs.FS, o *Options) (*loopback.Server, error) {
	return loopback.ServeLine("finger", o, func(c *loopback.Conn, query string) { answer(lineproto.NewLineWriter(c), fsys, query) })
}

// answer responds to {Q1} and {Q2} of RFC 1288 section 2.3.
func answer(w io.Writer, fsys fs.FS, query string) {
	user, long := strings.CutPrefix(query, "/W")
	user = strings.TrimSpace(user)
	if strings.Contains(user, "@") {
		fmt.Fprintf(w, "finger: forwarding service denied.\n") // RFC 1288 section 3.2.1 requires that refusing is possible
		return
	}
	name := path.Clean("./" + user)
	head := ""
	if long {
		head = "Login: " + name + "\n"
	}
	if loopback.SendFile(w, fsys, name, head) != nil {
		list(w, fsys, name, user)
	}
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// list sends the names of the files in a directory.
func list(w io.Writer, fsys fs.FS, name, user string) {
	members, err := fs.ReadDir(fsys, name)
	if err != nil {
		fmt.Fprintf(w, "finger: %s: no such user.\n", user)
		return
	}
	fmt.Fprintf(w, "Login\n")
	for _, m := range members {
		if name := path.Join(user, m.Name()); !strings.ContainsFunc(name, isControl) { // others cannot be requested
			fmt.Fprintf(w, "%s\n", name)
		}
	}
}
