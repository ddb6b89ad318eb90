package news_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/uri"
)

const postedText = "From: Ann <ann@site.example>\nSubject: hello\nMessage-ID: <new@site.example>\n\n.\n..dots\nend"

func post(t testing.TB, s *newstest.Server, u string, msg io.Reader, o *fetch.Options) (*fetch.Receipt, error) {
	t.Helper()
	return client(t, s).Send(context.Background(), uri.MustParse(u), msg, o)
}

func TestPost(t *testing.T) {
	for _, o := range []newstest.Options{{}, {Transit: true}, {OldTransit: true}, {NoCapabilities: true}, {NoPipelining: true},
		{SelfSigned: true, Implicit: true}} {
		o.Posting = true
		s := server(t, &o)
		u := "news:lab.empty"
		if o.Implicit {
			u = "snews:lab.empty"
		}
		got, err := post(t, s, u, strings.NewReader(postedText), nil)
		if err != nil || len(got.Accepted) != 1 || got.Accepted[0] != "lab.empty" {
			t.Errorf("%+v: got %v %v, want len(got.Accepted) 1, got.Accepted[0] %q", o, got, err, "lab.empty")
			continue
		}
		want := "Newsgroups: lab.empty\r\nFrom: Ann <ann@site.example>\r\nSubject: hello\r\nMessage-ID: <new@site.example>\r\n\r\n.\r\n" +
			"..dots\r\nend\r\n"
		if _, body, err := get(t, client(t, s), strings.Replace(u, "lab.empty", "new@site.example", 1),
			set("news.pipeline", "no")); err != nil || body != want {
			t.Errorf("%+v: read back: got %v %q, want %q", o, err, body, want)
		}
	}
}

// An article that exceeds the server's bound ends the connection, also if it is one line.
func TestPostTooLong(t *testing.T) {
	s := server(t, &newstest.Options{Posting: true})
	c, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "POST\r\n")
	go c.Write(bytes.Repeat([]byte("x"), 2<<20))
	if got, err := io.ReadAll(c); !strings.Contains(string(got), "\r\n340 ") {
		t.Errorf("got %q, %v, want the replies to POST, and the end", got, err)
	}
}

func TestPostRefused(t *testing.T) {
	s := server(t, &newstest.Options{Posting: true})
	for _, c := range []struct {
		name, u, msg string
		kind         fetch.Kind
	}{
		{"no From", "news:lab.empty", "Subject: x\n\ny\n", fetch.ErrLocal},
		{"no Subject", "news:lab.empty", "From: a@b.example\n\ny\n", fetch.ErrLocal},
		{"another group", "news:lab.empty", "From: a@b.example\nSubject: x\nNewsgroups: lab.dots\n\ny\n", fetch.ErrLocal},
		{"no message-id", "news:lab.empty", "From: a@b.example\nSubject: x\nMessage-ID: one\n\ny\n", fetch.ErrLocal},
		{"no header", "news:lab.empty", "Dear all,\n\nFrom: a@b.example\n", fetch.ErrLocal},
		{"folded first", "news:lab.empty", " From: a@b.example\nSubject: x\n\n", fetch.ErrLocal},
		{"a CR within", "news:lab.empty", "From: a@b.example\nSubject: x\rNewsgroups: y\n\ny\n", fetch.ErrLocal},
		{"long header", "news:lab.empty", "From: " + strings.Repeat("x", 2<<20), fetch.ErrLimit},
		{"an article", "news:a@b", postedText, fetch.ErrUnsupported},
		{"no such group", "news:lab.none", postedText, fetch.ErrRefused},
	} {
		if _, err := post(t, s, c.u, strings.NewReader(c.msg), nil); fetch.KindOf(err) != c.kind {
			t.Errorf("%s: got %v, want %v", c.name, err, c.kind)
		}
	}
	if _, err := post(t, s, "news:lab.empty", nil, nil); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("no article: got %v, want %v", err, fetch.ErrLocal)
	}
	if _, err := post(t, s, "news:lab.empty", strings.NewReader("Subject: x\nSender: bob@site.example\n\ny\n"),
		set("news.from", "ann@site.example, bob@site.example")); err != nil {
		t.Errorf("two authors in From of a setting: got %v, want the article accepted (RFC 5536 section 3.1.2)", err)
	}
	if _, err := post(t, server(t, nil), "news:lab.empty", strings.NewReader(postedText), nil); fetch.KindOf(err) != fetch.ErrRefused {
		t.Errorf("440: got %v, want %v", err, fetch.ErrRefused)
	}
}

// TestPostLost: after the final dot the outcome is unknown, and nothing is sent twice.
func TestPostLost(t *testing.T) {
	for _, f := range []newstest.Faults{{Reply: map[string]string{"ARTICLE-SENT": "999 what"}}, {Reply: map[string]string{"ARTICLE-SENT": newstest.Hangup}}} {
		s := server(t, &newstest.Options{Posting: true, Faults: &f})
		_, err := post(t, s, "news:lab.empty", strings.NewReader(postedText), nil)
		if fetch.KindOf(err) != fetch.ErrTransfer || !strings.Contains(err.Error(), "unknown whether accepted") || s.Sessions() != 1 {
			t.Errorf("%+v: got %v, %d connections, want %v, with %q, s.Sessions() 1",
				f, err, s.Sessions(), fetch.ErrTransfer, "unknown whether accepted")
		}
	}
}

// TestPostBroken does not post an article that cannot be read to its end.
func TestPostBroken(t *testing.T) {
	s := server(t, &newstest.Options{Posting: true})
	msg := io.MultiReader(strings.NewReader(postedText+strings.Repeat("x\n", 100_000)), iotest.ErrReader(io.ErrNoProgress))
	if _, err := post(t, s, "news:lab.empty", msg, nil); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("got %v, want %v", err, fetch.ErrLocal)
	}
	s.Wait(client(t, s).Timeouts.Idle)
	if s.Article("<new@site.example>") != nil {
		t.Errorf("got half an article, want none")
	}
}
