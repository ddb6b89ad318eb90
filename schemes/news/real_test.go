package news_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/news"
	"example.org/deref/uri"
)

// realClient returns a client of a server of the lab.
func realClient(t *testing.T, addr string) *fetch.Client {
	c := fetch.New(news.Schemes(&news.Config{Source: addr})...)
	c.TLS = lab.TLS(t)
	c.Timeouts.Idle = 20 * time.Second
	t.Cleanup(func() { c.Close() })
	return c
}

// patiently dereferences u, and repeats that while the server is overloaded, as INN is on a busy machine.
func patiently(t *testing.T, c *fetch.Client, u string, o *fetch.Options) (d *fetch.Document, body string, err error) {
	t.Helper()
	for range 20 {
		d, body, err = get(t, c, u, o)
		if fetch.KindOf(err) != fetch.ErrUnavailable {
			return d, body, err
		}
		loopback.Pause(2 * time.Second)
	}
	t.Skipf("the server is overloaded: %v", err)
	return d, body, err
}

// realServer returns a server of the lab that has its articles: leafnode is filled from INN at its first start, and stays empty if that
// fails.
func realServer(t *testing.T, name string) string {
	t.Helper()
	addr := lab.Server(t, name)
	if _, groups, err := patiently(t, realClient(t, addr), "news:lab.*", nil); err == nil && !strings.Contains(groups, "lab.many ") {
		t.Skipf("%s holds nothing: its first start found the other server overloaded (remove its state, and start it again)", name)
	}
	return addr
}

func realEntries(t *testing.T, c *fetch.Client, u string, o *fetch.Options) (list []fetch.Entry) {
	t.Helper()
	patiently(t, c, u, o)
	list, err := entries(t, c, u, o)
	if err != nil {
		t.Fatalf("%s: %v", u, err)
	}
	return list
}

func TestINN(t *testing.T) {
	addr := lab.Server(t, "inn")
	c := realClient(t, addr)
	_, body, err := patiently(t, c, "news:dots@lab.test", nil)
	if err != nil || !strings.Contains(body, "\r\n\r\n.\r\n..\r\n...\r\n.one dot\r\n..two dots\r\nplain\r\n.\r\nafter the lone dot\r\n") {
		t.Errorf("got %v %q, want with %q",
			err, body, "\r\n\r\n.\r\n..\r\n...\r\n.one dot\r\n..two dots\r\nplain\r\n.\r\nafter the lone dot\r\n")
	}
	for _, u := range []string{"nntp://" + addr + "/lab.one/1", "news:odd!%23$%25&'*+-%2F=%3F%5E_%60%7B%7C%7D~@lab.test",
		"news:a%2Fb%3Fc%23d@lab.test",
		"news:lit@[127.0.0.1]", "news:longline@lab.test"} {
		if _, body, err := patiently(t, c, u, nil); err != nil || !strings.HasPrefix(body, "Path: ") {
			t.Errorf("%s: got %v %q, want beginning with %q", u, err, body, "Path: ")
		}
	}
	for u, want := range map[string]fetch.Kind{"news:cancelled@lab.test": fetch.ErrNotFound, "nntp:lab.one/3": fetch.ErrNotFound,
		"news:no.such": fetch.ErrNotFound, "news:lab.private": fetch.ErrAuth, "news://alice:wrong@" + addr +
			"/lab.private": fetch.ErrAuth} {
		if _, _, err := patiently(t, c, u, nil); fetch.KindOf(err) != want {
			t.Errorf("%s: got %v, want %v", u, err, want)
		}
	}
	list := realEntries(t, c, "news:lab.one", nil)
	if got := uris(list); !slices.Equal(got, []string{"news:simple@lab.test", "news:dots@lab.test", "news:long@lab.test",
		"news:cross@lab.test"}) {
		t.Errorf("got %v, want %q",
			got, []string{"news:simple@lab.test", "news:dots@lab.test", "news:long@lab.test", "news:cross@lab.test"})
	}
	if list = realEntries(t, c, "news:lab.many", nil); len(list) != 120 {
		t.Errorf("got %d articles, want len(list) 120", len(list))
	}
	if list = realEntries(t, c, "news:lab.empty", nil); len(list) != 0 {
		t.Errorf("got %v, want len(list) 0", list)
	}
	list = realEntries(t, c, "news:lab.*", nil)
	if i := slices.IndexFunc(list, func(e fetch.Entry) bool { return e.URI.String() == "news:lab.test.long-name.c++" }); i < 0 ||
		len(list) < 6 {
		t.Errorf("got %v, want lab.test.long-name.c++ among six groups or more", uris(list))
	}
	if list = realEntries(t, c, "news://alice:secret@"+addr+"/lab.private", nil); len(list) != 1 {
		t.Errorf("got %v, want len(list) 1", uris(list))
	}
}

