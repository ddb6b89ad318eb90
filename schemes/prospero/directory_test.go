package prospero

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/prospero/prosperotest"
	"example.org/deref/uri"
)

func TestListing(t *testing.T) {
	s := prosperotest.NewServer(files(), &prosperotest.Options{Links: map[string][]string{"links": {
		"LINK  U DIRECTORY union INTERNET-D 127.0.0.1(1) ASCII '/u' 0",
		"LINK  L EXTERNAL menu INTERNET-D localhost(7070) ASCII '0/notes/one two' 0",
		"ATTRIBUTE CACHED FIELD ACCESS-METHOD GOPHER INTERNET-D localhost(7070) ASCII '0/notes/one two'",
		"LINK L FILE elsewhere INTERNET-D archive.example.org ASCII '/pub/it''s' 3",
		"LINK L SYMBOLIC sym VIRTUAL-SYSTEM '/here' ASCII '/papers' 0",
		"LINK L FILE 'bad host' INTERNET-D 'a b' ASCII /x 0",
		"LINK L FILE",
	}}})
	defer s.Close()
	d, body, err := get(t, s.URL+"/links", nil)
	if err != nil || d.Type != fetch.ListingType {
		t.Fatal(err)
	}
	want := `{"uri":"gopher://127.0.0.1:7070/00/notes/one%20two","title":"menu","kind":"file","attr":{"access-method":["GOPHER INTERNET-D localhost(7070) ASCII '0/notes/one two'"]}}
{"uri":"prospero://archive.example.org//pub/it%27s%003","title":"elsewhere","kind":"file"}
{"title":"sym","kind":"link","attr":{"target":["/papers"]}}
{"title":"bad host","kind":"file"}
{"title":"LINK L FILE","kind":"unknown"}
{"uri":"prospero://127.0.0.1:1//u","title":"union","kind":"dir","attr":{"union":["yes"]}}
`
	if body != want {
		t.Errorf("got\n%s\nwant\n%s", body, want)
	}
	_, body, err = get(t, s.URL+"/AFTP/pub", nil)
	if err != nil || strings.Count(body, "\n") != 6 || !strings.Contains(body,
		fmt.Sprintf(`{"uri":"prospero://%s/AFTP/pub/tides.txt","title":"tides.txt","kind":"file","size":20`, s.Addr)) {
		t.Errorf("got %v\n%s\nwant 6 entries with tides.txt", err, body)
	}
}

// TestDirectories: dirsrv returns the methods of a file for a directory, too, but no contents. The directory is listed, whichever method is
// requested.
func TestDirectories(t *testing.T) {
	s := prosperotest.NewServer(files(), &prosperotest.Options{
		Methods:  map[string][]string{"old": {"PROSPERO-CONTENTS '' '' '' ''", "LOCAL '' '' '' ''"}},
		Contents: map[string]string{"old": "NONE-FOUND\n"},
		Links:    map[string][]string{"old": {"LINK L FILE x INTERNET-D h.example ASCII /x 0"}},
	})
	defer s.Close()
	for path, want := range map[string]string{"old": "x", "AFTP": "pub", "AFTP/pub/deep": "a.txt"} {
		_, body, err := get(t, s.URL+"/"+path, nil)
		if err != nil || !strings.Contains(body, `"title":"`+want+`"`) || strings.Count(body, "\n") != 1 {
			t.Errorf("%s: got %q, %v, want the link %s", path, body, err, want)
		}
	}
	if _, _, err := get(t, s.URL+"/AFTP/pub;ACCESS-METHOD=PROSPERO-CONTENTS", nil); !errors.Is(err, fetch.ErrNotFound) {
		t.Errorf("contents of a directory: got %v, want %s", err, fetch.ErrNotFound)
	}
	// Without UNIX-MODES the answers are those of a file.
	var asked []string
	for _, l := range s.Transcript() {
		asked = append(asked, strings.Split(l, "\n")...)
	}
	if want := "GET-OBJECT-INFO ACCESS-METHOD+SIZE+UNIX-MODES ASCII AFTP/pub/deep 0"; !slices.Contains(asked, want) {
		t.Errorf("got the requests %q, want %s among them", asked, want)
	}
}

