//go:build unix

package warc_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/warc"
)

// If the disk is full, the failure is reported, no file gets the archive's name, and the unfinished file can be read up to its last
// complete record: with records written at once, and with records that wait for others.
func TestFullDisk(t *testing.T) {
	if dir := os.Getenv("WARC_FULL"); dir != "" {
		fillDisk(dir, os.Getenv("WARC_PAGE"), os.Getenv("WARC_FORM"))
		return
	}
	page := web(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.URL.Path, strings.Repeat("What is spoken today is RFC 959. ", 600))
	})
	for _, form := range []string{"a.warc", "waiting.warc"} {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$")
		cmd.Env = append(os.Environ(), "WARC_FULL="+dir, "WARC_PAGE="+page, "WARC_FORM="+form)
		out, err := cmd.CombinedOutput()
		skipIfEmulated(t, err)
		if err != nil || !strings.Contains(string(out), "disk disk\n") {
			t.Fatalf("%s: got %v, %s; want containing %q", form, err, out, "disk disk\n")
		}
		names, _ := filepath.Glob(filepath.Join(dir, "*"))
		if len(names) != 1 || filepath.Base(names[0]) != form+warc.Unfinished {
			t.Fatalf("%s: got %v, want len(names) 1 and filepath.Base(names[0]) %v", form, names, form+warc.Unfinished)
		}
		c := readerOf(t, names[0])
		defer c.Close()
		for _, path := range []string{"/0", "/1", "/2"} { // 60,000 of 65,536 bytes, and their heads
			if got, err := read(c, page+path); !strings.HasPrefix(got, path+"What") || err != nil {
				t.Errorf("%s: got %.10q, %v; want starting with %q", form, got, err, path+"What")
			}
		}
		if _, err := read(c, page+"/9"); err == nil {
			t.Errorf("%s: a document came from the archive that is not in it", form)
		}
	}
}

// fillDisk writes an archive that may not grow beyond 64 KiB. It prints the kinds of the errors of Err and Close.
func fillDisk(dir, page, form string) {
	limit := syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
	o := &warc.Options{}
	if form == "waiting.warc" {
		o.Wait = time.Hour
	}
	w, err := warc.Create(filepath.Join(dir, form), o)
	if err != nil {
		panic(err)
	}
	c := fetch.New(handlers()...)
	defer c.Close()
	c.Recorder = warc.NewRecorder(w)
	for i := range 10 {
		if _, err := read(c, fmt.Sprintf("%s/%d", page, i)); err != nil {
			panic(err)
		}
	}
	fmt.Println(fetch.KindOf(w.Err()), fetch.KindOf(w.Close()))
}

// A conversation that was not buffered completely is not written as if it were.
func TestLostConversation(t *testing.T) {
	if err := warc.LostConversation(syscall.ENOSPC); err != syscall.ENOSPC {
		t.Errorf("got %v, want %v", err, syscall.ENOSPC)
	}
}

// Waiting records are written after a while even if no method is called, and at the latest by Close.
func TestWait(t *testing.T) {
	page := web(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path) })
	for _, wait := range []time.Duration{time.Hour, time.Millisecond} {
		name := filepath.Join(t.TempDir(), "a.warc")
		w, c := recorderOf(t, name, &warc.Options{Wait: wait})
		defer c.Close()
		read(c, page+"/1")
		written := func() string {
			b := contentOf(t, name+warc.Unfinished)
			return string(b)
		}
		if wait == time.Hour && written() != "" {
			t.Error("the records did not wait")
		}
		if wait == time.Millisecond {
			loopback.Until(t, "written record", func() bool { return strings.Contains(written(), "GET /1 ") })
		}
		read(c, page+"/2")
		finish(t, w)
		if got := types(records(t, name)); got != "warcinfo response request response request" {
			t.Errorf("%s: got %s, want \"warcinfo response request response request\"", wait, got)
		}
	}
}