func TestINNInTLS(t *testing.T) {
	lab.Server(t, "inn")
	c := realClient(t, "127.0.0.1:24120")
	c.Policy.AllowPorts = []int{24120}
	if _, body, err := patiently(t, c, "nntps:lab.one/1", nil); err != nil || !strings.Contains(body, "A simple article.\r\n") {
		t.Errorf("got %v %q, want with %q", err, body, "A simple article.\r\n")
	}
	if _, body, err := patiently(t, c, "snews://alice:secret@127.0.0.1:24120/auth@lab.test", nil); err != nil ||
		!strings.Contains(body, "for alice only") {
		t.Errorf("got %v %q, want with %q", err, body, "for alice only")
	}
}

func TestLeafnode(t *testing.T) {
	addr := realServer(t, "leafnode")
	c := realClient(t, addr)
	_, body, err := patiently(t, c, "news:simple@lab.test", nil)
	if err != nil || !strings.HasSuffix(body, "\r\n\r\nA simple article.\r\nSecond line.\r\n") {
		t.Errorf("got %v %q, want ending with %q", err, body, "\r\n\r\nA simple article.\r\nSecond line.\r\n")
	}
	if list := realEntries(t, c, "nntp:lab.many", nil); len(list) != 120 {
		t.Errorf("got %d articles, want len(list) 120", len(list))
	}
	if list := realEntries(t, c, "news:lab.empty", nil); len(list) != 1 || !list[0].URI.IsZero() {
		t.Errorf("got %v, want one entry without URI", list)
	}
	if list := realEntries(t, c, "news:*", nil); len(list) < 6 {
		t.Errorf("got %v, want at least len(list) 6", uris(list))
	}
	if _, _, err := patiently(t, c, "nntp:lab.one/99", nil); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("got %v, want %v", err, fetch.ErrNotFound)
	}
}

