package news_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/uri"
)

// withXref returns the texts of many articles with the field that servers add.
func withXref(list []string) []string {
	out := slices.Clone(list)
	for i := range out {
		out[i] = strings.Replace(out[i], "Subject:", fmt.Sprintf("Xref: news.example other.group:7 lab.many:%d\nSubject:", i+1), 1)
	}
	return out
}

// requested counts the articles that were requested.
func requested(s *newstest.Server) (articles, fields int) {
	for _, line := range s.Transcript() {
		switch {
		case strings.HasPrefix(line, "ARTICLE "):
			articles++
		case strings.Contains(line, "HDR Message-ID"):
			fields++
		}
	}
	return articles, fields
}

// TestResumeMailbox does not request the saved articles again, except the one that contains the offset. If the server cannot identify
// that article, all are requested, and are skipped only if the caller compares some of them.
func TestResumeMailbox(t *testing.T) {
	const n = 200
	bare := many(n)
	for _, c := range []struct {
		name     string
		list     []string
		lacks    []string
		from, to int // articles requested at three quarters of the mailbox
		hdr      int
	}{
		{"by Xref", withXref(bare), nil, n/4 - 2, n/4 + 2, 0},
		{"by HDR", bare, nil, n/4 - 2, n/4 + 2, 1},
		{"by XHDR", bare, []string{"HDR"}, n/4 - 2, n/4 + 2, 2},
		{"without", bare, []string{"HDR", "XHDR"}, n, n, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := server(t, &newstest.Options{Articles: c.list, Lacks: c.lacks})
			d, box, err := get(t, client(t, s), "news:lab.many", set("news.view", "mbox"))
			if err != nil {
				t.Fatal(err)
			}
			for _, same := range []fetch.Validator{{}, d.Validator} {
				before, fields := requested(s)
				at := int64(len(box)) * 3 / 4
				o := set("news.view", "mbox")
				o.Range, o.IfSame, o.Have = fetch.Range{From: at}, same, strings.NewReader(box[:at+500])
				e, rest, err := get(t, client(t, s), "news:lab.many", o)
				if c.name == "without" && !same.IsZero() {
					at, same = 0, fetch.Validator{}
				}
				if err != nil || e.Offset != at || rest != box[at:] || !same.IsZero() && e.Validator != same {
					t.Errorf("%v: got %v, %d bytes at %d, want %d at %d", same, err, len(rest), e.Offset, len(box)-int(at), at)
				}
				now, hdr := requested(s)
				if now-before < c.from || now-before > c.to || hdr-fields != c.hdr {
					t.Errorf("got %d articles and %d times HDR, want %d to %d, and %d", now-before, hdr-fields, c.from, c.to, c.hdr)
				}
			}
		})
	}
}

// TestResumeOtherMailbox: the saved part belongs to another mailbox. Nothing is added to it.
func TestResumeOtherMailbox(t *testing.T) {
	s := server(t, &newstest.Options{Articles: many(20)})
	_, box, err := get(t, client(t, s), "news:lab.many", set("news.view", "mbox"))
	if err != nil {
		t.Fatal(err)
	}
	for name, have := range map[string]string{
		"no mailbox":   strings.Repeat("x\n", 1000),
		"no id":        "From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\ny\n",
		"another's id": "From a@b Thu Jan  1 00:00:00 1970\nMessage-ID: <none@site.example>\n\ny\n",
		"no number":    "From a@b Thu Jan  1 00:00:00 1970\nXref: news.example lab.many:99\n\ny\n",
	} {
		o := set("news.view", "mbox")
		o.Range, o.Have = fetch.Range{From: 50}, strings.NewReader(have)
		if _, rest, err := get(t, client(t, s), "news:lab.many", o); err != nil || rest != box[50:] {
			t.Errorf("%s: got %v %.80q, want %q", name, err, rest, box[50:])
		}
	}
	o := set("news.view", "mbox")
	o.Range, o.Have, o.IfSame = fetch.Range{From: 500}, strings.NewReader(box), fetch.Validator{Tag: "mboxrd another.group 1"}
	if d, whole, err := get(t, client(t, s), "news:lab.many", o); err != nil || d.Offset != 0 || whole != box {
		t.Errorf("the mailbox of another group: got %v, at %d, want d.Offset 0, %q", err, d.Offset, box)
	}
}

// TestCancelledMailbox: the last article of the saved part has been cancelled, or, while nobody has saved anything, an earlier one. Nothing is
// lost of the articles after it.
func TestCancelledMailbox(t *testing.T) {
	s := server(t, &newstest.Options{Articles: many(20)})
	d, box, err := get(t, client(t, s), "news:lab.many", set("news.view", "mbox"))
	if err != nil {
		t.Fatal(err)
	}
	at := int64(strings.Index(box, "m10@site.example")) + 30 // within the tenth
	s = server(t, &newstest.Options{Articles: many(20), Cancelled: []string{"lab.many/10"}})
	for _, have := range []io.ReaderAt{strings.NewReader(box[:at]), nil} {
		o := set("news.view", "mbox")
		o.Range, o.IfSame, o.Have = fetch.Range{From: at}, d.Validator, have
		if d, rest, err := get(t, client(t, s), "news:lab.many", o); err != nil || d.Offset != 0 || len(messagesOf(t, rest)) != 19 {
			t.Errorf("with a part %v: got %v, %d bytes at %d, want all of the 19 articles", have != nil, err, len(rest), d.Offset)
		}
	}
}

// TestContinueMailbox does what -C - does: it continues a mailbox that was cut, and adds new articles to a whole one. It requests again
// not much more than the last article and the 64 KiB that are compared.
func TestContinueMailbox(t *testing.T) {
	list := many(1000)
	_, whole, err := get(t, client(t, server(t, &newstest.Options{Articles: list})), "news:lab.many", set("news.view", "mbox"))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "box")
	u, o := uri.MustParse("news:lab.many"), set("news.view", "mbox")
	for _, c := range []struct {
		name     string
		articles int
		cut      int64
		most     int // articles that may be requested
		kind     fetch.Kind
	}{
		{"broken off", 800, 110_000, 800, fetch.ErrTruncated},
		{"continued", 800, 0, 300, ""}, // 64 KiB hold about 330 of these
		{"nothing new", 800, 0, 350, ""},
		{"articles have come", 1000, 0, 550, ""},
	} {
		s := server(t, &newstest.Options{Articles: list[:c.articles], Faults: &newstest.Faults{CutAfter: c.cut}})
		r, err := save.File(context.Background(), client(t, s), u, o, &save.Options{Path: name, Resume: true})
		if n, _ := requested(s); fetch.KindOf(err) != c.kind || n > c.most {
			t.Errorf("%s: got %v, %+v, %d articles, want %v, at most %d", c.name, err, r, n, c.kind, c.most)
		}
		got, _ := os.ReadFile(name)
		rest, ok := strings.CutPrefix(whole+"From ", string(got))
		if n := bytes.Count(got, []byte("Message-ID: ")); c.kind == "" && (n != c.articles || !ok || !strings.HasPrefix(rest, "From ")) {
			t.Errorf("%s: got %d articles in %d bytes, want the first %d of the group", c.name, n, len(got), c.articles)
		}
	}
}
