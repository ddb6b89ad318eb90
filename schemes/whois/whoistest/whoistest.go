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
	"example.org/deref/schemes/internal/lineproto"
)

// Options configure a server. A nil *Options means the zero Options.
type Options struct {
	Addr      string            // where to listen; empty means a free port of 127.0.0.1
	Templates bool              // use whois++
	Refer     map[string]string // queries for another server: its host, or host:port
	Idle      time.Duration     // how long a client may be silent; 0 means one minute
}

// NewServer starts a server of the files in fsys. Like httptest.NewServer, it panics if it cannot listen.
func NewServer(fsys fs.FS, o *Options) *loopback.Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server of the files in fsys.
func Listen(fsys fs.FS, o *Options) (*loopback.Server, error) {
	given := loopback.Given(o)
	scheme, greeting, answer := "whois", "", text
	if given.Templates {
		scheme, greeting, answer = "whois++", "% 220-whoistest ready\n", templates
	}
	return loopback.Serve(scheme, given.Addr, given.Idle, func(c *loopback.Conn) {
		w := lineproto.NewLineWriter(c)
		io.WriteString(w, greeting)
		if query, err := c.Line(); err == nil {
			answer(w, fsys, given.Refer, query)
		}
	})
}

func text(w io.Writer, fsys fs.FS, refer map[string]string, query string) {
	if refer[query] != "" {
		fmt.Fprintf(w, "%% another server knows\n\nrefer: %s\n", refer[query])
		return
	}
	if loopback.SendFile(w, fsys, nameOf(query), "") == nil {
		return
	}
	if answer, found := find(fsys, query); found {
		io.WriteString(w, answer)
		return
	}
	fmt.Fprintf(w, "No match for %q.\n", query)
}

// templates responds with records.
func templates(w io.Writer, fsys fs.FS, refer map[string]string, query string) {
	query = strings.TrimPrefix(query, "handle=")
	answer, found := find(fsys, query)
	fmt.Fprintf(w, "%% 200 Command okay\n")
	host, port, _ := net.SplitHostPort(refer[query])
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
func find(fsys fs.FS, query string) (answer string, ok bool) {
	name := nameOf(query)
	if b, err := loopback.ReadFile(fsys, name); err == nil {
		return string(b), true
	}
	members, err := fs.ReadDir(fsys, name)
	if err != nil {
		return "", false
	}
	for _, m := range members {
		answer += path.Join(name, m.Name()) + "\n"
	}
	return answer, true
}
