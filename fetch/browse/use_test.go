package browse

import (
	"context"
	"crypto/tls"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/tofu"
	"example.org/deref/schemes/gemini/geminitest"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// Searches and forms ask for words, and their results are pages.
func TestQuestions(t *testing.T) {
	t.Parallel()
	srv := gopherServer(t, &gophertest.Options{Plus: true})
	u := newUser(t, nil).open(srv.URL + "/")
	u.press("9", Enter).sees("Search the site:").enter("telnet").sees("telnet.txt", "telnet")
	u.press("b", "8", Enter).sees("visitor.ask").press(Enter)
	u.sees("What is your name?").enter("Zoë")
	u.sees("Where do you come from? Geneva").press(Enter)
	u.sees("What is the password?").enter("secret").seesNot("secret")
	u.sees("What do you want to say?").enter("Hello")
	u.sees("How did you come here? (gopher, ftp, http) gopher").press(Enter)
	u.sees("Send a copy? (1 is yes, 0 is no) 0").press(Enter)
	u.sees("Thank you, Zoë from Geneva. You came by gopher, and said:", "Hello")
	u.press("b", "p").sees("Plan of", "answer   document", "Nothing has been sent.")
}

// The browser asks for the fields of an HTML form, one after the other. Each answer begins with the value in the page. A form that needs POST says so.
func TestForms(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<p>got %s<form action=/f><input type=hidden name=h value='a b'>Your <b>name</b> <input name=n value=Ann><p>Password<input type=password name=p>"+
			"Land<select name=l><option value=1>Java<option value=2 selected>Chile<option value=3>Ch</select>Age<input type=radio name=r value=o>old<input type=radio name=r value=y>young"+
			"<input type=checkbox name=c>Send <input type=submit value=Go></form><form method=post><input name=x></form>", r.URL)
	}))
	t.Cleanup(web.Close)
	u := newUser(t, nil).open(web.URL+"/").sees("[1]Go <?>", "This form needs POST").press(Enter).sees("Your name: Ann").enter("a")
	u.sees("Password:").enter("secret").seesNot("secret").sees("Land (Java, Chile, Ch): Chile").press(ClearLine).enter("none").sees("Land (Java").press(ClearLine).enter("ch")
	u.sees("Age (old, young):").press(Enter).sees("Send (yes, no): no").press(ClearLine).enter("Y").sees("got /f?h=a+b&n=Anna&p=secret&l=3&c=on")
}

// The items of feeds are links with dates, by whatever scheme and type a feed comes. A page of HTML links to its feed.
func TestFeeds(t *testing.T) {
	t.Parallel()
	rss := "<rss><channel><title>Owl &amp;amp; co</title><item><title>One</title><guid>x</guid><link>0/a</link><pubDate>Fri, 20 Nov 2026 10:00:00 +0100</pubDate></item>" +
		"<item><title>Two</title><guid>http://h/b</guid></item></channel></rss>"
	atom := "<?xml version='1.0' encoding='iso-8859-1'?><feed xmlns='http://www.w3.org/2005/Atom'><entry><title>Z\xfcrich</title><link rel='self' href='c'/><link href='/0/a'/>" +
		"<updated>2026-11-19T10:00:00Z</updated></entry><entry><title>Lo"
	srv := gopherOf(t, fstest.MapFS{"f.rss": {Data: []byte(rss)}, "f.xml": {Data: []byte(atom)}, "o.xml": {Data: []byte("<items><item/></items>")},
		"p.html": {Data: []byte("<link rel=alternate type='application/rss+xml' href='/9/f.rss'><p>text")}}, nil)
	u := newUser(t, nil).open(srv.URL+"/h/p.html").sees("[1](feed)").press(Enter).sees("Owl & co", "[1] 2026-11-20 09:00 ", " One\n", "[2]  ", "Two\n", srv.URL+"/9/0/a")
	u.press("2", Escape, Down).sees("http://h/b")
	u.open(srv.URL+"/9/f.xml").sees("[1] 2026-11-19 10:00 ", "Zürich", srv.URL+"/0/a").open(srv.URL + "/9/o.xml").sees("<item/>")
}

