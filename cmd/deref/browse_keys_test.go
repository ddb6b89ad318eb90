//go:build linux

package main

import (
	"regexp"
	"strings"
	"syscall"
	"testing"

	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/testdata"
)

// What is pasted is text for a question, and never a command or an Enter. The prompt understands addresses as texts contain them.
func TestBrowsePasted(t *testing.T) {
	t.Parallel()
	srv := gophertest.NewServer(testdata.Site(), nil)
	defer srv.Close()
	d, cmd := browsing(t, srv.URL+"/")
	d.press(t, "", "  [1] About this tree")
	d.press(t, "\x1b[200~q\rq\x03\x1b[201~g", "Address:")
	d.press(t, "\x1b[200~<URL:"+srv.URL+"/0/README\r\n\x1b[201~.txt>", "README.txt>")
	if text := d.text(); !strings.Contains(text, "About this tree") {
		t.Errorf("got the screen\n%s\nwant the page before: no Enter was pressed", text)
	}
	d.press(t, "\r", "This small tree is served")
	d.press(t, "g"+strings.TrimPrefix(srv.URL, "gopher://")+"/0/README.txt\r", "http://127.0.0.1")
	d.quit(t, cmd)
}

// With NO_COLOR the screen has no colors; links are underlined.
func TestBrowseWithoutColors(t *testing.T) {
	t.Parallel()
	srv := gophertest.NewServer(testdata.Site(), nil)
	defer srv.Close()
	color := regexp.MustCompile(`\x1b\[(?:[0-9:]+;)*(?:[349][0-7]|38|48)(?:[;:][0-9;:]*)?m`)
	underline := regexp.MustCompile(`\x1b\[(?:[0-9:]+;)*4(?:[;:][0-9;:]*)?m`)
	for _, value := range []string{"", "1"} {
		d := newDisplay(t)
		cmd := d.browse(t, srv.URL+"/")
		cmd.Env = append(cmd.Env, "NO_COLOR="+value)
		d.start(t, cmd)
		d.press(t, "", "  [1] About this tree")
		d.quit(t, cmd)
		d.all.wait(t, "\x1b[?1049l") // the other screen is left
		all := d.all.String()
		if got, want := color.MatchString(all), value == ""; got != want {
			t.Errorf("NO_COLOR=%q: got colors: %v, want %v in %q", value, got, want, all)
		}
		if !underline.MatchString(all) {
			t.Errorf("NO_COLOR=%q: got no underline in %q", value, all)
		}
	}
}

// A signal that ends the browser leaves the terminal as it was.
func TestBrowseEndsBySignal(t *testing.T) {
	t.Parallel()
	srv := gophertest.NewServer(testdata.Site(), nil)
	defer srv.Close()
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		d := newDisplay(t)
		before := settings(t, d.tty)
		cmd := d.browse(t, srv.URL+"/")
		d.start(t, cmd)
		d.press(t, "", "  [1] About this tree")
		cmd.Process.Signal(s)
		cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != 128+int(s) {
			t.Errorf("%v: got exit status %d, want %d", s, got, 128+int(s))
		}
		restored(t, d.tty, before)
		d.all.wait(t, "\x1b[?1049l") // the other screen is left
	}
}
