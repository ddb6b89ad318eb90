package cache

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFreshness(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	const now, before = "Fri, 20 Nov 2026 12:00:00 GMT", "Fri, 20 Nov 2026 11:00:00 GMT"
	for _, c := range []struct {
		name   string
		header map[string][]string
		life   time.Duration
		age    time.Duration
	}{
		{"max-age over Expires", map[string][]string{"Date": {now}, "Cache-Control": {"public, Max-Age=\"60\""}, "Expires": {before}}, time.Minute, 0},
		{"first max-age", map[string][]string{"Cache-Control": {"max-age=60", "max-age=90"}}, time.Minute, 0},
		{"Expires in the past", map[string][]string{"Date": {now}, "Expires": {before}}, -time.Hour, 0},
		{"Expires is not a date", map[string][]string{"Date": {now}, "Expires": {"0"}, "Last-Modified": {before}}, 0, 0},
		{"a tenth since the last change", map[string][]string{"Date": {now}, "Last-Modified": {before}}, 6 * time.Minute, 0},
		{"max-age too large", map[string][]string{"Cache-Control": {"max-age=99999999999999"}}, (1<<31 - 1) * time.Second, 0},
		{"max-age is invalid", map[string][]string{"Cache-Control": {"max-age=soon"}}, 0, 0},
		{"shared caches only", map[string][]string{"Cache-Control": {"s-maxage=60"}}, 0, 0},
		{"Age", map[string][]string{"Date": {now}, "Age": {"100"}, "Cache-Control": {"max-age=60"}}, time.Minute, 100 * time.Second},
		{"slow way", map[string][]string{"Date": {before}}, 0, time.Hour},
	} {
		m := Meta{Status: 200, Header: c.header, Requested: at, Received: at}
		if got := m.lifetime(); got != c.life {
			t.Errorf("%s: got a lifetime of %s, want %s", c.name, got, c.life)
		}
		if got := m.Age(at); got != c.age {
			t.Errorf("%s: got age %s, want %s", c.name, got, c.age)
		}
		if got := m.Age(at.Add(time.Minute)); got != c.age+time.Minute {
			t.Errorf("%s: got age %s a minute later, want %s", c.name, got, c.age+time.Minute)
		}
	}
}

// TestDirectivesOfTheRequest checks RFC 9111 section 5.2.1.
func TestDirectivesOfTheRequest(t *testing.T) {
	at := time.Now()
	for _, c := range []struct {
		own, wanted string
		age         time.Duration
		want        bool
	}{
		{"max-age=60", "", 30 * time.Second, true},
		{"max-age=60", "", 60 * time.Second, false},
		{"max-age=60, no-cache", "", 0, false},
		{"max-age=60", "no-cache", 0, false},
		{"max-age=60", "max-age=30", 30 * time.Second, true},
		{"max-age=60", "max-age=29", 30 * time.Second, false},
		{"max-age=60", "Max-Age=0", time.Second, false},
		{"max-age=60", "min-fresh=20", 30 * time.Second, true},
		{"max-age=60", "min-fresh=30", 30 * time.Second, false},
		{"max-age=60", "max-stale=20", 70 * time.Second, true},
		{"max-age=60", "max-stale=20", 80 * time.Second, false},
		{"max-age=60", "max-stale", time.Hour, true},
		{"max-age=60, must-revalidate", "max-stale", time.Hour, false},
	} {
		m := Meta{Header: map[string][]string{"Cache-Control": {c.own}}, Requested: at, Received: at}
		if got := m.Answers(map[string][]string{"Cache-Control": {c.wanted}}, at.Add(c.age)); got != c.want {
			t.Errorf("%s, requested with %q after %s: got %v, want %v", c.own, c.wanted, c.age, got, c.want)
		}
	}
}

func TestErrorsServedStale(t *testing.T) {
	at := time.Now()
	for control, want := range map[string]bool{
		"max-age=1, stale-if-error=60": true, "max-age=1, stale-if-error=5": false, "max-age=1": false,
		"max-age=1, stale-if-error=60, must-revalidate": false, "no-cache, stale-if-error=60": false,
	} {
		m := Meta{Header: map[string][]string{"Cache-Control": {control}}, Requested: at, Received: at}
		if got := m.ServesErrors(at.Add(10 * time.Second)); got != want {
			t.Errorf("%s: got %v, want %v", control, got, want)
		}
	}
}

