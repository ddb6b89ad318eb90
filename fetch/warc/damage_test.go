package warc_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
)

// Four damaged bytes, wherever they are, make only one record unreadable: all other URIs still work.
func TestDamage(t *testing.T) {
	long(t, "writes many archives")
	page := web(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.URL.Path, strings.Repeat("What is spoken today is RFC 959. ", len(r.URL.Path)*4))
	})
	const pages = 6
	for _, form := range []string{"a.warc", "a.warc.gz", "a.warc.zst"} {
		name := filepath.Join(t.TempDir(), form)
		var uris []string
		for i := range pages {
			uris = append(uris, page+"/"+strings.Repeat("x", i))
		}
		capture(t, name, nil, nil, uris...)
		whole := contentOf(t, name)
		for at := 0; at+4 <= len(whole); at += 257 {
			b := bytes.Clone(whole)
			for i := range 4 {
				b[at+i] ^= 0x55
			}
			write(t, name, b)
			a, err := warc.OpenArchive(handlers(), name)
			if err != nil {
				t.Fatalf("%s, byte %d: %v", form, at, err)
			}
			c := fetch.New(a.Schemes()...)
			bad := 0
			for i, u := range uris {
				got, err := read(c, u)
				switch want := strings.TrimPrefix(u, page); {
				case err != nil:
					bad++
				case !strings.HasPrefix(got, want+"What") || len(got) != len(want)+33*4*(i+1):
					t.Errorf("%s, byte %d: %s: got %d bytes %.20q and no error", form, at, u, len(got), got)
				}
			}
			c.Close()
			if bad > 1 {
				t.Errorf("%s, byte %d: %d URIs of %d fail, want at most 1", form, at, bad, pages)
			}
		}
	}
}

// A document that is an archive itself does not replace a damaged record or the records after it.
func TestDamageShowsNoArchiveWithin(t *testing.T) {
	inner := filepath.Join(t.TempDir(), "inner.warc.gz")
	dense := make([]byte, 4096)
	rand.NewChaCha8([32]byte{1}).Read(dense)
	fake := web(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		w.Write(dense)
	})
	capture(t, inner, nil, nil, fake+"/account")
	b := contentOf(t, inner)
	page := web(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/warc")
		w.Write(b)
	})
	for _, last := range []bool{false, true} {
		name := filepath.Join(t.TempDir(), "outer.warc.gz")
		uris := []string{page + "/first", page + "/second"}
		if last {
			uris = uris[:1]
		}
		capture(t, name, nil, nil, uris...)
		outer := contentOf(t, name)
		at := bytes.Index(outer, b) - 40 // within the header of the response
		if at < 0 {
			t.Fatal("the document is not stored verbatim")
		}
		copy(outer[at:], "\x00\x00\x00\x00")
		write(t, name, outer)
		if got, err := replayed(t, fake+"/account", nil, name); !errors.Is(err, fetch.ErrNotFound) {
			t.Errorf("got %d bytes, %v from the inner archive, want none", len(got), err)
		}
	}
}

// An archive that is cut anywhere has one fault at most: its last record is not complete.
func TestCutArchiveHasOneFault(t *testing.T) {
	t.Parallel()
	step := 7
	if testing.Short() {
		step = 41
	}
	for _, name := range []string{"testdata/warcio.warc.gz", "testdata/wget-http.warc.gz"} {
		b := contentOf(t, name)
		var whole []string
		warc.Check(bytes.NewReader(b), func(f warc.Fault) { whole = append(whole, f.Text) })
		for _, cut := range places(recordEnds(t, b), 9, step) { // the end of a gzip member has 8 bytes
			var more []string
			if _, err := warc.Check(bytes.NewReader(b[:cut]), func(f warc.Fault) {
				if !slices.Contains(whole, f.Text) {
					more = append(more, f.Text)
				}
			}); err != nil || len(more) > 1 || len(more) == 1 && more[0] != "the archive ends within a record" {
				t.Errorf("%s cut at %d: got %q, %v; want an end within a record at most", name, cut, more, err)
			}
		}
	}
}
