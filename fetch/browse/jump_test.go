package browse

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/schemes/ftp/ftptest"
)

// top returns the first row of the page on the screen.
func (u *user) top() string {
	return strings.SplitN(u.Frame().Text(), "\n", 3)[1]
}

// A fragment opens the page at its part. A link within the page goes there without a request, and b comes back.
func TestFragments(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("<p>A paragraph of the page, which is not the one.\n", 30)
	requests := 0
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<title>Owls</title><ul><li><a href='#barn'>Barn owls</a><li><a href='#none'>None</a></ul>"+filler+"<h2 id=barn>Barn owls</h2><p>They screech.\n"+filler+
			"<p><a name='tawny owl'>The</a> tawny owl hoots.\n"+filler)
	}))
	t.Cleanup(web.Close)
	text := strings.Repeat("A line that is longer than the screen of eighty columns, so that it takes two rows of it at least.\n", 30) + "The line.\n" + strings.Repeat("After\n", 40)
	g := gopherOf(t, fstest.MapFS{"a.txt": {Data: []byte(text)}, "c.md": {Data: []byte("# Owls\n```\n# no heading\n```\n#nor this\n" + strings.Repeat("A line\n", 40) + "## Barn owls\n" + strings.Repeat("A line\n", 40))}, "b.gmi": {Data: []byte("# Owls\n" + strings.Repeat("A line\n", 40) + "## Barn owls!\nThey screech.\n" + strings.Repeat("A line\n", 40))}}, nil)
	u := newUser(t, nil)
	for _, tt := range []struct {
		address, want string
		keys          []Key
	}{
		{web.URL + "/#barn", "Barn owls", nil},
		{web.URL + "/#tawny%20owl", "The tawny owl hoots.", nil},
		{web.URL + "/", "* [1]Barn owls", nil},
		{g.URL + "/0/a.txt#line=30", "The line.", nil},
		{g.URL + "/0/b.gmi#barn-owls", "## Barn owls!", nil},
		{g.URL + "/0/b.gmi#Barn%20owls", "## Barn owls!", nil},
		{web.URL + "/", "Barn owls", []Key{"t", Enter}},
		{g.URL + "/0/b.gmi", "## Barn owls!", []Key{"t", "2", Enter}},
		{g.URL + "/9/c.md", "## Barn owls", []Key{"t", "2", Enter}},
	} {
		if u.open(tt.address).press(tt.keys...); strings.TrimSpace(u.top()) != tt.want {
			t.Errorf("%s: got the first row %q, want %q", tt.address, u.top(), tt.want)
		}
	}
	u.open(web.URL+"/").press("1", Enter).sees("They screech.")
	if got := strings.TrimSpace(u.top()); got != "Barn owls" || requests != 1 {
		t.Errorf("got the first row %q after %d requests, want Barn owls after one", got, requests)
	}
	u.press("b").sees("[1]Barn owls").press("2", Enter).sees("This page has no part called none.").press("H", "t").sees("This page has no headings.")
}

// A login is asked for when the server wants one, and the password is not shown.
func TestLogin(t *testing.T) {
	t.Parallel()
	f := ftptest.NewServer(fstest.MapFS{"a.txt": {Data: []byte("It is yours.\n")}}, &ftptest.Options{NoAnonymous: true, Users: map[string]ftptest.User{"ann": {Password: "sesame"}}})
	t.Cleanup(f.Close)
	u := newUser(t, nil).open(f.URL + "/a.txt")
	u.sees("User for ftp://127.0.0.1").enter("ann").sees("Password of ann for ftp://").enter("wrong").seesNot("wrong")
	u.sees("User for ftp://").press(Escape).sees("auth: ")
	u.press("r").sees("User for ftp://").enter("ann").enter("sesame").sees("It is yours.")
}
