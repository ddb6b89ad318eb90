//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/schemes/telnet/telnettest"
	"example.org/deref/testdata"
)

// A session has the whole terminal, and the page is there again when it has ended.
func TestBrowseSession(t *testing.T) {
	t.Parallel()
	srv := telnettest.NewServer(testdata.Site(), nil)
	defer srv.Close()
	d := browsing(t, srv.URL+"/", nil)
	d.press(t, "", strings.TrimSpace(telnettest.Prompt))
	d.press(t, "who\r", "terminal XTERM-256COLOR, 80 x 24")
	d.press(t, "\x1dc", "The session has ended.")
	d.press(t, "", "This is a session with a host")
	d.press(t, "?", "select the next link, or scroll")
	d.quit(t)
}

// What is not text is shown by the rule of the user's mailcap for its type, after a question. Its file is private, and removed at the end.
func TestBrowseViewer(t *testing.T) {
	t.Parallel()
	srv := gophertest.NewServer(fstest.MapFS{"a $(x).png": {Data: []byte("\x89PNG\r\n\x1a\n\x00owl")}}, nil)
	defer srv.Close()
	bin, tmp := t.TempDir(), t.TempDir()
	const script = "#!/bin/sh\necho $# ${1%%:*} $(tail -c3 ${1#*:}) $(ls -ld $(dirname ${1#*:}))\nread line\n"
	if err := os.WriteFile(filepath.Join(bin, "run-mailcap"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	d := browsing(t, srv.URL+"/9/a%20$(x).png", func(d *display) {
		d.cmd.Env = append(d.cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"), "TMPDIR="+tmp)
	})
	d.press(t, "", "Open image/png in another program (y/n)?")
	d.press(t, "y\r", "1 image/png owl drwx------")
	d.press(t, "\r", "This cannot be shown as text.")
	d.press(t, "o", "1 image/png owl drwx------")
	d.press(t, "\r", "This cannot be shown as text.")
	d.quit(t)
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("got %v after the end, want no files", left)
	}
}

// Wide characters take two columns: none is cut at the end of a row, and the number of a link stands where the screen says.
func TestBrowseWideCharacters(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("目", 45)
	srv := gophertest.NewServer(fstest.MapFS{"a.txt": {Data: []byte("x" + wide + "\n")}, "gophermap": {Data: []byte("0" + wide + "\ta.txt\n0Ｂ\ta.txt\n")}}, nil)
	defer srv.Close()
	d := browsing(t, srv.URL+"/", func(d *display) { d.resize(t, 40, 12) })
	d.press(t, "", "\n  [1] "+wide[:3*17]+"\n      "+wide[:3*17]+"\n      "+wide[:3*11]+"\n  [2] Ｂ\n")
	d.press(t, "\r", "\nx"+wide[:3*19]+"\n"+wide[:3*20]+"\n"+wide[:3*6]+"\n")
	d.press(t, "/目目\r", "\nx"+wide[:3*19])
	d.press(t, "b", "[2] Ｂ")
	d.press(t, "\x1b[<0;9;5M\x1b[<0;9;5mg", "Address:") // next to it
	d.press(t, "\x03\x1b[<0;8;5M", "\nx"+wide[:3*19])   // on its second column
	d.quit(t)
}
