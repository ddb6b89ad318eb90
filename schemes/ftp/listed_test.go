package ftp_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/ftp/ftptest"
)

// TestListed: SIZE and MDTM are not sent if a listing has stated what they would, and a file of another size is not the listed one.
func TestListed(t *testing.T) {
	const path = "/names/a%20folder/b%20folder/c%20d.txt"
	l := newLab(t, &ftptest.Options{})
	plain, err := l.get(t, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	exact := fetch.Entry{Kind: fetch.KindFile, Size: plain.Size, Modified: plain.Modified, Precision: time.Second}
	change := func(f func(*fetch.Entry)) *fetch.Entry {
		e := exact
		f(&e)
		return &e
	}
	for _, tt := range []struct {
		name string
		o    fetch.Options
		want string // of SIZE and MDTM, those that are sent
		kind fetch.Kind
	}{
		{"nothing listed", fetch.Options{}, "SIZE MDTM", ""},
		{"exact", fetch.Options{Listed: &exact}, "", ""},
		{"minute", fetch.Options{Listed: change(func(e *fetch.Entry) { e.Precision = time.Minute })}, "MDTM", ""},
		{"zone unknown", fetch.Options{Listed: change(func(e *fetch.Entry) { e.ZoneUnknown = true })}, "MDTM", ""},
		{"fraction", fetch.Options{Listed: change(func(e *fetch.Entry) { e.Modified = e.Modified.Add(time.Millisecond) })}, "MDTM", ""},
		{"no time", fetch.Options{Listed: change(func(e *fetch.Entry) { e.Modified = time.Time{} })}, "MDTM", ""},
		{"size unknown", fetch.Options{Listed: change(func(e *fetch.Entry) { e.Size = -1 })}, "SIZE MDTM", ""},
		{"link", fetch.Options{Listed: change(func(e *fetch.Entry) { e.Kind = fetch.KindLink })}, "SIZE MDTM", ""},
		{"range", fetch.Options{Listed: &exact, Range: fetch.Range{From: 1}}, "SIZE MDTM", ""},
		{"condition", fetch.Options{Listed: &exact, IfChanged: fetch.Validator{Modified: "19900101000000"}}, "SIZE MDTM", ""},
		{"smaller", fetch.Options{Listed: change(func(e *fetch.Entry) { e.Size-- })}, "", fetch.ErrChanged},
		{"larger", fetch.Options{Listed: change(func(e *fetch.Entry) { e.Size++ })}, "", fetch.ErrChanged},
	} {
		var sent steps
		got, err := l.text(t, path, sent.options(tt.o))
		if fetch.KindOf(err) != tt.kind {
			t.Errorf("%s: got %v, want kind %q", tt.name, err, tt.kind)
		}
		if want := site(t, "names/a folder/b folder/c d.txt")[tt.o.Range.From:]; err == nil && got != want {
			t.Errorf("%s: got %q, want %q", tt.name, got, want)
		}
		var asked []string
		for _, line := range sent.list {
			if verb, _, _ := strings.Cut(line, " "); verb == "SIZE" || verb == "MDTM" {
				asked = append(asked, verb)
			}
		}
		if got := strings.Join(asked, " "); got != tt.want {
			t.Errorf("%s: sent %q, want %q", tt.name, got, tt.want)
		}
	}
	d, err := l.get(t, path, &fetch.Options{Listed: &exact})
	if err != nil || d.Validator != plain.Validator || !d.Modified.Equal(plain.Modified) || d.Size != plain.Size ||
		!slices.Equal(d.Header["Last-Modified"], plain.Header["Last-Modified"]) {
		t.Errorf("got %v, %+v, want the facts %+v", err, d, plain)
	}
}