// TestLongArticle reads 600 kB by io.Copy, as a program would.
func TestLongArticle(t *testing.T) {
	c := realClient(t, realServer(t, "leafnode"))
	d, err := c.Get(context.Background(), uri.MustParse("news:long@lab.test"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	var b strings.Builder
	if _, err := io.Copy(&b, d.Body); err != nil || strings.Count(b.String(), "the quick brown fox") != 12000 {
		t.Errorf("got %v %d bytes, want 12000 times %q", err, b.Len(), "the quick brown fox")
	}
}

// TestINNPost posts an article and reads it back.
func TestINNPost(t *testing.T) {
	c := realClient(t, lab.Server(t, "inn"))
	id := fmt.Sprintf("posted%d@lab.test", time.Now().UnixNano())
	article := "From: Ann <ann@lab.test>\nSubject: posted by deref\nMessage-ID: <" + id + ">\n\n.\n..dots\n"
	u := uri.MustParse("news:lab.test.long-name.c++")
	var err error
	for range 20 {
		if _, err = c.Send(context.Background(), u, strings.NewReader(article), nil); fetch.KindOf(err) != fetch.ErrUnavailable {
			break
		}
		loopback.Pause(2 * time.Second)
	}
	if fetch.KindOf(err) == fetch.ErrUnavailable {
		t.Skipf("the server is overloaded: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, body, err := patiently(t, c, "news:"+id, nil); err != nil || !strings.HasSuffix(body, "\r\n\r\n.\r\n..dots\r\n") {
		t.Errorf("got %v %q, want ending with %q", err, body, "\r\n\r\n.\r\n..dots\r\n")
	}
	if _, err := c.Send(context.Background(), u, strings.NewReader(article), nil); fetch.KindOf(err) != fetch.ErrRefused {
		t.Errorf("the same once more: got %v, want %v", err, fetch.ErrRefused)
	}
}

func TestINNMailbox(t *testing.T) {
	c := realClient(t, lab.Server(t, "inn"))
	_, box, err := patiently(t, c, "nntp:lab.many/50-149", set("news.view", "mbox"))
	if err != nil || len(messagesOf(t, box)) != 71 {
		t.Errorf("%v: got %d messages, want len(messagesOf(t, box)) 71", err, len(messagesOf(t, box)))
	}
	if _, box, err = patiently(t, c, "nntp:lab.one", set("news.view", "mbox")); err != nil || len(messagesOf(t, box)) != 4 ||
		!strings.Contains(box, "\n\n.\n..\n...\n.one dot\n") {
		t.Errorf("%v: got %d messages, want len(messagesOf(t, box)) 4, with %q", err, len(messagesOf(t, box)), "\n\n.\n..\n...\n.one dot\n")
	}
}

// TestSTARTTLSOfINN logs in within TLS, since that is offered.
func TestSTARTTLSOfINN(t *testing.T) {
	addr := lab.Server(t, "inn")
	var sent []string
	o := &fetch.Options{Trace: func(e fetch.Event) {
		if e.Step != nil {
			sent = append(sent, e.Step.Verb)
		}
	}}
	if _, body, err := patiently(t, realClient(t, addr), "news://alice:secret@"+addr+"/auth@lab.test", o); err != nil ||
		!strings.Contains(body, "for alice only") {
		t.Errorf("got %v %q, want with %q", err, body, "for alice only")
	}
	want := []string{"CAPABILITIES", "MODE READER", "CAPABILITIES", "STARTTLS", "CAPABILITIES", "AUTHINFO USER", "AUTHINFO PASS", "ARTICLE"}
	if len(sent) < len(want) || !slices.Equal(sent[len(sent)-len(want):], want) {
		t.Errorf("got %q, want at least len(sent) %d, %q", sent, len(want), want)
	}
}

// TestOverviewOfINN reads a group of several pages.
func TestOverviewOfINN(t *testing.T) {
	c := realClient(t, lab.Server(t, "inn"))
	if list := realEntries(t, c, "news:lab.many", nil); len(list) != 120 {
		t.Errorf("got %d articles, want len(list) 120", len(list))
	}
}

// TestNextToLynx compares the same articles with Lynx.
func TestNextToLynx(t *testing.T) {
	addr := realServer(t, "leafnode")
	c := realClient(t, addr)
	dump := func(u string) string {
		cmd := lab.Client(t, "lynx", "-dump", "-nolist", "-width=200", u)
		cmd.Env = append(cmd.Env, "NNTPSERVER="+addr)
		out, err := cmd.Output()
		if err != nil {
			t.Skipf("lynx: %v", err)
		}
		return string(out)
	}
	group := dump("news://" + addr + "/lab.two")
	for _, e := range realEntries(t, c, "news:lab.two", nil) {
		if !strings.Contains(group, e.Title) && !strings.Contains(e.Title, "café") {
			t.Errorf("got\n%s\nwant %q in it", group, e.Title)
		}
	}
	_, body, err := get(t, c, "news:reply@lab.test", nil)
	if text := dump("news://" + addr + "/reply@lab.test"); err != nil || !strings.Contains(text, "A simple article.") ||
		!strings.Contains(body, "A simple article.") {
		t.Errorf("got %v, want with %q, with %q\n%s", err, "A simple article.", "A simple article.", text)
	}
}
