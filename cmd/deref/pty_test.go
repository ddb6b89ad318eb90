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

// watch starts a command and follows what its terminal shows. The command is killed at the end of the test, if it has not ended.
func watch(t *testing.T, keyboard *os.File, cmd *exec.Cmd) *watched {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	var shown watched
	go shown.follow(keyboard)
	return &shown
}

// onTerminal returns the command line deref ARGS... with tty as its terminal.
func onTerminal(tty *os.File, args ...string) *exec.Cmd {
	return &exec.Cmd{Path: os.Args[0], Args: append([]string{"deref"}, args...), Env: append(os.Environ(), "TERM=vt100", "NO_COLOR="),
		Stdin: tty, Stdout: tty, Stderr: tty, SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true}}
}