func TestBadFilesAreIgnored(t *testing.T) {
	dir := t.TempDir()
	c, err := Open(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	put := func() {
		w, err := c.New(Meta{URI: "u", Status: 200, Header: map[string][]string{}})
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, "body")
		w.Commit()
	}
	get := func() *Entry { return c.Get("u", func(string) string { return "" }) }
	put()
	e := get()
	if e == nil {
		t.Fatal("got no entry, want the stored one")
	}
	if b, err := io.ReadAll(e); string(b) != "body" || err != nil {
		t.Errorf("got %q, %v, want %q", b, err, "body")
	}
	e.Close()
	os.Truncate(filepath.Join(dir, e.Body), 2)
	if get() != nil {
		t.Error("a body that is too short: got an entry, want none")
	}
	os.WriteFile(c.path("u"), []byte(`{"URI":"u","Body":"../../etc/passwd"}`), 0o600)
	if get() != nil {
		t.Error("a body outside the directory: got an entry, want none")
	}
	put()
	e = get()
	e.Close()
	elsewhere := filepath.Join(t.TempDir(), "secret")
	os.WriteFile(elsewhere, []byte("body"), 0o600)
	for what, replace := range map[string]func(path string) error{
		"a link":      func(path string) error { return os.Symlink(elsewhere, path) },
		"a directory": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		path := filepath.Join(dir, e.Body)
		os.Remove(path)
		if err := replace(path); err != nil {
			t.Fatal(err)
		}
		if get() != nil {
			t.Errorf("%s in place of the body: got an entry, want none", what)
		}
	}
	whole, err := os.ReadFile(c.path("u"))
	if err != nil {
		t.Fatal(err)
	}
	os.Rename(c.path("u"), elsewhere)
	os.Symlink(elsewhere, c.path("u"))
	if _, ok := readMeta(c.path("u")); ok {
		t.Error("a link in place of the metadata: got metadata, want none")
	}
	os.Remove(c.path("u"))
	for _, bad := range []string{
		"", "{", "null", `[]`, string(whole[:len(whole)-1]),
		strings.Replace(string(whole), `"Header":{}`, `"Header":null`, 1),
		strings.Replace(string(whole), `"Size":4`, `"Size":4611686018427387904`, 1),
		strings.Replace(string(whole), `"Size":4`, `"Size":-1`, 1),
	} {
		os.WriteFile(c.path("u"), []byte(bad), 0o600)
		if get() != nil {
			t.Errorf("%q: got an entry, want none", bad)
		}
	}
	os.WriteFile(c.path("u"), []byte(`{"URI":"other"}`), 0o600)
	if get() != nil {
		t.Error("metadata of another URI: got an entry, want none")
	}
}

// TestFilesOfOthersAreLeftAlone checks a directory with other files.
func TestFilesOfOthersAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	mine := []string{"package.json", "new-ideas.txt", "the.body", "0123.json", "notes"}
	for _, name := range mine {
		path := filepath.Join(dir, name)
		os.WriteFile(path, make([]byte, 5000), 0o600)
		os.Chtimes(path, time.Time{}, time.Unix(0, 0))
	}
	c, _ := Open(dir, 10_000)
	for i := range 20 {
		w, err := c.New(Meta{URI: string(rune('a' + i)), Header: map[string][]string{}})
		if err != nil {
			t.Fatal(err)
		}
		w.Write(make([]byte, 1500))
		w.Commit()
	}
	for _, name := range mine {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("got %v, want %s unchanged", err, name)
		}
	}
}

func TestReplacedBodiesAreGone(t *testing.T) {
	dir := t.TempDir()
	c, _ := Open(dir, 0)
	var reading *Entry
	for range 10 {
		w, err := c.New(Meta{URI: "u", Header: map[string][]string{}})
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, "body")
		w.Commit()
		if reading == nil {
			reading = c.Get("u", func(string) string { return "" })
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("got %d files for one entry, want 2", len(files))
	}
	if b, err := io.ReadAll(reading); string(b) != "body" || err != nil {
		t.Errorf("a reader of the first body: got %q, %v, want %q", b, err, "body")
	}
	reading.Close()
	c.Forget("u")
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("got %d files for no entry, want none", len(files))
	}
}

// The metadata of another program does not choose which file is removed.
func TestOnlyBodiesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	c, _ := Open(filepath.Join(dir, "cache"), 0)
	mine := filepath.Join(dir, "mine")
	for _, replace := range []func(){
		func() { c.Forget("u") },
		func() {
			w, _ := c.New(Meta{URI: "u", Header: map[string][]string{}})
			w.Commit()
		},
	} {
		os.WriteFile(mine, nil, 0o600)
		os.WriteFile(c.path("u"), []byte(`{"URI":"u","Body":"../mine","Header":{}}`), 0o600)
		replace()
		if _, err := os.Stat(mine); err != nil {
			t.Errorf("got %v, want a file outside the cache unchanged", err)
		}
	}
}

func TestTheLeastRecentlyUsedGoFirst(t *testing.T) {
	c, _ := Open(t.TempDir(), 10_000)
	past := time.Now().Add(-time.Hour)
	for i, uri := range []string{"a", "b", "c", "d", "e", "a", "f", "g", "h"} {
		if e := c.Get(uri, func(string) string { return "" }); e != nil {
			e.Close()
			continue
		}
		w, _ := c.New(Meta{URI: uri, Header: map[string][]string{}})
		w.Write(make([]byte, 1500))
		w.Commit()
		at := past.Add(time.Duration(i) * time.Minute)
		os.Chtimes(c.path(uri), at, at)
	}
	got := ""
	for _, uri := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		if e := c.Get(uri, func(string) string { return "" }); e != nil {
			got += uri
			e.Close()
		}
	}
	if want := "afgh"; got != want { // the sixth exceeded the size, and two were removed, so that a quarter is free again; later two more
		t.Errorf("got the entries %s, want %s", got, want)
	}
}
