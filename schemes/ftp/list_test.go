package ftp_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"example.org/deref/fetch"
	"example.org/deref/schemes/ftp/ftptest"
)

// unixNoGroup is ls -l without the group, after a "total" line.
func unixNoGroup(l ftptest.Listing) []string {
	out := []string{fmt.Sprintf("total %d", len(l.Entries))}
	for _, fi := range l.Entries {
		out = append(out, fmt.Sprintf("%s 1 owner %d Dec 20  1994 %s", fi.Mode(), fi.Size(), fi.Name()))
	}
	return out
}

// eplf is the format of publicfile.
func eplf(l ftptest.Listing) (out []string) {
	for _, fi := range l.Entries {
		what := fmt.Sprintf("r,s%d,", fi.Size())
		if fi.IsDir() {
			what = "/,"
		}
		out = append(out, fmt.Sprintf("+m787924800,%s\t%s", what, fi.Name()))
	}
	return out
}

// vms is the format of DIRECTORY: a version after each name, and a long name on a line of its own.
func vms(l ftptest.Listing) []string {
	out := []string{"", "Directory SYS$SYSDEVICE:[ANONYMOUS]", ""}
	for _, fi := range l.Entries {
		name := strings.ToUpper(fi.Name()) + ";1"
		rest := fmt.Sprintf("%6d  20-DEC-1994 12:00:00  [ANONYMOUS]  (RWED,RE,RE,RE)", (fi.Size()+511)/512)
		if len(name) > 19 {
			out = append(out, name, strings.Repeat(" ", 19)+rest)
			continue
		}
		out = append(out, fmt.Sprintf("%-19s%s", name, rest))
	}
	return append(out, "", fmt.Sprintf("Total of %d files.", len(l.Entries)))
}

// netWare is the format of Novell's server.
func netWare(l ftptest.Listing) (out []string) {
	for _, fi := range l.Entries {
		out = append(out, fmt.Sprintf("%.1s [RWCEAFMS] supervisor %12d Dec 20  1994 %s", fi.Mode(), fi.Size(), fi.Name()))
	}
	return out
}

// TestDialects lists the same directory in every dialect, and retrieves each entry.
func TestDialects(t *testing.T) {
	for name, d := range map[string]ftptest.Dialect{
		"UNIX": ftptest.UNIX, "UNIX without group": unixNoGroup, "DOS": ftptest.DOS, "EPLF": eplf, "NetWare": netWare,
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
						t.Errorf("got the directory %s, want a slash at its end", e.URI)
					}
					continue
				}
				body, err := l.Get(t.Context(), e.URI, nil)
				if err != nil {
					t.Errorf("%s: got %v, want no error", e.URI, err)
					continue
				}
				b, err := io.ReadAll(body.Body)
				body.Body.Close()
				want := site(t, "names/"+e.Title)
				if err != nil || string(b) != want || e.Size != int64(len(want)) || e.Modified.Year() != 1994 {
					t.Errorf("%+v: got %q, %v, want %q from 1994", e, b, err, want)
				}
			}
			if n != 21 {
				t.Errorf("got %d entries, want 21", n)
			}
		})
	}
}

// TestMembers: the URI of a member that OS/400 lists with its file retrieves it.
func TestMembers(t *testing.T) {
	l := newLab(t, &ftptest.Options{NoMLSD: true, List: func(ftptest.Listing) []string {
		return []string{"ANN   36864 18.12.94 14:21:26 *FILE      texts", "ANN                             *MEM       texts/lf.txt"}
	}})
	doc, err := l.get(t, "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	var last fetch.Entry
	for e, err := range doc.Entries {
		if err != nil {
			t.Fatal(err)
		}
		last = e
	}
	member, err := l.Get(t.Context(), last.URI, nil)
	if err != nil {
		t.Fatalf("%s: %v", last.URI, err)
	}
	defer member.Body.Close()
	if b, err := io.ReadAll(member.Body); err != nil || string(b) != site(t, "texts/lf.txt") || last.Title != "texts/lf.txt" {
		t.Errorf("%s, %q: got %q, %v, want the document", last.URI, last.Title, b, err)
	}
}

func TestVMS(t *testing.T) {
	l := newLab(t, &ftptest.Options{NoMLSD: true, List: vms})
	doc, err := l.get(t, "/texts/", nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for e := range doc.Entries {
		if e.Kind == fetch.KindUnknown {
			t.Errorf("got the line %q in no known format, want entries", e.Title)
		}
		found[e.Title] = true
	}
	if !found["NUMBERED.TXT"] {
		t.Errorf("got %v, want NUMBERED.TXT in it", found)
	}
}

// TestUnknownLine checks that a line in no known format is the title of an entry without a URI, and does not affect the others.
func TestUnknownLine(t *testing.T) {
	const strange = "?? one; two  three"
	list := func(l ftptest.Listing) []string { return append([]string{strange}, ftptest.UNIX(l)...) }
	l := newLab(t, &ftptest.Options{NoMLSD: true, List: list})
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
			t.Errorf("got no URI for %q, want one", e.Title)
		}
	}
	if n != 22 {
		t.Errorf("got %d entries, want 22", n)
	}
}

// TestLatin1Names checks that names that are not UTF-8 are unchanged, so that a view can find their charset, and that their URIs have the same
// bytes.
func TestLatin1Names(t *testing.T) {
	l := newLab(t, &ftptest.Options{Names: charmap.ISO8859_1})
	doc, err := l.get(t, "/names/", nil)
	if err != nil {
		t.Fatal(err)
	}
	for e := range doc.Entries {
		if e.Title != "caf\xe9.txt" {
			continue
		}
		if !strings.HasSuffix(e.URI.String(), "/caf%E9.txt") || e.Attr["octets"][0] != "caf\xe9.txt" {
			t.Errorf("got %+v, want /caf%%E9.txt and its bytes as attribute", e)
		}
		if b, err := l.Get(t.Context(), e.URI, nil); err != nil {
			t.Errorf("%s: got %v, want no error", e.URI, err)
		} else {
			b.Body.Close()
		}
		return
	}
	t.Error("got no entry caf\\xe9.txt, want one")
}

// TestCutListing checks that a broken listing yields the entries that have arrived, and then an error.
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
		t.Errorf("got %d entries, then %v, want some, then %s", n, last, fetch.ErrTransfer)
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
