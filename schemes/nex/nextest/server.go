// Package nextest is a nex server on the loopback interface, for tests of clients and for `deref serve`. It serves any fs.FS:
//
//	srv := nextest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "nex://127.0.0.1:PORT"
//
// A directory is the list of its files, with or without a slash at its end. The response to a missing file is a line of text, as from real
// servers: the protocol has no errors.
package nextest

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/gemtext"
)

// Options configure a server. A nil *Options means the zero Options.
type Options = loopback.Options

// NewServer starts a server of the files in fsys. Like httptest.NewServer, it panics if it cannot listen.
func NewServer(fsys fs.FS, o *Options) *loopback.Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server of the files in fsys.
func Listen(fsys fs.FS, o *Options) (*loopback.Server, error) {
	return loopback.ServeLine("nex", o, func(c *loopback.Conn, request string) { answer(c, fsys, request) })
}

func answer(w io.Writer, fsys fs.FS, request string) {
	name := path.Clean("./" + strings.Trim(request, "/"))
	if loopback.SendFile(w, fsys, name, "") == nil {
		return
	}
	members, err := fs.ReadDir(fsys, name)
	if err != nil {
		fmt.Fprint(w, "document not found\n")
		return
	}
	gemtext.WriteMembers(w, members, loopback.Label)
}
