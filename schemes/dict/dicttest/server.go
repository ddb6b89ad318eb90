// Package dicttest is a dictionary server (RFC 2229) on the loopback interface, for tests of clients and for `deref serve`. It
// serves any fs.FS:
//
//	srv := dicttest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "dict://127.0.0.1:PORT"
//
// Its databases are the top-level directories, by name, and "root" for the files at the top. A word is the name of a file without its
// suffix, and the file is the definition, with network line ends. Directories below a database are ignored.
// Files of one name are several definitions. The strategies are exact, prefix (also ".") and substring. They are case-insensitive.
package dicttest

import (
	"io/fs"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Options configure a server. A nil *Options means the zero Options.
type Options struct {
	Addr   string            // where to listen; empty means a free port of 127.0.0.1
	Users  map[string]string // names and secrets; if there are any, clients must prove one by AUTH
	Strict bool              // refuse CLIENT, as servers without that command do
	Idle   time.Duration     // how long a client may be silent; 0 means one minute
}

// NewServer starts a server of the files in fsys. Like httptest.NewServer, it panics if it cannot listen.
func NewServer(fsys fs.FS, o *Options) *loopback.Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server of the files in fsys.
func Listen(fsys fs.FS, o *Options) (*loopback.Server, error) {
	given := loopback.Given(o)
	return loopback.Serve("dict", given.Addr, given.Idle, func(c *loopback.Conn) {
		serve(c, &session{site: site{fsys}, o: &given, w: c, in: len(given.Users) == 0})
	})
}

func serve(c *loopback.Conn, k *session) {
	k.say("220 dicttest <auth> %s", msgID)
	for !k.over {
		command, err := c.Line()
		if err != nil {
			return
		}
		k.command(command)
	}
}
