package warc_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
)

// Wherever a process is killed, Resume keeps each complete record, cuts the rest, and continues as if one process had written everything:
// the same warcinfo, an index of all records, and revisits of known payloads.
func TestResume(t *testing.T) {
	long(t, "writes many archives")
	page := web(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, strings.TrimSuffix(r.URL.Path, "again"), strings.Repeat("What is spoken today is RFC 959. ", 20))
	})
	for _, form := range forms {
		dir := t.TempDir()
		whole := filepath.Join(dir, "whole"+form)
		capture(t, whole, nil, nil, page+"/1", page+"/2", page+"/3")
		b := contentOf(t, whole)
		ends := recordEnds(t, b)
		name := filepath.Join(dir, "a"+form)
		for _, cut := range places(ends, 4, 331) { // the ends of lines after a block have 4 bytes
			write(t, name+warc.Unfinished, b[:cut])
			capture(t, name, &warc.Options{Resume: true, Index: true}, nil, page+"/1again", page+"/new")
			left := 0
			for left < len(ends) && ends[left] <= int64(cut) {
				left++
			}
			all := records(t, name)
			want := "warcinfo"
			if n := min(left, 3); n == 2 {
				want += " response"
			} else if n > 2 {
				want += " response request"
			}
			for i := 3; i < left; i++ {
				want += [2]string{" response", " request"}[(i-3)%2]
			}
			if left < 2 {
				want += " response request response request"
			} else {
				want += " revisit request response request"
			}
			if got := types(all); got != want {
				t.Fatalf("%s cut at %d of %d, after %d records: got %s, want %s", form, cut, len(b), left, got, want)
			}
			got := contentOf(t, name)
			if _, err := warc.Check(bytes.NewReader(got), func(f warc.Fault) { t.Errorf("%s cut at %d: %s", form, cut, f) }); err != nil {
				t.Error(err)
			}
			if left > 0 && !bytes.HasPrefix(got, b[:ends[left-1]]) {
				t.Errorf("%s cut at %d: earlier records have changed", form, cut)
			}
			for _, r := range all[1:] {
				if r.Fields.Get("WARC-Warcinfo-ID") != all[0].ID() {
					t.Errorf("%s cut at %d: got another warcinfo, want the same", form, cut)
				}
			}
			index := contentOf(t, filepath.Join(dir, "a.cdxj"))
			for _, r := range all {
				if r.Type() == warc.Request || r.Type() == warc.Warcinfo {
					continue
				}
				if at := fmt.Sprintf(`"offset":"%d"`, r.Offset); !bytes.Contains(index, []byte(at)) ||
					!bytes.Contains(index, []byte(`"status":"200"`)) {
					t.Errorf("%s cut at %d: the index has no record at %d: %s", form, cut, r.Offset, index)
				}
			}
			os.Remove(name)
			os.Remove(filepath.Join(dir, "a.cdxj"))
		}
	}
}

// recordEnds returns the offsets where the records of an archive end.
func recordEnds(t *testing.T, b []byte) (ends []int64) {
	t.Helper()
	r := warc.NewReader(bytes.NewReader(b))
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return append(ends[1:], int64(len(b)))
		}
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, rec.Offset)
	}
}

// places returns each step-th place of an archive whose records have these ends, and those that are at most near bytes from such an end.
func places(ends []int64, near, step int) (list []int) {
	for at := range int(ends[len(ends)-1]) + 1 {
		isNear := func(end int64) bool { return at >= int(end)-near && at <= int(end)+near }
		if at%step == 0 || slices.ContainsFunc(ends, isNear) {
			list = append(list, at)
		}
	}
	return list
}

// A finished archive is continued only if requested; otherwise neither it nor an unfinished one is touched.
func TestAppend(t *testing.T) {
	page := web(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) })
	name := filepath.Join(t.TempDir(), "a.warc.gz")
	capture(t, name, nil, nil, page+"/1")
	for _, o := range []*warc.Options{nil, {Resume: true}} {
		if _, err := warc.Create(name, o); fetch.KindOf(err) != fetch.ErrLocal {
			t.Errorf("%+v: got %v, want %s", o, err, fetch.ErrLocal)
		}
	}
	capture(t, name, &warc.Options{Append: true}, nil, page+"/2")
	if got := types(records(t, name)); got != "warcinfo response request response request" {
		t.Errorf("got %v, want \"warcinfo response request response request\"", got)
	}
	for label, text := range map[string]string{"no archive": "notes", "an ARC file": aboutARC, "another form": pack(response(2, "http://h/owl", "", owl)), "a part of a record": "WARC/1.1\r\n"} {
		name := filepath.Join(t.TempDir(), "a.warc")
		write(t, name, []byte(text))
		if _, err := warc.Create(name, &warc.Options{Append: true, Resume: true}); fetch.KindOf(err) != fetch.ErrLocal || string(contentOf(t, name)) != text {
			t.Errorf("%s: got %v, want %s and the same file", label, err, fetch.ErrLocal)
		}
	}
	unfinished := filepath.Join(t.TempDir(), "b.warc"+warc.Unfinished)
	write(t, unfinished, []byte("WARC/1.1"))
	_, err := warc.Create(strings.TrimSuffix(unfinished, warc.Unfinished), nil)
	if fetch.KindOf(err) != fetch.ErrLocal || string(contentOf(t, unfinished)) != "WARC/1.1" {
		t.Errorf("an unfinished archive: got %v, want %s", err, fetch.ErrLocal)
	}
}

