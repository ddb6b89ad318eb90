package warc_test

import (
	"bytes"
	"encoding/base32"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch/warc"
)

// forms are the suffixes of archives.
var forms = []string{".warc", ".warc.gz", ".warc.zst"}

// site captures pages of a web server, of which two have the same content, and a file of an FTP server, in an archive of the given name.
func site(t *testing.T, name string, o *warc.Options) (web0 string) {
	t.Helper()
	base := web(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/none" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		text := r.URL.Path
		if strings.HasPrefix(text, "/same") {
			text = "same"
		}
		fmt.Fprint(w, text, strings.Repeat(" and more", 100))
	})
	capture(t, name, o, nil, base+"/one", base+"/same1", ftpSite(t)+"/pub/a.txt", base+"/same2", base+"/none")
	return base
}

// catalog reads archives.
func catalog(t *testing.T, names ...string) *warc.Catalog {
	t.Helper()
	files, err := warc.Files(names...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := warc.ReadCatalog(t.TempDir(), files)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// copyTo copies archives.
func copyTo(t *testing.T, o *warc.CopyOptions, names ...string) warc.Copied {
	t.Helper()
	n, err := catalog(t, names...).CopyTo(o)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// checked returns the number of records of an archive without faults.
func checked(t *testing.T, name string) int {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tally, err := warc.Check(f, func(x warc.Fault) { t.Errorf("%s: %s", filepath.Base(name), x) })
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return tally.Records
}

// summary returns what a copy must preserve.
func summary(all []stored) string {
	var b strings.Builder
	for _, r := range all {
		fmt.Fprintln(&b, r.Fields, r.block)
	}
	return b.String()
}

func TestCopyIsVerbatim(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, form := range forms {
		name := filepath.Join(dir, "a"+form)
		site(t, name, nil)
		want := summary(records(t, name))
		for _, other := range forms {
			to := filepath.Join(dir, "to"+other)
			copyTo(t, &warc.CopyOptions{Name: to}, name)
			checked(t, to)
			if got := summary(records(t, to)); got != want {
				t.Errorf("%s to %s: got %.300s, want %.300s", form, other, got, want)
			}
			if a, b := contentOf(t, name), contentOf(t, to); form == other && !bytes.Equal(a, b) {
				t.Errorf("%s: got %d bytes, want the same %d", form, len(b), len(a))
			}
		}
	}
}

// A record that shares a member with others is copied into one of its own.
func TestCopyRepacks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain, whole, to := filepath.Join(dir, "a.warc"), filepath.Join(dir, "whole.warc.gz"), filepath.Join(dir, "to.warc.gz")
	site(t, plain, nil)
	write(t, whole, []byte(gzipped(string(contentOf(t, plain)))))
	copyTo(t, &warc.CopyOptions{Name: to}, whole)
	checked(t, to)
	if got, want := summary(records(t, to)), summary(records(t, plain)); got != want {
		t.Errorf("got %.300s, want %.300s", got, want)
	}
}

// An archive that is cut anywhere is mended to its complete records, which are all that precede the cut.
func TestMendCutsTheTail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	step := int64(331)
	if testing.Short() {
		step = 997
	}
	for _, form := range forms {
		name, cut, to := filepath.Join(dir, "a"+form), filepath.Join(dir, "cut"+form), filepath.Join(dir, "to"+form)
		site(t, name, nil)
		whole := contentOf(t, name)
		all := records(t, name)
		end := all[1].Offset
		for n := end; n <= int64(len(whole)); n += step {
			write(t, cut, whole[:n])
			want := slices.IndexFunc(all, func(r stored) bool { return r.Offset >= n })
			if want < 0 {
				want = len(all)
			}
			if want--; n == all[want].Offset+lengthOf(all, want, int64(len(whole))) {
				want++
			}
			c := catalog(t, cut)
			_, err := c.CopyTo(&warc.CopyOptions{Name: to, Repeated: true})
			if got := checked(t, to); err != nil || got != want && !(form == ".warc" && got == want+1) { // only line ends are missing
				t.Errorf("%s, cut at byte %d: got %d records, %v; want %d", form, n, got, err, want)
			}
			lost := int64(0)
			for _, l := range c.Damage {
				lost += l.To - l.From
			}
			if at := int64(len(contentOf(t, to))); at+lost != n && form != ".warc" {
				t.Errorf("%s, cut at byte %d: got %d bytes, and %d lost", form, n, at, lost)
			}
		}
	}
}

func lengthOf(all []stored, i int, size int64) int64 {
	if i+1 < len(all) {
		size = all[i+1].Offset
	}
	return size - all[i].Offset
}

// A damaged record in the middle is left out, and reported with its place.
func TestMendSkipsDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, form := range forms {
		name := filepath.Join(dir, "a"+form)
		site(t, name, nil)
		all := records(t, name)
		b := contentOf(t, name)
		bad := all[2].Offset
		copy(b[bad:], "\x00\x00\x00\x00\x00\x00")
		write(t, name, b)
		c := catalog(t, name)
		if len(c.Damage) != 1 || c.Damage[0].From != bad || c.Damage[0].To != all[3].Offset {
			t.Errorf("%s: got %v, want bytes %d to %d", form, c.Damage, bad, all[3].Offset)
		}
		if _, err := c.CopyTo(&warc.CopyOptions{Name: name, Repeated: true}); err != nil { // in its own place
			t.Fatal(err)
		}
		if got := checked(t, name); got != len(all)-1 {
			t.Errorf("%s: got %d records, want %d", form, got, len(all)-1)
		}
	}
}

// An archive that is being written is never replaced.
func TestCopyKeepsOpenArchives(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.warc.gz")
	w, err := warc.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	open := name + warc.Unfinished
	if _, err = catalog(t, open).CopyTo(&warc.CopyOptions{Name: open}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("got %v, want that the archive is in use", err)
	}
	finish(t, w)
	if got := checked(t, name); got != 1 {
		t.Errorf("got %d records, want 1", got)
	}
}

// A Writer's index and WriteIndex have the same lines, whatever the form.
func TestWriteIndex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var both []string
	var names []string
	for _, form := range forms {
		name := filepath.Join(dir, "x"+strings.TrimLeft(form, ".")[4:]+"x"+form)
		site(t, name, &warc.Options{Index: true})
		base, _, _ := strings.Cut(name, ".warc")
		want := string(contentOf(t, base+".cdxj"))
		if got := indexText(t, name); got != want {
			t.Errorf("%s: got %s, want %s", form, got, want)
		}
		both = slices.AppendSeq(both, strings.Lines(want))
		names = append(names, name)
	}
	slices.Sort(both)
	if got, want := indexText(t, names...), strings.Join(both, ""); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	const cut = "HTTP/1.1 200 OK\r\nContent-Type: text/plain" // the payload of such a message is all of it
	name := filepath.Join(dir, "cut.warc")
	write(t, name, []byte(response(2, "http://h/owl", "", cut)))
	if got, want := indexText(t, name), base32.StdEncoding.EncodeToString(sum1(cut)); !strings.Contains(got, want) {
		t.Errorf("got %s, want the digest %s", got, want)
	}
}

func indexText(t *testing.T, names ...string) string {
	t.Helper()
	files, err := warc.Files(names...)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := warc.WriteIndex(&b, t.TempDir(), files, func(f warc.Fault) { t.Error(f) }); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func writeParts(name string, parts ...[]byte) error {
	return os.WriteFile(name, bytes.Join(parts, nil), 0o600)
}
