package news_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/mailstore"
	"example.org/deref/schemes/news"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/uri"
)

func fsTime() time.Time { return time.Date(1994, 12, 20, 12, 0, 0, 0, time.UTC) }

// many returns the texts of n articles of one group. Each seventh is canceled.
func many(n int) (list []string) {
	for i := 1; i <= n; i++ {
		list = append(list, fmt.Sprintf("From: A <a@site.example>\nNewsgroups: lab.many\nSubject: number %d\n"+
			"Date: Tue, 20 Dec 1994 12:00:00 +0000\nMessage-ID: <m%d@site.example>\n\nFrom here on\n.\n>From %d\n", i, i, i))
	}
	return list
}

func messagesOf(t testing.TB, box string) (list []string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "box")
	if err := os.WriteFile(name, []byte(box), 0o644); err != nil {
		t.Fatal(err)
	}
	for m, err := range (mailstore.Folder{Kind: "mbox", Path: name}).Messages() {
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(r)
		r.Close()
		list = append(list, string(b))
	}
	return list
}

// TestMailbox returns the articles of a group or range in one mailbox, without holes, in a few pipelines.
func TestMailbox(t *testing.T) {
	all := many(200)
	s := server(t, &newstest.Options{Articles: all})
	c := client(t, s)
	d, box, err := get(t, c, "news:lab.many", set("news.view", "mbox"))
	if err != nil || d.Type != "application/mbox" || !slices.Equal(messagesOf(t, box), all) {
		t.Fatalf("got %v, %d bytes, want d.Type %q, %q", err, len(box), "application/mbox", all)
	}
	if _, box, err := get(t, c, "nntp:comp.infosystems.www/2-9", set("news.view", "mbox")); err != nil || len(messagesOf(t, box)) != 2 {
		t.Errorf("got %v %q, want len(messagesOf(t, box)) 2", err, box)
	}
	for _, at := range []int64{1, 1000, int64(len(box)) - 1} {
		o := set("news.view", "mbox")
		o.Range, o.IfSame = fetch.Range{From: at}, d.Validator
		e, rest, err := get(t, c, "news:lab.many", o)
		if err != nil || e.Offset != at || rest != box[at:] {
			t.Errorf("resumed at %d: got %v, %d bytes, want e.Offset %v, %q", at, err, len(rest), at, box[at:])
		}
	}
	o := set("news.view", "mbox")
	o.Range = fetch.Range{From: int64(len(box)) + 1}
	if _, _, err := get(t, c, "news:lab.many", o); fetch.KindOf(err) != fetch.ErrChanged {
		t.Errorf("after the end: got %v, want %v", err, fetch.ErrChanged)
	}
	for _, u := range []string{"nntp:lab.many/7", "news:m7@site.example"} {
		d, box, err := get(t, c, u, set("news.view", "mbox"))
		if err != nil || d.Type != "application/mbox" || !slices.Equal(messagesOf(t, box), all[6:7]) {
			t.Errorf("%s: got %q, want one article: %v", u, box, err)
		}
		o := set("news.view", "mbox")
		o.Range, o.IfSame = fetch.Range{From: 9}, d.Validator
		if e, rest, err := get(t, c, u, o); err != nil || e.Offset != 9 || rest != box[9:] {
			t.Errorf("%s resumed at 9: got %v, %q, want e.Offset 9, %q", u, err, rest, box[9:])
		}
	}
	for _, o := range []*fetch.Options{set("news.part", "1"), set("news.command", "body"), set("news.thread", "yes")} {
		o.Set["news.view"] = []string{"mbox"}
		if _, _, err := get(t, c, "nntp:lab.many/7", o); fetch.KindOf(err) != fetch.ErrUnsupported {
			t.Errorf("%v: got %v, want unsupported", o.Set, err)
		}
	}
	if _, box, err := get(t, c, "news:lab.empty", set("news.view", "mbox")); err != nil || box != "" {
		t.Errorf("got %v %q, want %q", err, box, "")
	}
}

