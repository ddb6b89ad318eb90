package nex

import (
	"io"
	"reflect"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/schemes/nex/nextest"
	"example.org/deref/uri"
)

func TestServer(t *testing.T) {
	srv := nextest.NewServer(fstest.MapFS{"about.txt": {Data: []byte("About.\n")}, "log/1 a.bin": {Data: []byte("\xff\r\n")}}, nil)
	defer srv.Close()
	c := fetch.New(Scheme())
	defer c.Close()
	for _, tt := range []struct {
		path, said, body, typ string
		links                 []string
	}{
		{"/about.txt", "about.txt", "About.\n", "text/plain", nil},
		{"/log/1%20a.bin#x", "log/1 a.bin", "\xff\r\n", "application/octet-stream", nil},
		{"", "", "=> ./about.txt about.txt\n=> ./log/ log/\n", "text/plain", []string{"/about.txt", "/log/"}},
		{"/log/", "log/", "=> ./1%20a.bin 1 a.bin\n", "text/plain", []string{"/log/1%20a.bin"}},
		{"/none", "none", "document not found\n", "text/plain", nil}, // the protocol has no errors
	} {
		d, err := c.Get(t.Context(), uri.MustParse(srv.URL+tt.path), nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(d.Body)
		d.Body.Close()
		if err != nil || string(b) != tt.body || d.Type != tt.typ {
			t.Errorf("%s: got %q, %v, type %s, want %q, type %s", tt.path, b, err, d.Type, tt.body, tt.typ)
		}
		if said := srv.Transcript(); said[len(said)-1] != tt.said {
			t.Errorf("%s: got the request %q, want %q", tt.path, said[len(said)-1], tt.said)
		}
		if d, err = c.Get(t.Context(), uri.MustParse(srv.URL+tt.path), nil); err != nil || (d.Entries != nil) != (tt.links != nil) {
			t.Fatalf("%s: got %+v, %v, want links %q", tt.path, d, err, tt.links)
		}
		var links []string
		if d.Entries != nil {
			for e, err := range d.Entries {
				if links = append(links, e.URI.String()[len(srv.URL):]); err != nil {
					t.Errorf("%s: got %v, want no error", tt.path, err)
				}
			}
		}
		if d.Body.Close(); !reflect.DeepEqual(links, tt.links) {
			t.Errorf("%s: got links %q, want %q", tt.path, links, tt.links)
		}
	}
}

func TestPlans(t *testing.T) {
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "nex://h/a%20b.gif", Want: "tcp h:1900 document image/gif\na b.gif"},
		{URI: "nex://h:7/a", Kind: fetch.ErrRefusedPort},
		{URI: "nex://h/a.unheard-of", Want: "tcp h:1900 document application/octet-stream\na.unheard-of"},
		{URI: "nex://h/d.x/a", Want: "tcp h:1900 document text/plain\nd.x/a"},
		{URI: "nex://h/d/", Want: "tcp h:1900 listing text/plain\nd/"},
		{URI: "nex://h/a?b", Kind: fetch.ErrRefusedURL},
		{URI: "nex:a", Kind: fetch.ErrRefusedURL},
		{URI: "nex://h/a", Options: fetch.Options{Search: []string{"b"}}, Kind: fetch.ErrUnsupported},
		{URI: "nex://h/a", Options: fetch.Options{Range: fetch.Range{From: 1}}, Kind: fetch.ErrRange},
	}, Scheme())
}

func TestConformance(t *testing.T) {
	fetchtest.Test(t, Scheme(),
		fetchtest.Case{Name: "text", URI: "nex://nex.example/about.txt", Body: "About.\r\n", Type: "text/plain", End: fetch.EndClosed, Script: `
*: [connected to 127.0.0.1:1900]
*: about.txt
C: about.txt
S: About.
*: [end]
`},
		fetchtest.Case{Name: "directory", URI: "nex://nex.example", Body: "Hello\r\n=> about.txt\r\n", Script: `
C:
S: Hello
S: => about.txt
*: [end]
`},
		fetchtest.Case{Name: "octets", URI: "nex://nex.example/x.bin", Body: "\x00\xff", Script: `
C: x.bin
S= AP8=
*: [end]
`},
		fetchtest.Case{Name: "nothing", URI: "nex://nex.example/about.txt", Err: fetch.ErrTruncated, Script: `
C: about.txt
*: [end]
`},
		fetchtest.Case{Name: "two lines", URI: "nex://nex.example/a%0D%0Ab", Err: fetch.ErrRefusedURL},
	)
}

// TestPage checks that the table of replies is documented.
func TestPage(t *testing.T) { schemetest.Page(t, outcomes, Scheme()) }

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"nex://h/a%20b.gif", "nex://h", "nex://h/%0A", "nex:x"}, Scheme())
}