// Sync makes waiting records durable, a write error is reported once, and a file in use is not continued by another process.
func TestSync(t *testing.T) {
	long(t, "it waits for the disk")
	page := web(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path, strings.Repeat("x", 2000)) })
	for _, size := range []int64{0, 5000} {
		name := filepath.Join(t.TempDir(), "a.warc")
		told := 0
		o := &warc.Options{Wait: time.Hour, Size: size, Failed: func(error) { told++ }}
		w, c := recorderOf(t, name, o)
		defer c.Close()
		if size == 0 {
			if _, err := warc.Create(name, &warc.Options{Resume: true, Replace: true}); err == nil || !strings.Contains(err.Error(), "in use") {
				t.Errorf("a second process: got %v, want in use", err)
			}
		}
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() { // while files are finished and others started
				for j := range 20 {
					u := fmt.Sprintf("%s/%d/%d", page, i, j)
					if _, err := read(c, u); err != nil {
						t.Error(err)
					}
					if err := w.Sync(); err != nil {
						t.Error(err)
					}
					if !anyHolds(t, filepath.Dir(name), fmt.Sprintf("GET /%d/%d ", i, j)) {
						t.Errorf("%s is in no file after Sync", u)
					}
				}
			})
		}
		group.Wait()
		if err := w.Close(); err != nil || told != 0 {
			t.Errorf("got %v, %d failures; want none", err, told)
		}
		if err := w.Write(&warc.Record{}); !errors.Is(err, os.ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
	}
}

// A file that was removed or replaced while it is written is an error of the next Sync, and of the end.
func TestGone(t *testing.T) {
	t.Parallel()
	page := web(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path) })
	for _, replaced := range []bool{false, true} {
		for _, atEnd := range []bool{false, true} {
			name := filepath.Join(t.TempDir(), "a.warc")
			w, c := recorderOf(t, name, &warc.Options{Index: true})
			defer c.Close()
			for range 20 { // lines of an index that are not held in memory
				w.Write(&warc.Record{Fields: warc.Fields{{Name: "WARC-Type", Value: "resource"}, {Name: "WARC-Target-URI", Value: "x:" + strings.Repeat("x", 30_000)}}})
			}
			if _, err := read(c, page+"/1"); err != nil {
				t.Fatal(err)
			}
			if err := w.Sync(); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(name + warc.Unfinished); err != nil {
				t.Skip("the system does not remove open files")
			}
			if replaced {
				write(t, name+warc.Unfinished, nil)
			}
			if !atEnd {
				if err := w.Sync(); fetch.KindOf(err) != fetch.ErrDisk || !strings.Contains(err.Error(), "a.warc.open was removed or replaced") {
					t.Errorf("replaced %t: got %v from Sync, want %s", replaced, err, fetch.ErrDisk)
				}
			}
			if err := w.Close(); fetch.KindOf(err) != fetch.ErrDisk {
				t.Errorf("replaced %t: got %v from Close, want %s", replaced, err, fetch.ErrDisk)
			}
			if n := openFiles(filepath.Dir(name)); n > 0 {
				t.Errorf("replaced %t: got %d open files, want none", replaced, n)
			}
			if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("replaced %t: got %v, want no file of the final name", replaced, err)
			}
		}
	}
}

// anyHolds reports whether a file in dir contains text.
func anyHolds(t *testing.T, dir, text string) bool {
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, name := range names {
		b, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) { // it has been renamed
			b, err = os.ReadFile(strings.TrimSuffix(name, warc.Unfinished))
		}
		if err != nil {
			t.Error(err)
		}
		if bytes.Contains(b, []byte(text)) {
			return true
		}
	}
	return false
}
