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

	"golang.org/x/sys/unix"

	"example.org/deref/fetch/fetchtest/loopback"
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

// restored checks that a terminal has its settings of before again.
func restored(t *testing.T, tty *os.File, before *unix.Termios) {
	t.Helper()
	if after := settings(t, tty); !reflect.DeepEqual(before, after) {
		t.Errorf("got terminal settings %+v, want %+v", after, before)
	}
}

// watched collects what a terminal shows.
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

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

func (w *watched) wait(t *testing.T, want string) {
	t.Helper()
	w.waitFor(t, want, 1)
}

// waitFor waits until a text is shown for the nth time.
func (w *watched) waitFor(t *testing.T, want string, n int) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("the terminal shows %q", w)
		}
	}()
	loopback.Until(t, fmt.Sprintf("%q on the terminal", want), func() bool { return strings.Count(w.String(), want) >= n })
}

// A terminal runs a command. It shows what the command writes.
type terminal struct {
	watched
	keyboard, tty *os.File
	before        *unix.Termios // the settings of tty before the command
	cmd           *exec.Cmd
}

// onNewTerminal starts the command line deref ARGS... on a terminal of 100×30.
func onNewTerminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	x := &terminal{}
	x.keyboard, x.tty = pseudoTerminal(t)
	resize(t, x.tty, 100, 30)
	x.before, x.cmd = settings(t, x.tty), onTerminal(x.tty, args...)
	start(t, x.cmd)
	go x.follow(x.keyboard)
	return x
}

// types types a text.
func (x *terminal) types(text string) { io.WriteString(x.keyboard, text) }

// ends waits for the end of the command, and checks its exit status and the settings of the terminal.
func (x *terminal) ends(t *testing.T, want int) {
	t.Helper()
	x.cmd.Wait()
	if code := x.cmd.ProcessState.ExitCode(); code != want {
		t.Errorf("got exit code %d, want %d: %q", code, want, x.String())
	}
	restored(t, x.tty, x.before)
}

// isRaw checks that the terminal is in raw mode.
func (x *terminal) isRaw(t *testing.T) {
	t.Helper()
	if reflect.DeepEqual(x.before, settings(t, x.tty)) {
		t.Error("got a terminal in cooked mode, want raw mode")
	}
}

// onTerminal returns the command line deref ARGS... with tty as its terminal.
func onTerminal(tty *os.File, args ...string) *exec.Cmd {
	return &exec.Cmd{Path: os.Args[0], Args: append([]string{"deref"}, args...), Env: append(os.Environ(), "TERM=vt100", "NO_COLOR="),
		Stdin: tty, Stdout: tty, Stderr: tty, SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true}}
}