// TestItemTypes: the last word of the method GOPHER is a transfer mode or an item type, that of AFTP a transfer mode.
func TestItemTypes(t *testing.T) {
	at := place{hostType: "INTERNET-D", host: "h", hsoType: "ASCII", hsoname: "1/x"}
	for _, c := range []struct{ method, extra, want string }{
		{"GOPHER", "TEXT", "gopher://h/01/x"}, {"GOPHER", "ASCII", "gopher://h/01/x"}, {"GOPHER", "text", "gopher://h/01/x"},
		{"GOPHER", "BINARY", "gopher://h/91/x"}, {"GOPHER", "IMAGE", "gopher://h/91/x"},
		{"GOPHER", "0", "gopher://h/01/x"}, {"GOPHER", "g", "gopher://h/g1/x"}, {"GOPHER", "T", "gopher://h/T1/x"},
		{"GOPHER", "+", "gopher://h/+1/x"},
		{"GOPHER", "", "gopher://h/11/x"}, {"GOPHER", "MENU", "gopher://h/11/x"},
		{"AFTP", "ASCII", "ftp://h/1/x;type=a"}, {"AFTP", "TEXT", "ftp://h/1/x;type=a"}, {"AFTP", "BINARY", "ftp://h/1/x;type=i"},
		{"AFTP", "IMAGE", "ftp://h/1/x;type=i"},
		{"FTP", "ascii", "ftp://h/%2F1/x;type=a"}, {"AFTP", "", "ftp://h/1/x"}, {"AFTP", "EBCDIC", "ftp://h/1/x"},
	} {
		if got := (server{}).write(c.method, at, c.extra); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.method, c.extra, got, c.want)
		}
	}
}

// TestContentsOfSelf: a server may write its own address, or only the name of another object of its own, in the method PROSPERO-CONTENTS.
func TestContentsOfSelf(t *testing.T) {
	address := make(chan string, 1)
	s := prosperotest.NewServer(files(), &prosperotest.Options{
		Methods:  map[string][]string{"x": {"PROSPERO-CONTENTS INTERNET-D SELF ASCII x"}, "y": {"PROSPERO-CONTENTS '' '' '' x"}},
		Contents: map[string]string{"x": "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA hello\n"},
		Fault: func(_ int, d []byte) [][]byte {
			self := <-address
			address <- self
			return [][]byte{bytes.ReplaceAll(d, []byte("SELF"), []byte(self))}
		},
	})
	defer s.Close()
	at := netip.MustParseAddrPort(s.Addr)
	address <- fmt.Sprintf("%s(%d)", at.Addr(), at.Port())
	for _, path := range []string{"x", "y"} {
		if d, body, err := get(t, s.URL+"/"+path, nil); err != nil || body != "hello" || d.URI.String() != s.URL+"/x" {
			t.Errorf("%s: got %q, %v, want hello from %s/x", path, body, err, s.URL)
		}
	}
}

