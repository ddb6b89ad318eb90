package browse

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/file"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/gemini"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
	schemehttp "example.org/deref/schemes/http"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// A user drives a Browser as a terminal does.
type user struct {
	*Browser
	t *testing.T
}

// newUser returns a user in front of a screen of 80×24.
func newUser(t *testing.T, set func(*Config)) *user {
	t.Helper()
	c := fetch.New(slices.Concat(schemehttp.Schemes(nil), ftp.Schemes(nil), gopher.Schemes(), []fetch.Scheme{file.Scheme(), gemini.Scheme()})...)
	t.Cleanup(func() { c.Close() })
	config := &Config{Client: c}
	if set != nil {
		set(config)
	}
	b := New(t.Context(), config)
	c.Logins = b.Login
	t.Cleanup(b.Close)
	b.Resize(80, 24)
	return &user{b, t}
}

// open opens an address and waits for the page.
func (u *user) open(address string) *user {
	u.t.Helper()
	u.Open(uri.MustParse(address))
	return u.settle()
}

// settle handles results until nothing is in progress, or a question is waiting for the user.
func (u *user) settle() *user {
	u.t.Helper()
	for u.Busy() && u.prompt == nil {
		do := <-u.Results()
		do()
	}
	return u
}

// press presses keys. Words of several letters are names of keys.
func (u *user) press(keys ...Key) *user {
	u.t.Helper()
	for _, k := range keys {
		u.Key(k)
		u.settle()
	}
	return u
}

// type_ types a text and Enter.
func (u *user) enter(text string) *user {
	u.t.Helper()
	for _, r := range text {
		u.Key(Key(string(r)))
	}
	return u.press(Enter)
}

// sees fails unless the screen shows each text.
func (u *user) sees(texts ...string) *user {
	u.t.Helper()
	got := u.Frame().Text()
	for _, want := range texts {
		if !strings.Contains(got, want) {
			u.t.Fatalf("got the screen\n%s\nwant %q on it", got, want)
		}
	}
	return u
}

// seesNot fails if the screen shows a text.
func (u *user) seesNot(text string) *user {
	u.t.Helper()
	if got := u.Frame().Text(); strings.Contains(got, text) {
		u.t.Fatalf("got the screen\n%s\nwant no %q on it", got, text)
	}
	return u
}

func gopherServer(t *testing.T, o *gophertest.Options) *loopback.Server {
	return gopherOf(t, testdata.Site(), o)
}

func gopherOf(t *testing.T, site fs.FS, o *gophertest.Options) *loopback.Server {
	srv := gophertest.NewServer(site, o)
	t.Cleanup(func() { srv.Close() })
	return srv
}

func ExampleNew() {
	srv := gophertest.NewServer(fstest.MapFS{"gophermap": {Data: []byte("!Birds\n0The owl\t/owl.txt\n")}, "owl.txt": {Data: []byte("It hoots.\n")}}, nil)
	defer srv.Close()
	client := fetch.New(gopher.Schemes()...)
	defer client.Close()
	b := New(context.Background(), &Config{Client: client})
	defer b.Close()
	b.Resize(40, 6)
	b.Open(uri.MustParse(srv.URL + "/"))
	for b.Busy() {
		(<-b.Results())()
	}
	b.Key("1")
	b.Key(Enter)
	for b.Busy() {
		(<-b.Results())()
	}
	fmt.Print(strings.SplitAfter(b.Frame().Text(), "\n")[1])
	// Output: It hoots.
}

// A menu is shown, a link is chosen by number or with the arrows, and going back needs no request.
func TestMenu(t *testing.T) {
	t.Parallel()
	srv := gopherServer(t, nil)
	u := newUser(t, nil).open(srv.URL + "/")
	u.sees("Welcome. The lines with a type in front", "  [1] About this tree", "[9] Search the site <?>", "/README.txt")
	u.press("2", Enter).sees("ftp.txt", "/history")
	u.press(Left).sees("  [1] About this tree")
	before := len(srv.Transcript())
	u.press(Down, Enter).sees("/1/texts").press("b", "f", "b")
	if got := len(srv.Transcript()); got != before+1 {
		t.Errorf("got %d requests, want %d: one for the page that is new", got-before, 1)
	}
	u.press("r").sees("  [1] About this tree")
	if got := len(srv.Transcript()); got != before+2 {
		t.Errorf("got %d requests, want %d: one more to reload", got-before, 2)
	}
	u.press("b").sees("This is the first page.")
	u.press("f", "f").sees("This is the last page.")
	u.press("9", "9", Enter).sees("no such link: 99")
	u.press("?").sees("quit").press("q").sees("crlf.txt").seesNot("Keys")
	if u.press("q").sees("Quit (y/n)? y").press(Enter); !u.Over() {
		t.Error("got a visit that goes on, want it to be over")
	}
}
