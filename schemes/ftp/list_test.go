package ftp_test

import (
	"io"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/ftp/ftptest"
)

// Every dialect of LIST names the same folder, and each entry leads to its file.
func TestDialects(t *testing.T) {
	for name, d := range map[string]ftptest.Dialect{
		"UNIX": ftptest.UNIX, "UNIX without group": ftptest.UNIXNoGroup, "DOS": ftptest.DOS, "EPLF": ftptest.EPLF, "NetWare": ftptest.NetWare,
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, &ftptest.Options{NoMLSD: true, List: d})
			doc, err := l.get(t, "/names/", nil)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for e, err := range doc.Entries {
				if err != nil {
					t.Fatal(err)
				}
				n++
				if e.Kind == fetch.KindDir {
					if !strings.HasSuffix(e.URI.String(), "/") {
						t.Errorf("the folder %s", e.URI)
					}
					continue
				}
				body, err := l.Get(t.Context(), e.URI, nil)
				if err != nil {
					t.Errorf("%s: %v", e.URI, err)
					continue
				}
				b, err := io.ReadAll(body.Body)
				body.Body.Close()
				want := site(t, "names/"+e.Title)
				if err != nil || string(b) != want || e.Size != int64(len(want)) || e.Modified.Year() != 1994 {
					t.Errorf("%+v: %q, %v; want %q", e, b, err, want)
				}
			}
			if n != 21 {
				t.Errorf("%d entries", n)
			}
		})
	}
}

func TestVMS(t *testing.T) {
	l := newLab(t, &ftptest.Options{NoMLSD: true, List: ftptest.VMS})
	doc, err := l.get(t, "/texts/", nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for e := range doc.Entries {
		if e.Kind == fetch.KindUnknown {
			t.Errorf("unknown: %q", e.Title)
		}
		found[e.Title] = true
	}
	if !found["NUMBERED.TXT"] {
		t.Errorf("%v", found)
	}
}

// A line in a format that is not known is the title of an entry without a URI, and costs the others nothing.
func TestUnknownLine(t *testing.T) {
	const strange = "?? one; two  three"
	l := newLab(t, &ftptest.Options{NoMLSD: true, List: func(l ftptest.Listing) []string { return append([]string{strange}, ftptest.UNIX(l)...) }})
	doc, err := l.get(t, "/names/", nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for e, err := range doc.Entries {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 1 && (e.Title != strange || e.URI.String() != "" || e.Kind != fetch.KindUnknown) {
			t.Errorf("got %q %q %v, want %q without a URI", e.Title, e.URI, e.Kind, strange)
		}
		if n > 1 && e.URI.String() == "" {
			t.Errorf("%q has no URI", e.Title)
		}
	}
	if n != 22 {
		t.Errorf("got %d entries, want 22", n)
	}
}

// Names that are not UTF-8 are shown as ISO 8859-1, and their octets lead back.
func TestLatin1Names(t *testing.T) {
	l := newLab(t, &ftptest.Options{Latin1: true})
	doc, err := l.get(t, "/names/", nil)
	if err != nil {
		t.Fatal(err)
	}
	for e := range doc.Entries {
		if e.Title != "caf\u00e9.txt" {
			continue
		}
		if !strings.HasSuffix(e.URI.String(), "/caf%E9.txt") || e.Attr["octets"][0] != "caf\xe9.txt" {
			t.Errorf("%+v", e)
		}
		if b, err := l.Get(t.Context(), e.URI, nil); err != nil {
			t.Errorf("%s: %v", e.URI, err)
		} else {
			b.Body.Close()
		}
		return
	}
	t.Error("no café")
}

// A listing that breaks yields what came, and then says so.
func TestCutListing(t *testing.T) {
	l := newLab(t, &ftptest.Options{Faults: &ftptest.Faults{CutDataAfter: 200}})
	doc, err := l.get(t, "/names/", nil)
	if err != nil {
		t.Fatal(err)
	}
	n, last := 0, error(nil)
	for _, err := range doc.Entries {
		n++
		last = err
	}
	if n < 2 || fetch.KindOf(last) != fetch.ErrTransfer {
		t.Errorf("%d entries, then %v", n, last)
	}
}

func TestEndlessListing(t *testing.T) {
	l := newLab(t, &ftptest.Options{Faults: &ftptest.Faults{Endless: true}})
	l.Limits.Entries = 100
	doc, err := l.get(t, "/names/", nil)
	if err != nil {
		t.Fatal(err)
	}
	last := error(nil)
	for _, err := range doc.Entries { // it would not end
		last = err
	}
	if fetch.KindOf(last) != fetch.ErrLimit {
		t.Errorf("got %v, want %s", last, fetch.ErrLimit)
	}
}
