//go:build linux

package main

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"reflect"
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
	for _, how := range []string{"host", "escape", "SIGTERM", "SIGHUP", "SIGINT"} {
		t.Run(how, func(t *testing.T) {
			keyboard, tty := pseudoTerminal(t)
			resize(t, tty, 100, 30)
			before := settings(t, tty)
			cmd := onTerminal(tty, "session", srv.URL)
			shown := watch(t, keyboard, cmd)
			shown.wait(t, "escape character is Ctrl-]")
			shown.wait(t, telnettest.Prompt)
			if reflect.DeepEqual(before, settings(t, tty)) {
				t.Error("got a terminal in cooked mode, want raw mode")
			}
			io.WriteString(keyboard, "who\r")
			shown.wait(t, `terminal VT100, 100 x 30`)
			resize(t, tty, 132, 43)
			for n := 2; !strings.Contains(shown.String(), `132 x 43`); n++ { // until the signal is handled
				io.WriteString(keyboard, "who\r")
				shown.waitFor(t, `terminal VT100, `, n)
			}
			leave(t, how, cmd, keyboard)
			cmd.Wait()
			want := map[string]int{"SIGHUP": 129, "SIGINT": 130, "SIGTERM": 143}[how]
			if code := cmd.ProcessState.ExitCode(); code != want {
				t.Errorf("%s: got exit code %d, want %d", how, code, want)
			}
			restored(t, tty, before)
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
			keyboard, tty := pseudoTerminal(t)
			resize(t, tty, 100, 30)
			before := settings(t, tty)
			cmd := onTerminal(tty, "session", target)
			shown := watch(t, keyboard, cmd)
			shown.wait(t, x.prompt)
			if reflect.DeepEqual(before, settings(t, tty)) {
				t.Error("got a terminal in cooked mode, want raw mode")
			}
			io.WriteString(keyboard, x.typed)
			shown.wait(t, x.shown)
			io.WriteString(keyboard, x.leave)
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				t.Errorf("got exit code %d, want 0", code)
			}
			restored(t, tty, before)
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

func leave(t *testing.T, how string, cmd *exec.Cmd, keyboard io.Writer) {
	t.Helper()
	switch how {
	case "host":
		io.WriteString(keyboard, "quit\r")
	case "escape":
		io.WriteString(keyboard, "\x1dc")
	case "SIGTERM":
		cmd.Process.Signal(syscall.SIGTERM)
	case "SIGHUP":
		cmd.Process.Signal(syscall.SIGHUP)
	case "SIGINT":
		cmd.Process.Signal(os.Interrupt)
	}
}
