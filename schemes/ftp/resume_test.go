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

func TestParts(t *testing.T) {
	const path = "/images/bytes.bin"
	l := newLab(t, nil)
	whole := site(t, path[1:])
	n := int64(len(whole))
	d, err := l.get(t, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	same := d.Validator
	io.Copy(io.Discard, d.Body)
	if same.Modified != "19941220120000" || same.Size != n || d.Modified.Year() != 1994 {
		t.Fatalf("got %+v and %v, want 19941220120000 and %d bytes", same, d.Modified, n)
	}
	other := fetch.Validator{Modified: "19950101000000", Size: n}
	tests := []struct {
		name   string
		rng    fetch.Range
		same   fetch.Validator
		o      ftptest.Options
		offset int64
		want   string
		fail   fetch.Kind
	}{
		{name: "from", rng: fetch.Range{From: 10}, offset: 10, want: whole[10:]},
		{name: "from to", rng: fetch.Range{From: 10, To: 20}, offset: 10, want: whole[10:20]},
		{name: "to", rng: fetch.Range{To: 20}, want: whole[:20]},
		{name: "to beyond the end", rng: fetch.Range{From: 10, To: n + 5}, offset: 10, want: whole[10:]},
		{name: "last", rng: fetch.Range{From: -7}, offset: n - 7, want: whole[n-7:]},
		{name: "more than all", rng: fetch.Range{From: -n - 7}, want: whole},
		{name: "nothing left", rng: fetch.Range{From: n}, offset: n, want: ""},
		{name: "beyond the end", rng: fetch.Range{From: n + 1}, fail: fetch.ErrRange},
		{name: "beyond the end, sent empty", rng: fetch.Range{From: n + 1}, o: ftptest.Options{EmptyBeyondEnd: true}, fail: fetch.ErrRange},
		{name: "nothing left, sent empty", rng: fetch.Range{From: n}, o: ftptest.Options{EmptyBeyondEnd: true}, offset: n, want: ""},
		{name: "same", rng: fetch.Range{From: 10}, same: same, offset: 10, want: whole[10:]},
		{name: "changed", rng: fetch.Range{From: 10}, same: other, want: whole},
		{name: "no REST", rng: fetch.Range{From: 10}, o: ftptest.Options{NoREST: true}, fail: fetch.ErrRange},
		{name: "same, no REST", rng: fetch.Range{From: 10}, same: same, o: ftptest.Options{NoREST: true}, want: whole},
		{name: "REST ignored", rng: fetch.Range{From: 10}, o: ftptest.Options{Faults: &ftptest.Faults{IgnoreREST: true}}, fail: fetch.ErrRange},
		{name: "last, no SIZE", rng: fetch.Range{From: -7}, o: ftptest.Options{NoSIZE: true}, fail: fetch.ErrRange},
		{name: "from, serial", rng: fetch.Range{From: 10}, o: ftptest.Options{NoPipelining: true}, offset: 10, want: whole[10:]},
		{name: "from, EPSV refused", rng: fetch.Range{From: 10}, o: ftptest.Options{NoEPSV: true}, offset: 10, want: whole[10:]},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, &tt.o, func(t *testing.T, l *setting) {
				var b []byte
				d, err := l.get(t, path, &fetch.Options{Range: tt.rng, IfSame: tt.same})
				if err == nil {
					b, err = io.ReadAll(d.Body)
				}
				if fetch.KindOf(err) != tt.fail {
					t.Fatalf("got %v, want %q; the server received %q", err, tt.fail, l.srv.Transcript())
				}
				if err == nil && (string(b) != tt.want || d.Offset != tt.offset || d.Size != n && !tt.o.NoSIZE) {
					t.Errorf("got %d bytes from %d of %d, want %d from %d; the server received %q",
						len(b), d.Offset, d.Size, len(tt.want), tt.offset, l.srv.Transcript())
				}
			})
		})
	}
	if _, err := l.get(t, path+";type=a", &fetch.Options{Range: fetch.Range{From: 1}}); fetch.KindOf(err) != fetch.ErrRange {
		t.Errorf("a part in TYPE A: got %v, want %s", err, fetch.ErrRange)
	}
}

func TestIfChanged(t *testing.T) {
	l := newLab(t, nil)
	for _, tt := range []struct {
		v    fetch.Validator
		same bool
	}{
		{fetch.Validator{Modified: "19941220120000"}, true},
		{fetch.Validator{Modified: "Tue, 20 Dec 1994 12:00:00 GMT"}, true},
		{fetch.Validator{Modified: "Mon, 19 Dec 1994 12:00:00 GMT"}, false},
		{fetch.Validator{Modified: time.Now().Format(time.RFC3339)}, true},
		{fetch.Validator{Modified: "19941220120000", Size: 1}, false},
	} {
		d, err := l.get(t, "/README.txt", &fetch.Options{IfChanged: tt.v})
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(d.Body)
		if err != nil || d.NotModified != tt.same || tt.same == (len(b) > 0) {
			t.Errorf("%+v: got %v, %d bytes, %v, want %v", tt.v, d.NotModified, len(b), err, tt.same)
		}
	}
}

func TestTextFromTheNetwork(t *testing.T) {
	for _, o := range []ftptest.Options{{}, {DoubleCR: true}} {
		l := newLab(t, &o)
		for _, name := range []string{"texts/lf.txt", "texts/nofinal.txt", "texts/empty.txt"} {
			if got, err := l.text(t, "/"+name+";type=a", nil); err != nil || got != site(t, name) {
				t.Errorf("%s: got %q, %v, want %q", name, got, err, site(t, name))
			}
		}
	}
}

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
