// Package spartantest is a spartan server on the loopback interface, for tests of clients and for `deref serve`. It serves any
// fs.FS:
//
//	srv := spartantest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "spartan://127.0.0.1:PORT"
//
// A directory is the list of its files. Without the slash at its end it is a redirect. /echo returns the data of the request.
package spartantest

import (
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/gemtext"
	"example.org/deref/fetch/mediatype"
)

// Options configure a server. A nil *Options means the zero Options.
type Options struct {
	Addr  string            // where to listen; empty means a free port of 127.0.0.1
	Reply map[string]string // by path: the raw response
	Idle  time.Duration     // how long a client may be silent; 0 means one minute
}

// NewServer starts a server of the files in fsys. Like httptest.NewServer, it panics if it cannot listen.
func NewServer(fsys fs.FS, o *Options) *loopback.Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server of the files in fsys.
func Listen(fsys fs.FS, o *Options) (*loopback.Server, error) {
	given := loopback.Given(o)
	return loopback.Serve("spartan", given.Addr, given.Idle, func(c *loopback.Conn) { serve(c, fsys, given.Reply) })
}

// maxData bounds the data of a request.
const maxData = 1 << 20

func serve(c *loopback.Conn, fsys fs.FS, replies map[string]string) {
	request, err := c.Line()
	if err != nil {
		return
	}
	f := strings.Split(request, " ")
	n, err := strconv.Atoi(f[len(f)-1])
	if len(f) != 3 || err != nil || n < 0 || n > maxData {
		io.WriteString(c, "4 the request is host, path and length\r\n")
		return
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(c, data); err != nil {
		return
	}
	if reply := replies[f[1]]; reply != "" {
		io.WriteString(c, reply)
		return
	}
	answer(c, fsys, f[1], data)
}

func answer(w io.Writer, fsys fs.FS, requested string, data []byte) {
	decoded, err := url.PathUnescape(requested)
	name := path.Clean("./" + strings.Trim(decoded, "/"))
	info, statErr := fs.Stat(fsys, name)
	switch {
	case requested == "/echo":
		fmt.Fprintf(w, "2 text/plain\r\n%s", data)
	case err != nil || statErr != nil:
		io.WriteString(w, "4 there is no such document\r\n")
	case !info.IsDir():
		sendFile(w, fsys, name)
	case !strings.HasSuffix(requested, "/"):
		fmt.Fprintf(w, "3 %s/\r\n", requested)
	default:
		sendDirectory(w, fsys, name)
	}
}

func sendFile(w io.Writer, fsys fs.FS, name string) {
	if loopback.SendFile(w, fsys, name, "2 "+mediatype.OfFile(name)+"\r\n") != nil {
		io.WriteString(w, "5 the document cannot be read\r\n")
	}
}

func sendDirectory(w io.Writer, fsys fs.FS, name string) {
	members, err := fs.ReadDir(fsys, name)
	if err != nil {
		io.WriteString(w, "5 the directory cannot be read\r\n")
		return
	}
	fmt.Fprintf(w, "2 text/gemini\r\n# %s\n", loopback.Label(path.Join("/", name)))
	gemtext.WriteMembers(w, members, loopback.Label)
}
