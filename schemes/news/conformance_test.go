package news_test

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/news"
)

// short is the text of an article in dialogues about something else: each of their bytes is a place for faults.
const short = "Message-ID: <one@site.example>\r\n\r\nx\r\n"

const body = "Path: news.example!not-for-mail\r\nFrom: A Writer <writer@site.example>\r\nNewsgroups: comp.test\r\n" +
	"Subject: =?ISO-8859-1?Q?caf=E9?= and\r\n more\r\n" +
	"Date: Tue, 20 Dec 1994 12:00:00 +0000\r\nMessage-ID: <one@site.example>\r\nReferences: <zero@site.example>\r\n\r\n" +
	"First line, see news:two@site.example\r\n.\r\n.dotted\r\nend\r\n"

func TestConformance(t *testing.T) {
	const article = "news://news.example/one@site.example"
	fetchtest.Test(t, news.Schemes(nil)[0],
		fetchtest.Case{URI: article, File: "testdata/dialogues/article.txt", Body: body, Type: "message/rfc822", End: fetch.EndTerminated,
			Check: checkHeader},
		fetchtest.Case{URI: "news://news.example/none@site.example", File: "testdata/dialogues/missing.txt", Err: fetch.ErrNotFound},
		fetchtest.Case{URI: "news://news.example/comp.test", File: "testdata/dialogues/group.txt", Type: "text/x-nntp-overview"},
		fetchtest.Case{URI: "news://news.example/comp.*", File: "testdata/dialogues/groups.txt", Type: "text/x-nntp-counts",
			Body: "comp.test 3 1 2 y\r\ncomp.other 1 2 0 m\r\n"},
		fetchtest.Case{Name: "without counts", URI: "news://news.example/comp.*", File: "testdata/dialogues/active.txt",
			Type: "text/x-nntp-active", Body: "comp.test 0000000003 0000000001 y\r\ncomp.other 1 2 m\r\n"},
		fetchtest.Case{Name: "without NEWNEWS", URI: "news://news.example/comp.*", Options: *set("news.since", "1994-12-20"),
			File: "testdata/dialogues/since.txt", Type: fetch.ListingType, Client: func(c *fetch.Client) { c.Limits.Reply = 80 }},
		fetchtest.Case{Name: "transit", URI: article, File: "testdata/dialogues/transit.txt", Body: short},
		fetchtest.Case{URI: "news://ann:open%20sesame@news.example/one@site.example", File: "testdata/dialogues/login.txt", Body: short},
		fetchtest.Case{URI: "news://ann:wrongword@news.example/one@site.example", File: "testdata/dialogues/badlogin.txt",
			Err: fetch.ErrAuth},
		fetchtest.Case{Name: "thread", URI: article, Options: *set("news.thread", "yes"), File: "testdata/dialogues/thread.txt",
			Type: fetch.ListingType},
		fetchtest.Case{Name: "mailbox of one", URI: article, Options: *set("news.view", "mbox"), File: "testdata/dialogues/article.txt",
			Type: "application/mbox",
			Body: "From writer@site.example Tue Dec 20 12:00:00 1994\nPath: news.example!not-for-mail\n" +
				"From: A Writer <writer@site.example>\nNewsgroups: comp.test\nSubject: =?ISO-8859-1?Q?caf=E9?= and\n more\n" +
				"Date: Tue, 20 Dec 1994 12:00:00 +0000\nMessage-ID: <one@site.example>\nReferences: <zero@site.example>\n\n" +
				"First line, see news:two@site.example\n.\n.dotted\nend\n\n"},
		fetchtest.Case{Name: "sasl", URI: "news://ann:open%20sesame@news.example/one@site.example", File: "testdata/dialogues/sasl.txt",
			Body: short},
	)
	fetchtest.Test(t, news.Schemes(nil)[2],
		fetchtest.Case{URI: "nntp://news.example/comp.test/1", File: "testdata/dialogues/number.txt", Body: short},
		fetchtest.Case{URI: "nntp://news.example/comp.test", File: "testdata/dialogues/heads.txt", Type: fetch.ListingType},
		fetchtest.Case{Name: "mailbox", URI: "nntp://news.example/comp.test", Options: *set("news.view", "mbox"),
			File: "testdata/dialogues/mailbox.txt", Type: "application/mbox"},
		fetchtest.Case{Name: "mailbox since", URI: "nntp://news.example/comp.test",
			Options: fetch.Options{Set: map[string][]string{"news.view": {"mbox"}, "news.since": {"1994-12-20"}}},
			File:    "testdata/dialogues/mailbox-since.txt", Type: "application/mbox"},
		fetchtest.Case{URI: "nntp://news.example/no.group", File: "testdata/dialogues/nogroup.txt", Err: fetch.ErrNotFound},
	)
}

func checkHeader(t testing.TB, d *fetch.Document, _ []byte) {
	if got := d.Header.Get("Subject"); got != "café and more" {
		t.Errorf("got the subject is %q, want %q", got, "café and more")
	}
}