// Gemini's prompts, unknown keys, and client certificates are questions. A key that is trusted once is not remembered.
func TestGemini(t *testing.T) {
	t.Parallel()
	site := fstest.MapFS{"index.gmi": {Data: []byte("# Birds\n=> /search Find one\n=> /private/x Yours\n" + strings.Repeat("word ", 40) + "\n> A quote\n")}, "private/x": {Data: []byte("It is yours.\n")}, "owl.txt": {Data: []byte("hoots\n")}}
	srv := geminitest.NewServer(site, &geminitest.Options{Private: "/private/", Reply: map[string]string{"/secret": "11 Your PIN\r\n"}})
	t.Cleanup(srv.Close)
	u := newUser(t, nil)
	file := filepath.Join(t.TempDir(), "known-hosts")
	known, err := tofu.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	known.Confirm = u.Confirm
	u.config.Client.FirstUse = known.Check
	u.Open(uri.MustParse(srv.URL + "/"))
	u.Key("g")
	(<-u.Results())() // a page that arrives must not turn what is typed for one question into the answer to another
	u.sees("Address:").press("a", Escape).sees("This is the first visit.", "sha256:", "Trust this key (always, once, no)?").enter("no").sees("Not trusted.").seesNot("Birds")
	u.open(srv.URL+"/").sees("Trust this key").enter("once").sees("# Birds", "  [1] Find one", "  [2] Yours", "> A quote")
	if _, err := os.Stat(file); err == nil {
		t.Error("got a file of known keys, want none after the answer once")
	}
	if n := strings.Count(u.Frame().Text(), "word"); n != 40 {
		t.Errorf("got %d words of the paragraph, want 40: it is wrapped", n)
	}
	u.press(Enter).sees("Which words?").seesNot("words?:").enter("owl").sees("owl.txt")
	u.press("H").sees("  [1] "+srv.URL+"/search: owl").press(Enter).sees("owl.txt").press("b", "b")
	u.press("b", "2", Enter).sees("the server wants a client certificate").press(Escape)
	u.press("g").enter(srv.URL+"/secret").sees("the server wants a secret: Your PIN", "Your PIN:")
	u.Key("1")
	u.sees("Your PIN: *").press(Escape)
}

// A page is read with the pager, searched, saved, and its conversation shown. Long lines are wrapped, or cut.
func TestPager(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("line\n", 60) + strings.Repeat("long ", 30) + "\n目目 needle\n" + strings.Repeat("tail\n", 60)
	srv := gopherOf(t, fstest.MapFS{"a.txt": {Data: []byte(text)}}, nil)
	u := newUser(t, nil).open(srv.URL + "/0/a.txt")
	u.sees("17%").press(" ").press("/").enter("NEEDLE").sees("目目 needle")
	u.press("n").sees("other side").press(Home)
	for _, width := range []int{2, 5, 40} {
		u.Resize(width, 12)
		for _, line := range strings.Split(u.Frame().Text(), "\n") {
			if len([]rune(line)) > width {
				t.Errorf("got the line %q, want at most %d columns", line, width)
			}
		}
	}
	u.press("w", "/").enter("long").sees("long long").press(">").sees("ong")
}

