//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.org/deref/schemes/telnet/telnettest"
	"example.org/deref/testdata"
)

// pseudoTerminal opens both ends of a terminal.
func pseudoTerminal(t *testing.T) (keyboard, tty *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { keyboard.Close() })
	fd := int(keyboard.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skip(err)
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { tty.Close() })
	return keyboard, tty
}

func resize(t *testing.T, tty *os.File, cols, rows uint16) {
	t.Helper()
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: cols, Row: rows}); err != nil {
		t.Fatal(err)
	}
}

func settings(t *testing.T, tty *os.File) *unix.Termios {
	t.Helper()
	s, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// watched is what a terminal shows.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *watched) follow(r io.Reader) {
	b := make([]byte, 4096)
	for {
		n, err := r.Read(b)
		w.mu.Lock()
		w.text.Write(b[:n])
		w.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (w *watched) wait(t *testing.T, want string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		w.mu.Lock()
		got := w.text.String()
		w.mu.Unlock()
		if strings.Contains(got, want) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%q is not shown: %q", want, got)
		}
	}
}

// However a session ends, the terminal is what it was; in between it is raw, and the host knows its size.
func TestSessionGivesTheTerminalBack(t *testing.T) {
	srv := telnettest.NewServer(testdata.Site(), nil)
	defer srv.Close()
	for _, how := range []string{"host", "escape", "SIGTERM", "SIGHUP", "SIGINT"} {
		t.Run(how, func(t *testing.T) {
			keyboard, tty := pseudoTerminal(t)
			resize(t, tty, 100, 30)
			before := settings(t, tty)
			cmd := &exec.Cmd{Path: os.Args[0], Args: []string{"deref", "session", srv.URL}, Env: append(os.Environ(), "TERM=vt100"),
				Stdin: tty, Stdout: tty, Stderr: tty, SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true}}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill()
			var shown watched
			go shown.follow(keyboard)
			shown.wait(t, "escape character is Ctrl-]")
			shown.wait(t, telnettest.Prompt)
			if reflect.DeepEqual(before, settings(t, tty)) {
				t.Error("the terminal is not raw")
			}
			io.WriteString(keyboard, "who\r")
			shown.wait(t, `terminal VT100, 100 x 30`)
			resize(t, tty, 132, 43)
			time.Sleep(100 * time.Millisecond) // the signal's way
			io.WriteString(keyboard, "who\r")
			shown.wait(t, `132 x 43`)
			leave(t, how, cmd, keyboard)
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); (code == 130) != strings.HasPrefix(how, "SIG") || code != 0 && code != 130 {
				t.Errorf("exit code %d", code)
			}
			if after := settings(t, tty); !reflect.DeepEqual(before, after) {
				t.Errorf("the terminal was %+v, is %+v", before, after)
			}
		})
	}
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
