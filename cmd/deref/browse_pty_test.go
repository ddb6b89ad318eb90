//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
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
	terminal
	screen vt.MockTerm
}

// newDisplay returns a display of 80×24.
func newDisplay(t *testing.T) *display {
	t.Helper()
	d := &display{screen: vt.NewMockTerm(vt.MockOptSize{X: 80, Y: 24})}
	d.keyboard, d.tty = pseudoTerminal(t)
	d.resize(t, 80, 24)
	d.before = settings(t, d.tty)
	if err := d.screen.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.screen.Stop() })
	go d.follow(io.TeeReader(d.keyboard, d.screen))
	return d
}

func (d *display) resize(t *testing.T, cols, rows uint16) {
	t.Helper()
	d.screen.SetSize(vt.Coord{X: vt.Col(cols), Y: vt.Row(rows)})
	resize(t, d.tty, cols, rows)
}

// text returns the screen.
func (d *display) text() string {
	var s strings.Builder
	for y := range d.screen.Backend().GetSize().Y {
		line := ""
		for x := vt.Col(0); x < d.screen.Backend().GetSize().X; x++ {
			cell := d.screen.GetCell(vt.Coord{X: x, Y: y})
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
	d.types(keys)
	defer func() {
		if t.Failed() {
			t.Logf("after the keys %q: the screen shows\n%s", keys, d.text())
		}
	}()
	loopback.Until(t, fmt.Sprintf("%q on the screen", want), func() bool { return strings.Contains(d.text(), want) })
}

// browsing starts the command line `deref browse URL`, which executes deref-browse, on a new display. set changes both before.
func browsing(t *testing.T, url string, set func(*display)) *display {
	t.Helper()
	d := newDisplay(t)
	d.cmd = onTerminal(d.tty, "browse", url)
	d.cmd.Env = append(d.cmd.Env, "TERM=xterm-256color", "XDG_CONFIG_HOME="+t.TempDir())
	if set != nil {
		set(d)
	}
	start(t, d.cmd)
	return d
}

// quit ends the browser by its key, also on a page that the key leaves, or where it asks.
func (d *display) quit(t *testing.T) {
	t.Helper()
	d.types("qq\r")
	d.ends(t, 0)
}

// sampleMenu starts a gopher server for the sample site, and returns the URL of its menu.
func sampleMenu(t *testing.T) string {
	t.Helper()
	srv := gophertest.NewServer(testdata.Site(), nil)
	t.Cleanup(srv.Close)
	return srv.URL + "/"
}

// The browser shows menus and texts at 80×24 and 40×12, and restores the terminal.
func TestBrowseOnATerminal(t *testing.T) {
	t.Parallel()
	d := browsing(t, sampleMenu(t), nil)
	d.press(t, "", "  [1] About this tree")
	d.press(t, "2\r", "00-names.txt")
	d.press(t, "\x1b[B\x1b[B\r", "/0/history/02-escapes.txt")
	d.resize(t, 40, 12)
	d.press(t, "b\x0c", "A page for each scheme, written for this\nsite.")
	d.press(t, "b", "Welcome. The lines with a type in front\ncan be followed.")
	d.press(t, "\x1b[<65;5;5M", "%\n\n  [1] About this tree")
	d.quit(t)
}

// Without deref-browse, a program that was built in a clone has the go command build it there, and nowhere else.
func TestBrowseFromAClone(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\necho go \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{"": "go run example.org/deref/cmd/deref-browse file:///x y\r\n", bin: "hint: in a clone of the project, go install ./cmd/... installs both"} {
		d := browsing(t, "file:///x y", func(d *display) { d.cmd.Dir, d.cmd.Env = dir, append(d.cmd.Env, "PATH="+bin) })
		d.wait(t, want)
		d.cmd.Wait()
	}
}

// Ctrl-Z gives the terminal back to the shell, and the page is there again when the browser continues.
func TestBrowseSuspends(t *testing.T) {
	t.Parallel()
	url := sampleMenu(t)
	d := browsing(t, url, func(d *display) {
		// A shell with job control (-m), because only a process group with a parent in its session can be stopped.
		d.cmd.Path, d.cmd.Args = "/bin/sh", []string{"sh", "-mc", `deref "$@"; echo stopped; read line; fg`, "sh", "browse", url}
	})
	d.press(t, "", "  [1] About this tree")
	d.types("\x1a")
	d.wait(t, "stopped\r\n")
	restored(t, d.tty, d.before)
	d.press(t, "\r", "Welcome. The lines with a type in front")
	d.press(t, "2\r", "00-names.txt")
	d.quit(t)
}
