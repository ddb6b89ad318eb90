// Package tn3270test is a host of 3270 terminals (RFC 1576, RFC 2355) on the loopback interface, for tests of clients and for
// `deref serve`. It has a few screens: the first shows a file of any fs.FS and asks for a user and a password, the second says who
// has come in.
//
//	srv := tn3270test.NewServer(os.DirFS("testdata/site"), &tn3270test.Options{Screen: "history/telnet.txt"})
//	defer srv.Close()
//	// srv.URL is "tn3270://127.0.0.1:PORT"
//
// Enter leads from the first screen to the second, PF12 back, PF3 out, and every other key is named on the screen. Whatever password
// is given, it is neither looked at nor kept.
package tn3270test

import (
	"crypto/tls"
	"io/fs"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Options say how a host behaves. A nil *Options, and each zero field, means the ordinary.
type Options struct {
	Addr     string        // where to listen; "" is a free port of 127.0.0.1
	Screen   string        // the file that the first screen shows
	Idle     time.Duration // how long a client may stay silent; 0 is one minute
	TLS      *tls.Config   // TLS from the first octet
	StartTLS *tls.Config   // the host asks DO START_TLS, and says nothing before
	Classic  bool          // without TN3270E, as RFC 1576 has it
	Reject   byte          // the reason for which TN3270E's device is rejected, 0 is none
}

// Server is a running host. Its Transcript is each key received so far: its identifier in hexadecimal, and the fields that came with
// it, but for passwords.
type Server struct {
	loopback.Server // Addr, URL, Close, Transcript

	fsys fs.FS
	o    Options
}

// NewServer starts a host on fsys. Like httptest.NewServer it panics if it cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a host on fsys, or says why it cannot.
func Listen(fsys fs.FS, o *Options) (*Server, error) {
	s := &Server{fsys: fsys, o: loopback.Given(o)}
	loopback.Default(&s.o.Idle, time.Minute)
	return loopback.Start(s, "tn3270", s.o.Addr, s.serve)
}

// shownLines bounds how much of a file the first screen shows.
const shownLines = 18

// FirstScreen is what the first screen looks like with text as its file: lines without the blanks at their ends.
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

// linesOf are the lines of a file as the screen shows them: behind the blank of a field's attribute, cut to its width.
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
