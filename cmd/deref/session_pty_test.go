//go:build linux

package main

import (
	"errors"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/telnet/telnettest"
	"example.org/deref/testdata"
)

// However a session ends, the terminal's settings are restored. During the session it is in raw mode, and the host knows its size.
func TestSessionGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	srv := telnettest.NewServer(testdata.Site(), nil)
	defer srv.Close()
	for how, leave := range map[string]struct {
		keys   string
		signal syscall.Signal
		want   int
	}{"host": {"quit\r", 0, 0}, "escape": {"\x1dc", 0, 0}, "SIGTERM": {"", syscall.SIGTERM, 143}, "SIGHUP": {"", syscall.SIGHUP, 129}, "SIGINT": {"", syscall.SIGINT, 130}} {
		t.Run(how, func(t *testing.T) {
			x := onNewTerminal(t, "session", srv.URL)
			x.wait(t, "escape character is Ctrl-]")
			x.wait(t, telnettest.Prompt)
			x.isRaw(t)
			x.types("who\r")
			x.wait(t, `terminal VT100, 100 x 30`)
			resize(t, x.tty, 132, 43)
			for n := 2; !strings.Contains(x.String(), `132 x 43`); n++ { // until the signal is handled
				x.types("who\r")
				x.waitFor(t, `terminal VT100, `, n)
			}
			if leave.keys != "" {
				x.types(leave.keys)
			} else {
				x.cmd.Process.Signal(leave.signal)
			}
			x.ends(t, leave.want)
		})
	}
}

// Third-party hosts receive the typed text, the terminal shows their response, and its settings are restored.
func TestSessionWithRealHosts(t *testing.T) {
	for _, x := range []struct {
		server, prefix, prompt string // see package lab
		typed, shown           string
		leave                  string
	}{
		{"telnetd", "telnet://", "lab> ", "echo caf\u00e9\r", "You said: caf\u00e9", "quit\r"},
		{"rlogind", "rlogin://labguest@", "lab> ", "echo caf\u00e9\r", "You said: caf\u00e9", "quit\r"},
		{"hercules", "tn3270://", "The Lab - TN3270 screen", "x", "\a", "\x1dc"}, // its only screen accepts no input
	} {
		t.Run(x.server, func(t *testing.T) {
			target := x.prefix + lab.Server(t, x.server) + "/"
			if x.server == "rlogind" && !privileged() {
				t.Skip("rlogind requires a source port below 1024, which this user may not bind")
			}
			on := onNewTerminal(t, "session", target)
			on.wait(t, x.prompt)
			on.isRaw(t)
			on.types(x.typed)
			on.wait(t, x.shown)
			on.types(x.leave)
			on.ends(t, 0)
		})
	}
}

// privileged reports whether this process may bind a port below 1024.
func privileged() bool {
	for port := 1023; port >= 512; port-- {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			l.Close()
			return true
		}
		if errors.Is(err, fs.ErrPermission) {
			return false
		}
	}
	return false
}
