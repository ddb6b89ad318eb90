package news_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/mailstore"
	"example.org/deref/schemes/news"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// stores writes the sample site's articles in each of the forms that are read from disk.
func stores(t testing.TB) map[string]string {
	t.Helper()
	site, err := fs.Sub(testdata.Site(), "news")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "spool"), site); err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(dir, "deep", "comp", "infosystems")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "deep"), site); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "deep", "comp.infosystems.www"), filepath.Join(deep, "www")); err != nil {
		t.Fatal(err)
	}
	box, err := os.Create(filepath.Join(dir, "box"))
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	w := mailstore.NewWriter(box)
	cur := filepath.Join(dir, "maildir", "cur")
	if err := os.MkdirAll(cur, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"comp.infosystems.www/1", "comp.infosystems.www/2", "comp.infosystems.www/4", "lab.dots/1",
		"lab.dots/2", "lab.undated/1"} {
		b, err := fs.ReadFile(site, name)
		if name == "lab.undated/1" {
			b = []byte("Newsgroups: lab.undated\nMessage-ID: <undated@site.example>\nDate: soon\n\nx\n")
			err = os.CopyFS(filepath.Join(dir, "spool"), fstest.MapFS{name: {Data: b}})
		}
		if err != nil {
			t.Fatal(err)
		}
		w.Begin("a@b.example", fsTime())
		w.Write(b)
		w.End()
		if err := os.WriteFile(filepath.Join(cur, strings.ReplaceAll(name, "/", "-")+":2,S"), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return map[string]string{"spool": "spool:" + dir + "/spool", "deep": "spool:" + dir + "/deep", "mbox": "mbox:" + box.Name(),
		"maildir": "maildir:" + dir + "/maildir"}
}

// TestStores reads "a body of news articles already received".
func TestStores(t *testing.T) {
	dots, err := fs.ReadFile(testdata.Site(), "news/lab.dots/1")
	if err != nil {
		t.Fatal(err)
	}
	for name, source := range stores(t) {
		t.Run(name, func(t *testing.T) {
			c := fetch.New(news.Schemes(&news.Config{Source: source})...)
			for _, u := range []string{"news:dots.1@site.example", "nntp:lab.dots/1"} {
				if d, body, err := get(t, c, u, nil); err != nil || body != string(dots) || d.Header.Get("Subject") != "Dots" {
					t.Errorf("%s: got %v %q, want %q, Subject %q", u, err, body, string(dots), "Dots")
				}
			}
			list, err := entries(t, c, "news:comp.infosystems.www", nil)
			if want := []string{"news:first.1@site.example", "news:second.2@site.example", "news:fourth.4@site.example"}; err != nil ||
				!slices.Equal(uris(list), want) {
				t.Errorf("got %v %v, want %q", uris(list), err, want)
			}
			list, err = entries(t, c, "nntp:comp.infosystems.www", set("news.last", "1"))
			if err != nil || len(list) != 1 || list[0].Attr["message-id"][0] != "<fourth.4@site.example>" {
				t.Errorf("got %v %v, want len(list) 1, message-id %q", list, err, "<fourth.4@site.example>")
			} else if _, body, err := get(t, c, list[0].URI.String(), nil); err != nil || !strings.Contains(body, "Numbers have holes") {
				t.Errorf("%s: got %v %q, want with %q", list[0].URI, err, body, "Numbers have holes")
			}
			if list, err = entries(t, c, "news:*", nil); err != nil || !slices.Contains(uris(list), "news:lab.dots") {
				t.Errorf("got %v %v, want news:lab.dots in it", uris(list), err)
			}
			for _, u := range []string{"news:dots.1@site.example", "nntp:lab.dots/1"} {
				if d, body, err := get(t, c, u, set("news.view", "mbox")); err != nil || d.Type != "application/mbox" ||
					len(messagesOf(t, body)) != 1 {
					t.Errorf("%s as a mailbox: got %v %q, want d.Type %q, len(messagesOf(t, body)) 1", u, err, body, "application/mbox")
				}
			}
			o := set("news.view", "mbox")
			if _, box, err := get(t, c, "news:comp.infosystems.www", o); err != nil || len(messagesOf(t, box)) != 3 {
				t.Errorf("a mailbox: got %v %q, want len(messagesOf(t, box)) 3", err, box)
			}
			o.Range.To = 9
			if _, _, err := get(t, c, "news:comp.infosystems.www", o); fetch.KindOf(err) != fetch.ErrRange {
				t.Errorf("a part of a mailbox: got %v, want %v", err, fetch.ErrRange)
			}
			for _, u := range []string{"news:none@site.example", "nntp:lab.dots/77", "news:no.such.group", "news:.."} {
				if _, _, err := get(t, c, u, nil); fetch.KindOf(err) != fetch.ErrNotFound {
					t.Errorf("%s: got %v, want %v", u, err, fetch.ErrNotFound)
				}
			}
			list, err = entries(t, c, "news:second.2@site.example", set("news.thread", "yes"))
			if want := []string{"news:first.1@site.example", "news:second.2@site.example"}; err != nil ||
				!slices.Equal(uris(list), want) || list[1].Attr["depth"][0] != "1" {
				t.Errorf("thread: got %v %v, want %q, depth %q", uris(list), err, want, "1")
			}
			if list, err = entries(t, c, "news:comp.*", set("news.since", "1994-12-21")); err != nil ||
				!slices.Equal(uris(list), []string{"news:fourth.4@site.example"}) {
				t.Errorf("since: got %v %v, want %q", uris(list), err, []string{"news:fourth.4@site.example"})
			}
			if list, err = entries(t, c, "news:lab.undated", set("news.since", "1994-12-21")); name != "deep" && (err != nil || len(list) != 1) {
				t.Errorf("since, a date that cannot be read: got %v %v, want len(list) 1", list, err)
			}
			if d, body, err := get(t, c, "news:dots.1@site.example", &fetch.Options{Op: fetch.Metadata}); err != nil || body != "" ||
				d.Header.Get("Subject") != "Dots" {
				t.Errorf("metadata: got %v %q, want %q, Subject %q", err, body, "", "Dots")
			}
			_, body, err := get(t, c, "news:dots.1@site.example", set("news.command", "body"))
			if err != nil || !strings.HasPrefix(body, ".\r\n") {
				t.Errorf("body: got %v %q, want beginning with %q", err, body, ".\r\n")
			}
			head, _, _ := strings.Cut(string(dots), "\r\n\r\n")
			if _, got, err := get(t, c, "news:dots.1@site.example", set("news.command", "head")); err != nil || got != head+"\r\n" {
				t.Errorf("head: got %v %q, want %q", err, got, head+"\r\n")
			}
			c = fetch.New(news.Schemes(&news.Config{Source: source})...)
			c.Limits.Reply = -1
			if d, _, err := get(t, c, "news:dots.1@site.example", nil); err != nil || d.Header.Get("Subject") != "Dots" {
				t.Errorf("without a limit: got %v", err)
			}
			c = fetch.New(news.Schemes(&news.Config{Source: source})...)
			c.Limits.Reply = 50
			if _, _, err := get(t, c, "news:dots.1@site.example", nil); fetch.KindOf(err) != fetch.ErrLimit {
				t.Errorf("a long header: got %v, want %v", err, fetch.ErrLimit)
			}
		})
	}
	for _, source := range []string{"spool:/no/such", "mbox:/no/such", "maildir:/no/such"} {
		if _, _, err := get(t, fetch.New(news.Schemes(nil)...), "news:a@b", set("news.host", source)); fetch.KindOf(err) != fetch.ErrLocal {
			t.Errorf("%s: got %v, want %v", source, err, fetch.ErrLocal)
		}
	}
}

// TestStoreChanges: articles that another program removes while a spool is read do not hide the others.
func TestStoreChanges(t *testing.T) {
	all := stores(t)
	dir := strings.TrimPrefix(all["spool"], "spool:")
	c := fetch.New(news.Schemes(&news.Config{Source: all["spool"]})...)
	d, err := c.Get(t.Context(), uri.MustParse("news:comp.infosystems.www"), set("news.view", "mbox"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	if err := os.Remove(filepath.Join(dir, "comp.infosystems.www", "2")); err != nil {
		t.Fatal(err)
	}
	if box, err := io.ReadAll(d.Body); err != nil || len(messagesOf(t, string(box))) != 2 {
		t.Errorf("a mailbox: got %v %q, want 2 articles", err, box)
	}
	n := 0
	for _, err := range c.Entries(t.Context(), uri.MustParse("news:*"), set("news.since", "1990-01-01")) {
		if n++; err != nil {
			t.Fatal(err)
		}
		if n == 1 {
			if err := os.Rename(filepath.Join(dir, "comp.infosystems.www"), dir+"-moved"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n < 3 {
		t.Errorf("got %d entries, want those of the other groups", n)
	}
}