func article(n int, refs string) string {
	return fmt.Sprintf("From: a@b.example\nNewsgroups: lab.thread\nSubject: %d\nMessage-ID: <%d@t.example>\nReferences: %s\n\nx\n", n, n,
		refs)
}

// TestThread lists an article's thread from each of its articles.
func TestThread(t *testing.T) {
	s := server(t, &newstest.Options{Articles: []string{
		article(1, ""), article(2, "<1@t.example>"), article(3, ""), article(4, "<1@t.example> <2@t.example>"),
		article(5, "<1@t.example>"), article(6, "<gone@t.example> <2@t.example>"), article(7, "<3@t.example>"),
		article(8, "<9@t.example>"), article(9, "<8@t.example>"), // a circle
	}})
	want := []string{"1 0", "2 1", "4 2", "6 2", "5 1"}
	for _, u := range []string{"news:1@t.example", "news:4@t.example", "nntp:lab.thread/2"} {
		list, err := entries(t, client(t, s), u, set("news.thread", "yes"))
		if err != nil {
			t.Errorf("%s: %v", u, err)
			continue
		}
		var got []string
		for _, e := range list {
			got = append(got, e.Title+" "+e.Attr["depth"][0])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", u, got, want)
		}
	}
	var into []string
	for _, line := range s.Transcript() {
		if strings.HasPrefix(line, "GROUP ") {
			into = append(into, line)
		}
	}
	if len(into) != 3 {
		t.Errorf("one group, three times: got %q, want len(into) 3", into)
	}
	if list, err := entries(t, client(t, s), "news:8@t.example", set("news.thread", "yes")); err != nil || len(list) != 2 {
		t.Errorf("a circle: got %v %v, want len(list) 2", list, err)
	}
	if _, err := entries(t, client(t, s), "news:none@t.example", set("news.thread", "yes")); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("got %v, want %v", err, fetch.ErrNotFound)
	}
}

// TestThreadOfSeveralGroups follows a thread to groups in which its articles, or those that they answer, were posted. It counts missing
// ones.
func TestThreadOfSeveralGroups(t *testing.T) {
	in := func(groups, text string) string { return strings.Replace(text, "lab.thread", groups, 1) }
	s := server(t, &newstest.Options{Private: "lab.secret", Articles: []string{
		in("lab.first", article(1, "")), in("lab.first,lab.secret,lab.second", article(2, "<1@t.example>")), in("lab.second",
			article(3, "<1@t.example> <2@t.example>")),
		in("lab.second,lab.third", article(4, "<gone@t.example> <3@t.example>")), in("lab.third",
			article(5, "<4@t.example>")), in("lab.first", article(6, "")),
	}})
	want := []string{"1 0", "2 1", "3 2", "4 3", "5 4"}
	for u, gaps := range map[string]int64{"news:1@t.example": 0, "nntp:lab.first/2": 0, "news:4@t.example": 1, "news:5@t.example": 1} {
		d, err := client(t, s).Get(context.Background(), uri.MustParse(u), set("news.thread", "yes"))
		if err != nil {
			t.Errorf("%s: %v", u, err)
			continue
		}
		var got []string
		for e, err := range d.Entries {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Title+" "+e.Attr["depth"][0])
		}
		d.Body.Close()
		if slices.Sort(got); !slices.Equal(got, want) || d.Missing != gaps {
			t.Errorf("%s: got %q, %d gaps, want %q, d.Missing %v", u, got, d.Missing, want, gaps)
		}
	}
}

