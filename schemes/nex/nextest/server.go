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
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/gemtext"
)

// Options configure a server. A nil *Options means the zero Options.
type Options struct {
	Addr string        // where to listen; empty means a free port of 127.0.0.1
	Idle time.Duration // how long a client may be silent; 0 means one minute
}

// NewServer starts a server of the files in fsys. Like httptest.NewServer, it panics if it cannot listen.
func NewServer(fsys fs.FS, o *Options) *loopback.Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server of the files in fsys.
func Listen(fsys fs.FS, o *Options) (*loopback.Server, error) {
	given := loopback.Given(o)
	return loopback.Serve("nex", given.Addr, given.Idle, func(c *loopback.Conn) {
		if request, err := c.Line(); err == nil {
			answer(c, fsys, request)
		}
	})
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
	for _, m := range members {
		to := "./" + m.Name()
		if m.IsDir() {
			to += "/"
		}
		gemtext.WriteLink(w, to, loopback.Label(m.Name()))
	}
}
