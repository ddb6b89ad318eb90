// Package csotest is a CCSO nameserver (RFC 2378) on the loopback interface, for tests of clients and for `deref serve`. It serves
// any fs.FS, whose files are persons:
//
//	srv := csotest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "cso://127.0.0.1:PORT"
//
// The alias of an entry is the path of its file, the name its words, and the text its lines. A query consists of words, which must all
// be in the name, and of field=value. * matches any text and ? one character, and case is ignored. "return" selects fields; the default is alias and
// name.
package csotest

import (
	"fmt"
	"io/fs"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Options configure a server. A nil *Options means the zero Options.
type Options struct {
	Addr string        // where to listen; empty means a free port of 127.0.0.1
	Most int           // a query with more results is refused (502); 0 means 100
	Idle time.Duration // how long a client may be silent; 0 means one minute
}

// NewServer starts a server of the files in fsys. Like httptest.NewServer, it panics if it cannot listen.
func NewServer(fsys fs.FS, o *Options) *loopback.Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server of the files in fsys.
func Listen(fsys fs.FS, o *Options) (*loopback.Server, error) {
	given := loopback.Given(o)
	loopback.Default(&given.Most, 100)
	return loopback.Serve("cso", given.Addr, given.Idle, func(c *loopback.Conn) { serve(c, fsys, given.Most) })
}

func serve(c *loopback.Conn, fsys fs.FS, most int) {
	for {
		command, err := c.Line()
		if err != nil {
			return
		}
		switch verb, rest, _ := strings.Cut(command, " "); strings.ToLower(verb) {
		case "quit":
			fmt.Fprint(c, "203:Bye, bye\r\n")
			return
		case "fields":
			describe(c)
		case "query":
			query(c, fsys, most, rest)
		default:
			fmt.Fprint(c, "514:Unknown command.\r\n")
		}
	}
}
