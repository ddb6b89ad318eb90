// Package tn3270test is a host for 3270 terminals (RFC 1576, RFC 2355) on the loopback interface, for tests of clients and for
// `deref serve`. It has a few screens. The first shows a file of any fs.FS and asks for a user and a password. The second shows the name of
// the user.
//
//	srv := tn3270test.NewServer(os.DirFS("testdata/site"), &tn3270test.Options{Screen: "history/telnet.txt"})
//	defer srv.Close()
//	// srv.URL is "tn3270://127.0.0.1:PORT"
//
// Enter goes from the first screen to the second, PF12 back, and PF3 ends the session. The screen names any other key. The host ignores the
// password.
package tn3270test

import (
	"crypto/tls"
	"io/fs"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Options configure a host. A nil *Options means the zero Options.
type Options struct {
	Addr     string      // where to listen; empty means a free port of 127.0.0.1
	Screen   string      // the file on the first screen
	TLS      *tls.Config // TLS from the first byte
	StartTLS *tls.Config // the host asks DO START_TLS, and sends nothing before
	Classic  bool        // without TN3270E, as in RFC 1576
	Reject   byte        // the reason for rejecting TN3270E's device, 0 to accept it
}

// idle is how long a client may be silent.
const idle = time.Minute

// A server is a running host. Its Transcript is each key received so far: its identifier in hexadecimal, and the modified fields, without
// passwords.
type server struct {
	loopback.Server

	fsys fs.FS
	o    Options
}

// NewServer starts a host of the files in fsys. Like httptest.NewServer, it panics if it cannot listen.
func NewServer(fsys fs.FS, o *Options) *loopback.Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a host of the files in fsys.
func Listen(fsys fs.FS, o *Options) (*loopback.Server, error) {
	s := &server{fsys: fsys, o: loopback.Given(o)}
	return loopback.Start(s, "tn3270", s.o.Addr, s.serve)
}

// shownLines limits how much of a file the first screen shows.
const shownLines = 18

// FirstScreen returns the text of the first screen if its file contains text: lines without trailing blanks.
func FirstScreen(text []byte) []byte {
	lines := make([]string, 24)
	copy(lines, linesOf(text))
	lines[20] = " User ==>             Password ==>"
	lines[22] = " Enter goes on, PF3 leaves"
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return []byte(strings.Join(lines[:23], "\n") + "\n")
}

// linesOf returns the lines of a file as on the screen: after the blank of a field's attribute, cut to its width.
func linesOf(text []byte) (list []string) {
	for line := range strings.Lines(string(text)) {
		if len(list) == shownLines {
			break
		}
		r := []rune(" " + strings.TrimRight(line, "\r\n"))
		list = append(list, string(r[:min(len(r), 80)]))
	}
	return list
}