// TestReferrals: methods become URIs, in the server's order.
func TestReferrals(t *testing.T) {
	s := prosperotest.NewServer(files(), &prosperotest.Options{
		Methods: map[string][]string{"/o": {
			"PROSPERO-CONTENTS '' '' '' ''", "LOCAL '' '' '' '/loc'", "TELNET INTERNET-D t.example(2323) '' ''",
			"AFTP INTERNET-D F.EXAMPLE ASCII '/a b' BINARY", "FTP INTERNET-D f.example ASCII /abs TEXT",
			"GOPHER INTERNET-D g.example(7070) ASCII '/x' 1", "RCP INTERNET-D r ASCII /x", "HTTP INTERNET-D w.example ASCII /i?q",
			"AFS '' '' '' /cell/x", "WAIS INTERNET-D w.example(210) ASCII WAIS/OBJECT/db/TEXT/1",
			"AFTP INTERNET-D 'f/..' ASCII /x", "AFTP INTERNET-D f(99999) ASCII /x", "PROSPERO-CONTENTS INTERNET-D p.example ASCII /y", "X",
		}},
		Forward: map[string]string{"/f": "far.example.org(191)"},
	})
	defer s.Close()
	for path, want := range map[string]string{
		"/o": "ftp://f.example/a%20b;type=i ftp://f.example/%2Fabs;type=a gopher://g.example:7070/1/x http://w.example/i?q afs://cell/x " +
			"wais://w.example/db/TEXT/1 prospero://p.example//y SELF;ACCESS-METHOD=PROSPERO-CONTENTS telnet://t.example:2323 file:///loc",
		"/f": "prospero://far.example.org:191//f",
	} {
		c := fetch.New(Scheme())
		c.Policy.NoFollow = true
		d, _, err := get(t, s.URL+"/"+path, c)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range d.Referrals {
			got = append(got, r.URI.String())
		}
		if strings.Join(got, " ") != strings.ReplaceAll(want, "SELF", s.URL+"/"+path) {
			t.Errorf("%s: got %s, want %s", path, strings.Join(got, " "), want)
		}
	}
}

func TestForwardedCircle(t *testing.T) {
	s := prosperotest.NewServer(files(), &prosperotest.Options{Forward: map[string]string{"/f": prosperotest.Self}})
	defer s.Close()
	if _, _, err := get(t, s.URL+"//f", nil); !errors.Is(err, fetch.ErrRedirect) {
		t.Errorf("got %v, want kind %s", err, fetch.ErrRedirect)
	}
}

func TestMetadata(t *testing.T) {
	s := prosperotest.NewServer(files(), nil)
	defer s.Close()
	d, err := fetch.New(Scheme()).Get(context.Background(), uri.MustParse(s.URL+"/AFTP/pub/tides.txt"), &fetch.Options{Op: fetch.Metadata})
	if err != nil || d.Size != 20 || d.Type != "text/plain" || d.Header.Get("Unix-Modes") == "" {
		t.Errorf("got %+v, %v, want text/plain of 20 bytes with Unix-Modes", d, err)
	}
}

// TestRedirected checks that the request is repeated at the address in the header.
func TestRedirected(t *testing.T) {
	there := prosperotest.NewServer(files(), nil)
	defer there.Close()
	to := netip.MustParseAddrPort(there.Addr)
	here := prosperotest.NewServer(files(), &prosperotest.Options{Fault: func(_ int, d []byte) [][]byte {
		return [][]byte{{19, d[1], d[2], 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1, byte(to.Port() >> 8), byte(to.Port())}}
	}})
	defer here.Close()
	d, body, err := get(t, here.URL+"/AFTP/pub/deep/a.txt", nil)
	if err != nil || body != "a" || d.URI.String() != there.URL+"/AFTP/pub/deep/a.txt" {
		t.Errorf("got %q, %v, want a from the other server", body, err)
	}
}

// TestLongLinks: what is kept of a listing until it is yielded is limited like a reply, and a listing as a whole is not.
func TestLongLinks(t *testing.T) {
	attribute := "ATTRIBUTE OBJECT INTRINSIC COMMENT SEQUENCE " + strings.Repeat("x", 300)
	link := func(kind string, n int) []string {
		return append([]string{"LINK " + kind + " FILE x INTERNET-D h.example ASCII /x 0"}, slices.Repeat([]string{attribute}, n)...)
	}
	s := prosperotest.NewServer(files(), &prosperotest.Options{Links: map[string][]string{
		"many": slices.Repeat(link("L", 2), 10), "long": link("L", 10), "unions": slices.Repeat(link("U", 2), 10),
	}})
	defer s.Close()
	for path, want := range map[string]fetch.Kind{"many": "", "long": fetch.ErrLimit, "unions": fetch.ErrLimit} {
		c := fetch.New(Scheme())
		c.Limits.Reply = 2000
		if _, _, err := get(t, s.URL+"/"+path, c); fetch.KindOf(err) != want {
			t.Errorf("%s: got %v, want kind %q", path, err, want)
		}
		c.Close()
	}
}
