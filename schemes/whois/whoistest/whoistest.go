// Package whoistest is a whois (RFC 3912) or whois++ (RFC 1835) server on the loopback interface, for tests of clients and for
// `deref serve`. It serves any fs.FS, whose files are the records:
//
//	srv := whoistest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "whois://127.0.0.1:PORT"
//
// A query is the path of a file, and the file is the response: with network line ends, and in whois++ as the attribute "text" of a
// template. The response to a directory is the list of its names.
package whoistest

import (
	"fmt"
	"io"
	"io/fs"
	"net"
	"path"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/wire"
)

// Options configure a server. A nil *Options means the zero Options.
type Options struct {
	Addr      string            // where to listen; empty means a free port of 127.0.0.1
	Templates bool              // use whois++
	Refer     map[string]string // queries for another server: its host, or host:port
	Idle      time.Duration     // how long a client may be silent; 0 means one minute
}

// A server holds the data that its sessions share.
type server struct {
	fsys fs.FS
	o    Options
}

// NewServer starts a server of the files in fsys. Like httptest.NewServer, it panics if it cannot listen.
func NewServer(fsys fs.FS, o *Options) *loopback.Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server of the files in fsys.
func Listen(fsys fs.FS, o *Options) (*loopback.Server, error) {
	s := &server{fsys: fsys, o: loopback.Given(o)}
	scheme := "whois"
	if s.o.Templates {
		scheme = "whois++"
	}
	return loopback.Serve(scheme, s.o.Addr, s.o.Idle, s.serve)
}

func (s *server) serve(c *loopback.Conn) {
	out := wire.NewLineWriter(c)
	if s.o.Templates {
		fmt.Fprintf(out, "%% 220-whoistest ready\n")
	}
	query, err := c.Line()
	switch {
	case err != nil:
	case s.o.Templates:
		s.templates(out, query)
	default:
		s.text(out, query)
	}
}

func (s *server) text(w io.Writer, query string) {
	if s.o.Refer[query] != "" {
		fmt.Fprintf(w, "%% another server knows\n\nrefer: %s\n", s.o.Refer[query])
		return
	}
	if loopback.SendFile(w, s.fsys, nameOf(query), "") == nil {
		return
	}
	if answer, found := s.find(query); found {
		io.WriteString(w, answer)
		return
	}
	fmt.Fprintf(w, "No match for %q.\n", query)
}

// templates responds with records.
func (s *server) templates(w io.Writer, query string) {
	query = strings.TrimPrefix(query, "handle=")
	answer, found := s.find(query)
	fmt.Fprintf(w, "%% 200 Command okay\n")
	host, port, _ := net.SplitHostPort(s.o.Refer[query])
	switch {
	case host != "":
		fmt.Fprintf(w, "# SERVER-TO-ASK OTHER\n Server-Handle: OTHER\n Host-Name: %s\n Host-Port: %s\n# END\n", host, port)
	case found:
		handle := strings.ReplaceAll(query, " ", "_") // a handle cannot contain blanks
		fmt.Fprintf(w, "# FULL TEXT WHOISTEST %s\n Name: %s\n text: %s\n# END\n", handle, query, strings.ReplaceAll(strings.TrimSuffix(answer, "\n"), "\n", "\n-"))
	}
	fmt.Fprintf(w, "%% 226 Transaction complete\n%% 203 Bye\n")
}

func nameOf(query string) string { return path.Clean("./" + strings.TrimSpace(query)) }

// find returns a file, or the names in a directory.
func (s *server) find(query string) (answer string, ok bool) {
	name := nameOf(query)
	if b, err := loopback.ReadFile(s.fsys, name); err == nil {
		return string(b), true
	}
	members, err := fs.ReadDir(s.fsys, name)
	if err != nil {
		return "", false
	}
	for _, m := range members {
		answer += path.Join(name, m.Name()) + "\n"
	}
	return answer, true
}
