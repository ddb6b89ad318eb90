//go:build unix

package warc_test

import (
	"fmt"
	"io"
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
	"example.org/deref/schemes"
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
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	c.Recorder = warc.NewRecorder(w)
	for i := range 10 {
		if _, err := read(c, fmt.Sprintf("%s/%d", page, i)); err != nil {
			panic(err)
		}
	}
	fmt.Println(fetch.KindOf(w.Err()), fetch.KindOf(w.Close()))
}

// Wherever the disk is full, the first error is reported as one of the disk, no file gets the archive's name, and the unfinished file holds
// the records before that. Once there is room, Resume continues it.
func TestFullDiskAnywhere(t *testing.T) {
	if dir := os.Getenv("WARC_FULL"); dir != "" {
		fillAnywhere(t, dir)
		return
	}
	long(t, "writes 800 archives")
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDiskAnywhere$")
	cmd.Env = append(os.Environ(), "WARC_FULL="+t.TempDir())
	out, err := cmd.CombinedOutput()
	skipIfEmulated(t, err)
	if err != nil || strings.Count(string(out), "a.warc") != 3 {
		t.Fatalf("got %v, %s; want the sizes of three archives", err, out)
	}
	t.Logf("%s", out)
}

// fillAnywhere writes the same two records in each form, with room for the bytes up to each third place and to those next to the end of a record.
func fillAnywhere(t *testing.T, dir string) {
	for _, form := range []string{"a.warc", "a.warc.gz", "a.warc.zst"} {
		whole := filepath.Join(dir, form)
		if err := fill(whole, 1<<20, &warc.Options{}); err != nil {
			panic(err)
		}
		b, err := os.ReadFile(whole)
		if err != nil {
			panic(err)
		}
		for i, at := range places(recordEnds(t, b), 4, 3) {
			room := int64(at)
			name := filepath.Join(dir, fmt.Sprint(room), form)
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				panic(err)
			}
			err := fill(name, room, &warc.Options{})
			if err == nil { // everything has room
				info, serr := os.Stat(name)
				if serr != nil || info.Size() > room {
					panic(fmt.Sprint(form, room, info, serr))
				}
				continue
			}
			if _, serr := os.Stat(name); fetch.KindOf(err) != fetch.ErrDisk || serr == nil {
				panic(fmt.Sprint(form, room, err, serr))
			}
			left := readable(name + warc.Unfinished)
			if i%8 == 0 { // each takes a call of fsync
				if err := fill(name, 1<<20, &warc.Options{Resume: true}); err != nil {
					panic(fmt.Sprint(form, room, err))
				}
				// A record may be readable although its line ends or its checksum are missing. Resume cuts it.
				if got, want := readable(name), max(left, 1)+2; got != want && got != want-1 {
					panic(fmt.Sprint(form, " ", room, ": got records ", got, ", want ", want))
				}
			}
			os.RemoveAll(filepath.Dir(name))
		}
		fmt.Println(form, len(b))
	}
}

// setNumber sets a number whose type depends on the system.
func setNumber[T int64 | uint64](p *T, n int64) { *p = T(n) }

// fill writes two records with a limit for the size of files, and returns the error of Close.
func fill(name string, room int64, o *warc.Options) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
	small := limit
	setNumber(&small.Cur, room)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		panic(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
	w, err := warc.Create(name, o)
	if err != nil {
		return err
	}
	for i := range 2 {
		w.Write(&warc.Record{Fields: warc.Fields{{Name: "WARC-Type", Value: warc.Resource}, {Name: "WARC-Record-ID", Value: fmt.Sprintf("<urn:x:%d>", i)},
			{Name: "WARC-Target-URI", Value: "gopher://h/0/a"}, {Name: "WARC-Date", Value: "2026-01-01T00:00:00Z"}},
			Size: 33, Block: strings.NewReader("What is spoken today is RFC 959.\n")})
	}
	return w.Close()
}

// readable returns the number of complete records of a file. Only an end within a record may follow.
func readable(name string) (n int) {
	f, err := os.Open(name)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	r := warc.NewReader(f)
	defer r.Close()
	for {
		rec, err := r.Next()
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return n
		}
		if err != nil {
			panic(fmt.Sprint(name, err))
		}
		if _, err := io.Copy(io.Discard, rec.Block); err == nil {
			n++
		}
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
