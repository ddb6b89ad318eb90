//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v3/vt"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/testdata"
)

// A display is a terminal that shows what a program writes to it.
type display struct {
	keyboard, tty *os.File
	term          vt.MockTerm
	all           watched // everything that was written
}

// newDisplay returns a display of 80×24.
func newDisplay(t *testing.T) *display {
	t.Helper()
	d := &display{term: vt.NewMockTerm(vt.MockOptSize{X: 80, Y: 24})}
	d.keyboard, d.tty = pseudoTerminal(t)
	resize(t, d.tty, 80, 24)
	if err := d.term.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.term.Stop() })
	go d.all.follow(io.TeeReader(d.keyboard, d.term))
	return d
}

// text returns the screen.
func (d *display) text() string {
	var s strings.Builder
	for y := range d.term.Backend().GetSize().Y {
		line := ""
		for x := vt.Col(0); x < d.term.Backend().GetSize().X; x++ {
			cell := d.term.GetCell(vt.Coord{X: x, Y: y})
			if line += cell.C; cell.C == "" {
				line += " "
			}
			x += vt.Col(max(cell.W, 1) - 1)
		}
		s.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return s.String()
}

// press types keys and waits until the screen shows a text.
func (d *display) press(t *testing.T, keys, want string) {
	t.Helper()
	io.WriteString(d.keyboard, keys)
	defer func() {
		if t.Failed() {
			t.Logf("after the keys %q: the screen shows\n%s", keys, d.text())
		}
	}()
	loopback.Until(t, fmt.Sprintf("%q on the screen", want), func() bool { return strings.Contains(d.text(), want) })
}

// browse returns the command line `deref browse`, which executes deref-browse, on the display.
func (d *display) browse(t *testing.T, args ...string) *exec.Cmd {
	cmd := onTerminal(d.tty, append([]string{"browse"}, args...)...)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "XDG_CONFIG_HOME="+t.TempDir())
	return cmd
}

func (d *display) start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
}

// browsing starts the browser on a new display.
func browsing(t *testing.T, url string) (*display, *exec.Cmd) {
	t.Helper()
	d := newDisplay(t)
	cmd := d.browse(t, url)
	d.start(t, cmd)
	return d, cmd
}

// quit ends the browser by its key, also on a page that the key leaves, or where it asks.
func (d *display) quit(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	io.WriteString(d.keyboard, "qq\r")
	if err := cmd.Wait(); err != nil {
		t.Errorf("got %v, want exit status 0", err)
	}
}

// The browser shows menus and texts at 80×24 and 40×12, and restores the terminal.
func TestBrowseOnATerminal(t *testing.T) {
	t.Parallel()
	srv := gophertest.NewServer(testdata.Site(), nil)
	defer srv.Close()
	d := newDisplay(t)
	before := settings(t, d.tty)
	cmd := d.browse(t, srv.URL+"/")
	d.start(t, cmd)
	d.press(t, "", "  [1] About this tree")
	d.press(t, "2\r", "00-names.txt")
	d.press(t, "\x1b[B\x1b[B\r", "/0/history/02-escapes.txt")
	d.term.SetSize(vt.Coord{X: 40, Y: 12})
	resize(t, d.tty, 40, 12)
	d.press(t, "b\x0c", "A page for each scheme, written for this\nsite.")
	d.press(t, "b", "Welcome. The lines with a type in front\ncan be followed.")
	d.press(t, "\x1b[<65;5;5M", "%\n\n  [1] About this tree")
	d.quit(t, cmd)
	restored(t, d.tty, before)
}

// Without deref-browse, a program that was built in a clone has the go command build it there, and nowhere else.
func TestBrowseFromAClone(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\necho go \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{"": "go run example.org/deref/cmd/deref-browse file:///x y\r\n", bin: "hint: in a clone of the project, go install ./cmd/... installs both"} {
		d := newDisplay(t)
		cmd := d.browse(t, "file:///x y")
		cmd.Dir, cmd.Env = dir, append(cmd.Env, "PATH="+bin)
		d.start(t, cmd)
		d.all.wait(t, want)
		cmd.Wait()
	}
}

// Ctrl-Z gives the terminal back to the shell, and the page is there again when the browser continues.
func TestBrowseSuspends(t *testing.T) {
	t.Parallel()
	srv := gophertest.NewServer(testdata.Site(), nil)
	defer srv.Close()
	d := newDisplay(t)
	before := settings(t, d.tty)
	cmd := d.browse(t, srv.URL+"/")
	// A shell with job control (-m), because only a process group with a parent in its session can be stopped.
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-mc", `deref "$@"; echo stopped; read line; fg`, "sh", "browse", srv.URL + "/"}
	d.start(t, cmd)
	d.press(t, "", "  [1] About this tree")
	io.WriteString(d.keyboard, "\x1a")
	d.all.wait(t, "stopped\r\n")
	restored(t, d.tty, before)
	d.press(t, "\r", "Welcome. The lines with a type in front")
	d.press(t, "2\r", "00-names.txt")
	d.quit(t, cmd)
	restored(t, d.tty, before)
}
