// Package memotest is a memo server on the loopback interface, for tests.
package memotest

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
)

// NewServer starts a server of the files in fsys. A file that begins with "-> " is a redirect. Like httptest.NewServer, it panics if it cannot
// listen.
func NewServer(fsys fs.FS) *loopback.Server {
	return loopback.Must(loopback.ServeLine("memo", nil, func(c *loopback.Conn, line string) {
		name, ok := strings.CutPrefix(line, "GET ")
		if !ok {
			fmt.Fprint(c, "50 not a request\r\n")
			return
		}
		b, err := loopback.ReadFile(fsys, path.Clean("."+name))
		to, redirect := strings.CutPrefix(string(b), "-> ")
		switch {
		case err != nil:
			fmt.Fprint(c, "40 no such memo\r\n")
		case redirect:
			fmt.Fprintf(c, "30 %s\r\n", to)
		default:
			fmt.Fprint(c, "20 text/plain\r\n")
			c.Write(b)
		}
	}))
}
