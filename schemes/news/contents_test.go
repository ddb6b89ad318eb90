package news_test

import (
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/news/newstest"
)

const related = `Path: x
From: a@b.example
Newsgroups: lab.parts,lab.other
Subject: parts
Message-ID: <parts@site.example>
References: <one@site.example> nonsense
	<two@site.example>
Followup-To: poster
Xref: news.example lab.parts:1 lab.other:7
Archived-At: <http://archive.example/parts>
MIME-Version: 1.0
Content-Type: multipart/related; boundary=bb

--bb
Content-Type: text/html; charset=us-ascii

<img src="cid:pix@h">
--bb
Content-Type: image/gif; name=pix.gif
Content-ID: <pix@h>
Content-Transfer-Encoding: base64

R0lG
--bb--
`

func TestContents(t *testing.T) {
	s := server(t, &newstest.Options{Articles: []string{related}})
	c := client(t, s)
	list, err := entries(t, c, "news:parts@site.example", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		rel := "part"
		if len(e.Attr["rel"]) > 0 {
			rel = e.Attr["rel"][0]
		}
		got = append(got, rel+" "+e.URI.String())
	}
	want := []string{
		"newsgroups news:lab.parts", "newsgroups news:lab.other", "references news:one@site.example", "references news:two@site.example",
		"xref " + s.URL + "/lab.parts/1", "xref " + s.URL + "/lab.other/7", "archived-at http://archive.example/parts",
		"part news:parts@site.example#part1", "part news:parts@site.example#part2",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if e := list[len(list)-1]; e.Title != "pix.gif" || e.Type != "image/gif" || e.Attr["content-id"][0] != "pix@h" {
		t.Errorf("got %+v, want e.Title %q, e.Type %q, content-id %q", e, "pix.gif", "image/gif", "pix@h")
	}
	d, body, err := get(t, c, "news:parts@site.example", set("news.part", "2"))
	if err != nil || body != "GIF" || !strings.HasPrefix(d.Type, "image/gif") ||
		d.Header.Get("Content-Disposition") != "attachment; filename=pix.gif" {
		t.Errorf("got %v %q %+v, want %q, beginning with %q, Content-Disposition %q",
			err, body, d, "GIF", "image/gif", "attachment; filename=pix.gif")
	}
	if d, body, err := get(t, c, list[len(list)-1].URI.String(), &fetch.Options{Part: true}); err != nil || body != "GIF" ||
		!strings.HasPrefix(d.Type, "image/gif") {
		t.Errorf("by its URI: got %v %q %+v, want %q, beginning with %q", err, body, d, "GIF", "image/gif")
	}
	if _, _, err := get(t, c, "news:parts@site.example", set("news.part", "3")); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("got %v, want %v", err, fetch.ErrNotFound)
	}
}

// TestBrokenParts checks that an article broken by its author is not an error of the server.
func TestBrokenParts(t *testing.T) {
	s := server(t, &newstest.Options{Articles: []string{strings.TrimSuffix(related, "--bb--\n")}})
	c := client(t, s)
	list, err := entries(t, c, "news:parts@site.example", nil)
	if err != nil || list[len(list)-1].Kind != fetch.KindUnknown {
		t.Errorf("got %v %v, want list[len(list)-1].Kind %v", list, err, fetch.KindUnknown)
	}
	if _, _, err := get(t, c, "news:parts@site.example", set("news.part", "2")); fetch.KindOf(err) != fetch.ErrDecode {
		t.Errorf("got %v, want %v", err, fetch.ErrDecode)
	}
	cut := server(t, &newstest.Options{Articles: []string{strings.Replace(related, "R0lG\n", strings.Repeat("R0lG\n", 1000), 1)},
		Faults: &newstest.Faults{CutAfter: 3000}})
	if _, _, err := get(t, client(t, cut), "news:parts@site.example", set("news.part", "2")); fetch.KindOf(err) != fetch.ErrTruncated {
		t.Errorf("got %v, want %v", err, fetch.ErrTruncated)
	}
}
