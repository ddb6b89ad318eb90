//go:build linux

package main

import (
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// What is pasted is text for a question, and never a command or an Enter. The prompt understands addresses as texts contain them.
func TestBrowsePasted(t *testing.T) {
	t.Parallel()
	url := sampleMenu(t)
	d := browsing(t, url, nil)
	d.press(t, "", "  [1] About this tree")
	d.press(t, "\x1b[200~q\rq\x03\x1b[201~g", "Address:")
	d.press(t, "\x1b[200~<URL:"+url+"0/README\r\n\x1b[201~.txt>", "README.txt>")
	if text := d.text(); !strings.Contains(text, "About this tree") {
		t.Errorf("got the screen\n%s\nwant the page before: no Enter was pressed", text)
	}
	d.press(t, "\r", "This small tree is served")
	d.press(t, "g"+strings.TrimPrefix(url, "gopher://")+"0/README.txt\r", "http://127.0.0.1")
	d.quit(t)
}

// With NO_COLOR the screen has no colors; links are underlined.
func TestBrowseWithoutColors(t *testing.T) {
	t.Parallel()
	url := sampleMenu(t)
	color := regexp.MustCompile(`\x1b\[(?:[0-9:]+;)*(?:[349][0-7]|38|48)(?:[;:][0-9;:]*)?m`)
	underline := regexp.MustCompile(`\x1b\[(?:[0-9:]+;)*4(?:[;:][0-9;:]*)?m`)
	for _, value := range []string{"", "1"} {
		d := browsing(t, url, func(d *display) { d.cmd.Env = append(d.cmd.Env, "NO_COLOR="+value) })
		d.press(t, "", "  [1] About this tree")
		d.quit(t)
		d.wait(t, "\x1b[?1049l") // the other screen is left
		all := d.String()
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
	url := sampleMenu(t)
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		d := browsing(t, url, nil)
		d.press(t, "", "  [1] About this tree")
		d.cmd.Process.Signal(s)
		d.ends(t, 128+int(s))
		d.wait(t, "\x1b[?1049l") // the other screen is left
	}
}