// TestSince lists articles since a date, by NEWNEWS or, if that is refused, by the articles' own dates, each once.
func TestSince(t *testing.T) {
	late := func(n int, groups string) string {
		return fmt.Sprintf("From: a@b.example\nNewsgroups: %s\nSubject: %d\nMessage-ID: <%d@s.example>\n"+
			"Date: Mon, 02 Jan 1995 00:00:0%d +0000\n\nx\n", groups, n, n, n)
	}
	articles := append(many(100), late(1, "lab.many,lab.more"), late(2, "lab.more"), late(3, "lab.closed"))
	want := []string{"news:1@s.example", "news:2@s.example"}
	for _, lacks := range [][]string{nil, {"NEWNEWS"}, {"NEWNEWS", "OVER"}, {"NEWNEWS", "OVER", "XOVER"}} {
		s := server(t, &newstest.Options{Articles: articles, Private: "lab.closed", Lacks: lacks})
		for _, u := range []string{"news:*", "news:lab.*"} {
			for _, pipeline := range []string{"yes", "no"} {
				o := &fetch.Options{Set: map[string][]string{"news.since": {"1995-01-01"}, "news.pipeline": {pipeline}}}
				list, err := entries(t, client(t, s), u, o)
				got := uris(list)
				if slices.Sort(got); err != nil || !slices.Equal(slices.Compact(got), want) {
					t.Errorf("without %v: %s: got %v %v, want %q", lacks, u, got, err, want)
				}
			}
		}
		c := client(t, s)
		list, err := entries(t, c, "news:lab.many", set("news.since", "1995-01-01"))
		if err != nil || !slices.Equal(uris(list), want[:1]) {
			t.Errorf("without %v: got %v %v, want %q", lacks, uris(list), err, want[:1])
		}
		if _, box, err := get(t, c, "news:lab.many",
			&fetch.Options{Set: map[string][]string{"news.since": {"1995-01-01"}, "news.view": {"mbox"}}}); err != nil ||
			len(messagesOf(t, box)) != 1 {
			t.Errorf("without %v: got %v %q, want len(messagesOf(t, box)) 1", lacks, err, box)
		}
	}
}

func TestArchive(t *testing.T) {
	s := server(t, nil)
	c := fetch.New(news.Schemes(&news.Config{Source: s.Addr, Archives: []news.Archive{
		{Groups: "alt.*", URI: "http://alt.example/{group}"},
		{Groups: "comp.*", URI: "http://comp.example/{group}/{id}"}, // the id is unknown
		{Groups: "comp.*", URI: "http://comp.example/{group}/{number}"},
		{Groups: "*", URI: "http://all.example/{id}"},
	}})...)
	c.Policy.NoFollow = true
	for u, want := range map[string]string{
		"news:no%2Fne@site.example":     "http://all.example/no%2Fne@site.example",
		"nntp:comp.infosystems.www/3":   "http://comp.example/comp.infosystems.www/3",
		"news://" + s.Addr + "/x@y.org": "http://all.example/x@y.org",
	} {
		d, err := c.Get(context.Background(), uri.MustParse(u), nil)
		if err != nil {
			t.Errorf("%s: %v", u, err)
			continue
		}
		d.Body.Close()
		if len(d.Referrals) != 1 || d.Referrals[0].URI.String() != want || !d.Referrals[0].Own {
			t.Errorf("%s: got %v, want len(d.Referrals) 1, d.Referrals[0].URI %v, d.Referrals[0].Own true", u, d.Referrals, want)
		}
	}
	o := set("news.archive", "lab.*=http://lab.example/{number}")
	if d, err := c.Get(context.Background(), uri.MustParse("nntp:lab.dots/3"), o); err != nil || len(d.Referrals) != 1 ||
		d.Referrals[0].URI.String() != "http://lab.example/3" {
		t.Errorf("an archive for this request: got %v, want len(d.Referrals) 1, d.Referrals[0].URI %q", err, "http://lab.example/3")
	}
	if _, _, err := get(t, c, "nntp:lab.dots/3", nil); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("no archive: got %v, want %v", err, fetch.ErrNotFound)
	}
	if _, _, err := get(t, c, "news:no.such.group", nil); strings.Contains(fmt.Sprint(err), "example") ||
		fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("got %v, want %v, and no archive for a group", err, fetch.ErrNotFound)
	}
}
