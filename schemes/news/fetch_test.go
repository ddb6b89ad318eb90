package news_test

import (
	"context"
	"crypto/tls"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/news"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// server starts a server of the sample site's articles.
func server(t testing.TB, o *newstest.Options) *newstest.Server {
	t.Helper()
	s, err := newstest.Listen(testdata.Site(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// client returns a Client whose news host is s.
func client(t testing.TB, s *newstest.Server) *fetch.Client {
	t.Helper()
	c := fetch.New(news.Schemes(&news.Config{Source: s.Addr})...)
	if s.Roots() != nil {
		c.TLS = &tls.Config{RootCAs: s.Roots()}
	}
	c.Timeouts.Idle = 30 * time.Second
	t.Cleanup(func() { c.Close() })
	return c
}

// inBubble calls f with a server and its client on a network in memory, in a bubble of testing/synctest, where deadlines take no time.
func inBubble(t *testing.T, o newstest.Options, f func(*testing.T, *newstest.Server, *fetch.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var memory fetchtest.Network
		o.Network = &memory
		s := server(t, &o)
		c := client(t, s)
		memory.Attach(c)
		f(t, s, c)
	})
}

func get(t testing.TB, c *fetch.Client, u string, o *fetch.Options) (*fetch.Document, string, error) {
	t.Helper()
	return fetchtest.GetWith(t, c, u, o)
}

func set(key, value string) *fetch.Options {
	return &fetch.Options{Set: map[string][]string{key: {value}}}
}

// entries returns the entries of u, or the error.
func entries(t testing.TB, c *fetch.Client, u string, o *fetch.Options) (list []fetch.Entry, err error) {
	t.Helper()
	d, err := c.Get(context.Background(), uri.MustParse(u), o)
	if err != nil {
		return nil, err
	}
	defer d.Body.Close()
	if d.Entries == nil {
		t.Fatalf("%s: got no entries, want a listing", u)
	}
	for e, err := range d.Entries {
		if err != nil {
			return list, err
		}
		list = append(list, e)
	}
	return list, nil
}

func uris(list []fetch.Entry) (out []string) {
	for _, e := range list {
		out = append(out, e.URI.String())
	}
	return out
}

func TestArticle(t *testing.T) {
	s := server(t, nil)
	c := client(t, s)
	want := string(s.Article("<dots.1@site.example>"))
	if !strings.Contains(want, "\r\n.\r\n") {
		t.Fatalf("the article has no lone dot, want one to test")
	}
	for _, u := range []string{"news:dots.1@site.example", "news:%3Cdots.1@site.example%3E", "news://" + s.Addr + "/dots.1@site.example",
		s.URL + "/lab.dots/1", "nntp:lab.dots/1", "news:lab.dots/1"} {
		d, body, err := get(t, c, u, nil)
		if err != nil {
			t.Errorf("%s: %v", u, err)
			continue
		}
		if body != want || d.Type != "message/rfc822" || d.End != fetch.EndTerminated {
			t.Errorf("%s: got %s %s %q, want %q, d.Type %q, d.End %v", u, d.Type, d.End, body, want, "message/rfc822", fetch.EndTerminated)
		}
		if got := d.Header.Get("Subject"); got != "Dots" || d.Modified.Year() != 1994 || d.Validator.Tag != "<dots.1@site.example>" {
			t.Errorf("%s: got %q %v %v, want %q, d.Modified.Year() 1994, d.Validator.Tag %q",
				u, got, d.Modified, d.Validator, "Dots", "<dots.1@site.example>")
		}
	}
	if n := s.Sessions(); n != 2 { // one of news, one of nntp
		t.Errorf("got %d connections for documents of one server, want 2", n)
	}
}

// TestLeftArticle: a connection whose article has not ended serves no other request, although all that has arrived was read.
func TestLeftArticle(t *testing.T) {
	s := server(t, &newstest.Options{Faults: &newstest.Faults{Reply: map[string]string{"ARTICLE": "220 0 <first.1@site.example>\r\nA: b\r\n\r\nx\r\n"}}})
	c := client(t, s)
	for range 2 {
		d, err := c.Get(t.Context(), uri.MustParse("news:first.1@site.example"), nil)
		if err != nil {
			t.Fatal(err)
		}
		io.ReadFull(d.Body, make([]byte, len("A: b\r\n\r\nx\r\n")))
		d.Body.Close()
	}
	if s.Sessions() != 2 {
		t.Errorf("got %d connections, want 2", s.Sessions())
	}
}

// TestPartial: "within an article, a reference to a group or another article is a partial URI".
func TestPartial(t *testing.T) {
	s := server(t, nil)
	c := client(t, s)
	for _, c2 := range []struct{ u, ref, want string }{
		{"news:first.1@site.example", "alt.test", "news:alt.test"},
		{"news:pct%2541%2Fslash@site.example", "alt.test", "news:alt.test"},
		{"news:pct%2541%2Fslash@site.example", "", "news:pct%2541%2Fslash@site.example"},
		{"news:first.1@site.example", "<second.2@site.example>", "news:<second.2@site.example>"},
		{s.URL + "/lab.dots/1", "alt.test", "news://" + s.Addr + "/alt.test"},
	} {
		d, _, err := get(t, c, c2.u, nil)
		if err != nil {
			t.Errorf("%s: %v", c2.u, err)
			continue
		}
		ref, err := uri.Parse(c2.ref)
		if err != nil {
			t.Fatal(err)
		}
		if got := uri.RFC3986.Resolve(d.Base, ref).String(); got != c2.want {
			t.Errorf("%s in %s: %s, want %s", c2.ref, c2.u, got, c2.want)
		}
	}
}

func TestGroup(t *testing.T) {
	s := server(t, nil)
	c := client(t, s)
	for _, o := range []*fetch.Options{nil, set("news.pipeline", "no")} {
		list, err := entries(t, c, "news:comp.infosystems.www", o)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"news:first.1@site.example", "news:second.2@site.example", "news:fourth.4@site.example"}
		if !slices.Equal(uris(list), want) {
			t.Errorf("got %v, want %q", uris(list), want)
		}
		e := list[1]
		if e.Kind != fetch.KindMessage || e.Title != "Re: Names for everything" || e.Size <= 0 || e.Modified.IsZero() ||
			e.Attr["number"][0] != "2" || e.Attr["references"][0] != "<first.1@site.example>" || e.Attr["lines"][0] != "4" ||
			e.Attr["nntp"][0] != s.URL+"/comp.infosystems.www/2" || e.Attr["news"][0] != "news:second.2@site.example" {
			t.Errorf("got %+v, want a dated message with title, size and attributes", e)
		}
	}
	list, err := entries(t, c, s.URL+"/comp.infosystems.www/2-", nil)
	if want := []string{s.URL + "/comp.infosystems.www/2", s.URL + "/comp.infosystems.www/4"}; err != nil ||
		!slices.Equal(uris(list), want) {
		t.Errorf("got %v %v, want %q", uris(list), err, want)
	}
	for _, e := range list { // each refers to exactly that object
		if _, body, err := get(t, c, e.URI.String(), nil); err != nil || body != string(s.Article(e.Attr["message-id"][0])) {
			t.Errorf("%s: got %v, want %q", e.URI, err, string(s.Article(e.Attr["message-id"][0])))
		}
	}
	if list, err := entries(t, c, "news:lab.empty", nil); err != nil || len(list) != 0 {
		t.Errorf("an empty group: got %v %v, want len(list) 0", list, err)
	}
}

// TestCutOverview: a connection that breaks within an overview, and then within a line of it, leaves only whole lines.
func TestCutOverview(t *testing.T) {
	want, err := entries(t, client(t, server(t, nil)), "news:comp.infosystems.www", nil)
	if err != nil {
		t.Fatal(err)
	}
	for cut := int64(200); cut < 900; cut += 9 {
		c := client(t, server(t, &newstest.Options{Faults: &newstest.Faults{CutAfter: cut}}))
		got, err := entries(t, c, "news:comp.infosystems.www", nil)
		if !slices.Equal(uris(got), uris(want)[:min(len(got), len(want))]) || err == nil && len(got) < len(want) {
			t.Errorf("after %d bytes: got %q, %v, want an error after some of %q", cut, uris(got), err, uris(want))
		}
	}
}

func TestGroups(t *testing.T) {
	s := server(t, nil)
	c := client(t, s)
	list, err := entries(t, c, "news:*", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := uris(list); !slices.Equal(got, []string{"news:comp.infosystems.www", "news:lab.dots", "news:lab.empty"}) {
		t.Errorf("got %v, want %q", got, []string{"news:comp.infosystems.www", "news:lab.dots", "news:lab.empty"})
	}
	if e := list[0]; e.Kind != fetch.KindGroup || e.Attr["description"][0] != "The Web, as it was discussed there" ||
		e.Attr["articles"][0] != "3" {
		t.Errorf("got %+v, want e.Kind %v, description %q, articles %q", e, fetch.KindGroup, "The Web, as it was discussed there", "3")
	}
	old := server(t, &newstest.Options{Lacks: []string{"LIST COUNTS"}}) // which numbers have no article is unknown
	if list, err := entries(t, client(t, old), "news:comp.*", nil); err != nil || len(list) != 1 || list[0].Attr["articles"][0] != "4" {
		t.Errorf("got %v %v, want len(list) 1, articles %q", list, err, "4")
	}
	if list, err = entries(t, c, "news:lab.*,!*.empty", nil); err != nil || len(list) != 1 {
		t.Errorf("got %v %v, want len(list) 1", list, err)
	}
	list, err = entries(t, c, "news:*", set("news.since", "1994-12-21"))
	if err != nil || !slices.Equal(uris(list), []string{"news:fourth.4@site.example"}) {
		t.Errorf("got %v %v, want %q", uris(list), err, []string{"news:fourth.4@site.example"})
	}
}

// conversation records who sent lines in which order: a letter for each line.
func conversation(t testing.TB, c *fetch.Client, u string) string {
	t.Helper()
	var b strings.Builder
	o := &fetch.Options{Trace: func(e fetch.Event) {
		if e.Text {
			b.WriteByte(e.Dir)
		}
	}}
	if _, _, err := get(t, c, u, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// trips counts the round trips of a conversation: the connection, and each time that the server sends after the client.
func trips(conversation string) int {
	return 1 + strings.Count(conversation, "CS") + strings.Count(conversation[:1], "S")
}

// TestThreeTrips: an article takes three round trips: the connection, the greeting, and one pipeline. By its number it takes no more. A
// kept connection saves two. A server that does not serve readers at first takes two more once, and one for MODE READER later.
func TestThreeTrips(t *testing.T) {
	s := server(t, nil)
	for _, u := range []string{s.URL + "/lab.dots/1", "news:first.1@site.example", s.URL + "/comp.infosystems.www/1-4"} {
		c := client(t, s)
		if got := conversation(t, c, u); trips(got) != 3 {
			t.Errorf("%s: %d round trips: got %s, want trips(got) 3", u, trips(got), got)
		}
		if got := conversation(t, c, u); strings.Count(got, "CS") != 1 || got[0] != 'C' {
			t.Errorf("%s again: got %s, want 1 times %q, got[0] %v", u, got, "CS", 'C')
		}
	}
	s = server(t, &newstest.Options{Transit: true})
	c := client(t, s)
	c.Close() // keeps no connections
	for _, want := range []int{5, 4, 4} {
		if got := conversation(t, c, s.URL+"/lab.dots/1"); trips(got) != want {
			t.Errorf("%d round trips, want %d: %s", trips(got), want, got)
		}
	}
}

// TestLongOverview reads an overview of many articles in one pipeline. It sends each command once, also without pipelining.
func TestLongOverview(t *testing.T) {
	s := server(t, &newstest.Options{Articles: many(1000)})
	for _, x := range []struct {
		u string
		o *fetch.Options
		n int
	}{{"news:lab.many", nil, 1000}, {"nntp:comp.infosystems.www/1-2", set("news.pipeline", "no"), 2}} {
		if list, err := entries(t, client(t, s), x.u, x.o); err != nil || len(list) != x.n {
			t.Errorf("%s: got %v, %d entries, want len(list) %d", x.u, err, len(list), x.n)
		}
	}
	want := []string{"CAPABILITIES", "GROUP lab.many", "OVER 1-1000", "CAPABILITIES", "GROUP comp.infosystems.www", "OVER 1-2"}
	if got := s.Transcript(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
