package ftp_test

import (
	"io"
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