// What was loaded is saved without another request, and a file is replaced only after a question.
func TestSave(t *testing.T) {
	srv := gopherServer(t, nil)
	t.Chdir(t.TempDir())
	u := newUser(t, nil).open(srv.URL + "/0/README.txt")
	before := len(srv.Transcript())
	u.press("s").sees("Save as: README.txt").press(Enter).sees("Saved ", "README.txt")
	got, err := os.ReadFile("README.txt")
	want, _ := fs.ReadFile(testdata.Site(), "README.txt")
	if err != nil || strings.ReplaceAll(string(got), "\r\n", "\n") != string(want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	u.press("s", Enter).sees("exists. Replace it (y/n)?").enter("n")
	if n := len(srv.Transcript()); n != before {
		t.Errorf("got %d more requests, want none", n-before)
	}
	u.press("v").sees("Conversation of", "C: /README.txt").press("b", "i").sees("Received: ", "Type: text/plain")
	u.press("b", "m").enter("copy").sees("Mirrored: 1 saved")
	if _, err := os.Stat("copy"); err != nil {
		t.Error(err)
	}
}

// The browser asks once for each media type whether another program may open it. After a no, the key o asks again.
func TestView(t *testing.T) {
	t.Parallel()
	png := &fstest.MapFile{Data: []byte("\x89PNG\r\n\x1a\n\x00owl")}
	srv := gopherOf(t, fstest.MapFS{"a.png": png, "b.png": png, "c.png": png, "d.txt": {Data: []byte("text\n")}}, nil)
	var viewed []string
	u := newUser(t, func(c *Config) {
		c.View = func(_ context.Context, mediaType string, document []byte) error {
			viewed = append(viewed, mediaType+" "+string(document[1:4]))
			return fetch.Errorf(fetch.ErrLocal, "no program")
		}
	})
	u.open(srv.URL + "/9/a.png").sees("Open image/png in another program (y/n)?").enter("n")
	u.open(srv.URL + "/9/b.png").seesNot("(y/n)").press("o").sees("Open image/png").enter("y").sees("no program")
	u.open(srv.URL + "/9/c.png").sees("no program").open(srv.URL + "/0/d.txt").press("o").sees("This page is text")
	if got, want := strings.Join(viewed, ", "), "image/png PNG, image/png PNG"; got != want {
		t.Errorf("got the documents %s, want %s", got, want)
	}
}

// Bookmarks are lines of a text/uri-list.
func TestBookmarks(t *testing.T) {
	t.Parallel()
	srv := gopherServer(t, nil)
	file := filepath.Join(t.TempDir(), "bookmarks")
	u := newUser(t, func(c *Config) { c.Bookmarks = file })
	u.press("B").sees("There are no bookmarks")
	u.open(srv.URL + "/").press("a").sees("Title: A sample site").press(Enter).sees("Added")
	u.press("a").sees("already")
	if got, err := os.ReadFile(file); err != nil || string(got) != "# A sample site\r\n"+srv.URL+"/\r\n" {
		t.Errorf("got %q, %v", got, err)
	}
	u.press("B").sees("  [1] A sample site\n").press(Enter).sees("About this tree")
	u.press("H").sees("History", srv.URL+"/").press("b", "B", "d").sees("There are no bookmarks", "History of this visit", "  [1] "+srv.URL+"/").press("d").sees("d deletes a bookmark on")
}

// Nothing that a server sends reaches the terminal as a character that controls it, or hides or reorders text: not in a text, a title, a message or a
// question (promise 9).
func TestPromise9Frames(t *testing.T) {
	t.Parallel()
	const hidden = "\u202e\u200f\u061c\u200b\u2060\ufeff\u00ad\u3164\ufff9\U000e0041"
	evil := "\x1b]0;owned\x07\u009b31m" + hidden
	shown := "\u009b31m" + hidden // characters of XML
	menu := "i" + evil + "\t\th\t1\r\n0" + evil + "\t/" + evil + "\th\t1\r\n7" + evil + "\t/x\th\t1\r\n3" + evil + "\t\th\t1\r\n"
	srv := gopherOf(t, fstest.MapFS{"gophermap": {Data: []byte("!" + evil + "\n7" + evil + "\t/search\n")}, "a.txt": {Data: []byte(evil + menu)}}, nil)
	g := geminitest.NewServer(fstest.MapFS{}, &geminitest.Options{Reply: map[string]string{
		"/ask": "10 " + evil + "\r\n", "/page": "20 text/gemini\r\n# " + evil + "\n=> /" + evil + " " + evil + "\n```\n" + evil + "\n", "/no": "51 " + evil + "\r\n",
		"/html": "20 text/html\r\n<title>" + evil + "</title><h1>" + evil + "</h1><a href='" + evil + "'>" + evil + "</a>",
		"/feed": "20 text/xml\r\n<feed><title>" + shown + "</title><entry><title>" + shown + "</title><link href='a'/><updated>" + shown + "</updated></entry></feed>",
		"/form": "20 text/html\r\n<form>" + evil + "<select name='" + evil + "'><option>" + evil + "</select><input value='" + evil + "' name=x></form>"}})
	t.Cleanup(g.Close)
	u := newUser(t, nil)
	u.config.Client.TLS = &tls.Config{RootCAs: g.Roots()}
	for _, address := range []string{srv.URL + "/", srv.URL + "/0/a.txt", g.URL + "/page", g.URL + "/html", g.URL + "/form", g.URL + "/feed", g.URL + "/no", g.URL + "/ask"} {
		u.open(address)
		for _, keys := range [][]Key{nil, {Enter}, {Enter}, {Escape}, {"v"}, {"b", "i"}, {"b", "p"}, {"b", "t"}, {"b", "H"}, {"b", "a", Escape}} {
			u.press(keys...)
			if i := strings.IndexFunc(u.Frame().Text(), func(r rune) bool {
				return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || strings.ContainsRune(hidden, r)
			}); i >= 0 {
				t.Errorf("%s, keys %q: got such a character in\n%q", address, keys, u.Frame().Text()[i:])
			}
		}
	}
}

// A link in a server's document does not open files of this machine.
func TestLinksToFiles(t *testing.T) {
	t.Parallel()
	srv := gopherOf(t, fstest.MapFS{"gophermap": {Data: []byte("hA file\tURL:file:///etc/passwd\n")}}, nil)
	u := newUser(t, nil).open(srv.URL + "/")
	u.press(Enter).sees("redirect").seesNot("root:")
	u.press("g").enter("file:///").sees("etc/")
}

// silent returns the address of a server that never responds.
func silent(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// Loading stops with a key, and the page before is still there.
func TestStop(t *testing.T) {
	t.Parallel()
	srv := gopherServer(t, nil)
	u := newUser(t, nil).open(srv.URL + "/")
	ln := silent(t)
	u.Open(uri.MustParse("gopher://" + ln + "/"))
	u.sees("Loading gopher://"+ln, "Esc stops").press(Escape).sees("Stopped.", "About this tree")
	if u.Busy() {
		t.Error("got a load that goes on, want none")
	}
	u.open(srv.URL+"/0/none").sees("This cannot be shown: notfound", "r tries again").press("b").sees("About this tree")
	u.press("g", Escape, "x").sees("This key has no meaning here")
	if e, ok := u.selected(); !ok || e.Kind != fetch.KindFile {
		t.Errorf("got the link %+v, want the first", e)
	}
}
