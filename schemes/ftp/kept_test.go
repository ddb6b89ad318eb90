package ftp_test

import (
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/ftp/ftptest"
)

func TestParallel(t *testing.T) {
	l := newLab(t, nil)
	paths := []string{"/README.txt", "/texts/lf.txt", "/names/a%20folder/b%20folder/c%20d.txt", "/images/bytes.bin", "/names/1"}
	files := []string{"README.txt", "texts/lf.txt", "names/a folder/b folder/c d.txt", "images/bytes.bin", "names/1"}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 30 {
				k := (g + i) % len(paths)
				if got, err := l.text(t, paths[k], nil); err != nil || got != site(t, files[k]) {
					t.Errorf("%s: got %d bytes, %v, want %d", paths[k], len(got), err, len(site(t, files[k])))
				}
			}
		})
	}
	all.Wait()
	if n := l.srv.Sessions(); n > 24 { // eight that are kept, and those that could not return to the login directory
		t.Errorf("got %d sessions for 240 documents, want at most 24", n)
	}
}

func TestReuse(t *testing.T) {
	l := newLab(t, nil)
	for i, path := range []string{"/README.txt", "/texts/lf.txt", "/texts/utf8.txt", "/names/1", "/names/a%20folder/", "/README.txt",
		"/nonesuch", "/%2Ftexts/lf.txt", "/texts/lf.txt", "/texts/lf.txt;type=a"} {
		d, err := l.get(t, path, nil)
		if err != nil {
			if path == "/nonesuch" {
				continue
			}
			t.Fatal(i, err)
		}
		n := 0
		if d.Entries != nil {
			for range d.Entries {
				n++
			}
		} else {
			io.Copy(io.Discard, d.Body)
		}
		d.Body.Close()
	}
	received := l.srv.Transcript()
	if n := l.srv.Sessions(); n > 3 {
		t.Errorf("got %d sessions, want at most 3: %q", n, received)
	}
	if !slices.Contains(received, "CWD /") {
		t.Errorf("got %q, want CWD / in it", received)
	}
}

func TestStaleConnection(t *testing.T) {
	inBubble(t, &ftptest.Options{Idle: 300 * time.Millisecond}, func(t *testing.T, l *setting) {
		for range 3 {
			if _, err := l.text(t, "/README.txt", nil); err != nil {
				t.Fatal(err)
			}
		}
		if !l.srv.Wait(time.Hour) {
			t.Fatal("got a kept connection, want the server to close it")
		}
		if _, err := l.text(t, "/README.txt", nil); err != nil {
			t.Errorf("got %v after the server closed the kept connection, want no error", err)
		}
	})
}

// TestKeptConnections checks that a request uses a new connection if the kept one fails.
func TestKeptConnections(t *testing.T) {
	tests := []struct {
		name string
		o    ftptest.Options
		set  string
	}{
		{name: "no way back to the login directory",
			o: ftptest.Options{Faults: &ftptest.Faults{Reply: replies("CWD /", "550 Absolute names are not allowed")}}},
		{name: "no way back, serial", o: ftptest.Options{Faults: &ftptest.Faults{Reply: replies("CWD /",
			"550 Absolute names are not allowed")}}, set: "no"},
		{name: "two files a session", o: ftptest.Options{Faults: &ftptest.Faults{Transfers: 2}}},
		{name: "two files a session, serial", o: ftptest.Options{Faults: &ftptest.Faults{Transfers: 2}}, set: "no"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(t, &tt.o)
			o := &fetch.Options{}
			if tt.set != "" {
				o.Set = map[string][]string{"ftp.pipeline": {tt.set}}
			}
			for i, name := range []string{"README.txt", "texts/lf.txt", "texts/utf8.txt", "README.txt", "names/1", "texts/lf.txt", "README.txt"} {
				if got, err := l.text(t, "/"+name, o); err != nil || got != site(t, name) {
					t.Errorf("%d: %s: got %q, %v, want %q; the server received %q", i, name, got, err, site(t, name), l.srv.Transcript())
				}
			}
		})
	}
}
