package promises_test

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// TestRealServers fetches from third-party servers: a text, a binary of 64 MiB, a name with blanks, a directory or menu,
// and something missing.
func TestRealServers(t *testing.T) {
	for _, s := range []struct {
		name, scheme, text, binary, blank, listing, missing string
		listed                                              string // a title in the listing; "" where the protocol has none
		crlf                                                bool   // QUIRK: gophernicus changes the line ends of texts
	}{
		{"vsftpd", "ftp", "/pub/README.txt", "/pub/random64m.bin", "/pub/name%20with%20spaces.txt", "/pub/deep/", "/pub/nonesuch", "d1", false},
		{"proftpd", "ftp", "/pub/README.txt", "/pub/random64m.bin", "/pub/name%20with%20spaces.txt", "/pub/deep", "/pub/nonesuch", "d1", false},
		{"pureftpd", "ftp", "/pub/README.txt", "/pub/random64m.bin", "/pub/name%20with%20spaces.txt", "/pub/deep/", "/pub/nonesuch", "d1", false},
		{"nginx", "http", "/README.txt", "/random64m.bin", "/name%20with%20spaces.txt", "/html/", "/nonesuch", "", false},
		{"gophernicus", "gopher", "/0/README.txt", "/9/random64m.bin", "/0/name%20with%20spaces.txt", "/1/menu", "/1/nonesuch/", "A text file",
			true},
		{"pygopherd", "gopher", "/0/README.txt", "/9/random64m.bin", "/0/name%20with%20spaces.txt", "/1/menu", "/0/nonesuch", "A text file",
			false},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			at := s.scheme + "://" + lab.Server(t, s.name)
			c := fetch.New(schemes.All(nil)...)
			t.Cleanup(func() { c.Close() })
			for path, file := range map[string]string{s.text: "pub/README.txt", s.binary: "pub/random64m.bin", s.blank: "pub/name with spaces.txt"} {
				want := lab.Read(t, file)
				if s.crlf && path != s.binary {
					want = bytes.ReplaceAll(want, []byte("\n"), []byte("\r\n"))
				}
				if got := read(t, c, at+path); !bytes.Equal(got, want) {
					t.Errorf("%s: %d octets that are not the %d of the file", path, len(got), len(want))
				}
			}
			if titles := list(t, c, at+s.listing); s.listed != "" && !slices.Contains(titles, s.listed) {
				t.Errorf("%s lists %q, and not %q", s.listing, titles, s.listed)
			}
			if d, err := c.Get(t.Context(), uri.MustParse(at+s.missing), nil); fetch.KindOf(err) != fetch.ErrNotFound {
				t.Errorf("%s: %v, %v, want notfound", s.missing, d, err)
			}
		})
	}
}

func read(t *testing.T, c *fetch.Client, u string) []byte {
	t.Helper()
	d, err := c.Get(t.Context(), uri.MustParse(u), nil)
	if err != nil {
		t.Errorf("%s: %v", u, err)
		return nil
	}
	defer d.Body.Close()
	b, err := io.ReadAll(d.Body)
	if err != nil {
		t.Errorf("%s: %v", u, err)
	}
	return b
}

func list(t *testing.T, c *fetch.Client, u string) (titles []string) {
	t.Helper()
	d, err := c.Get(t.Context(), uri.MustParse(u), nil)
	if err != nil {
		t.Errorf("%s: %v", u, err)
		return nil
	}
	defer d.Body.Close()
	if d.Entries == nil {
		return nil
	}
	for e, err := range d.Entries {
		if err != nil {
			t.Errorf("%s: %v", u, err)
		}
		titles = append(titles, e.Title)
	}
	return titles
}
