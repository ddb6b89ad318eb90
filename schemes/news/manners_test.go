package news_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/news/newstest"
)

const one = "news:first.1@site.example"

// TestTransit: the server begins in the mode for other servers, as INN's innd does. The client notices that once.
func TestTransit(t *testing.T) {
	for _, c := range []struct {
		name  string
		o     newstest.Options
		again []string
	}{
		{"with CAPABILITIES", newstest.Options{Transit: true}, []string{"CAPABILITIES", "ARTICLE <first.1@site.example>"}},
		{"without", newstest.Options{OldTransit: true}, []string{"CAPABILITIES", "ARTICLE <first.1@site.example>"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := server(t, &c.o)
			cl := client(t, s)
			cl.Close() // keeps no connections
			for range 2 {
				if _, body, err := get(t, cl, one, nil); err != nil || body != string(s.Article("<first.1@site.example>")) {
					t.Fatalf("got %v %q, want %q", err, body, string(s.Article("<first.1@site.example>")))
				}
			}
			want := slices.Concat(c.again, []string{"MODE READER"}, c.again, []string{"MODE READER"}, c.again)
			if got := s.Transcript(); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestDropsPipeline: a server that drops early commands gets one command at a time, and the client remembers that.
func TestDropsPipeline(t *testing.T) {
	inBubble(t, newstest.Options{NoPipelining: true}, func(t *testing.T, s *newstest.Server, c *fetch.Client) {
		c.Timeouts.Idle = time.Hour // which the client does not wait for
		began := time.Now()
		for range 3 {
			if _, body, err := get(t, c, s.URL+"/lab.dots/1", nil); err != nil || body != string(s.Article("<dots.1@site.example>")) {
				t.Fatalf("got %v %q, want %q", err, body, string(s.Article("<dots.1@site.example>")))
			}
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("got a wait of %s, want at most 5s, once", took)
		}
	})
}

func TestOldServers(t *testing.T) {
	for _, o := range []newstest.Options{{NoCapabilities: true}, {Lacks: []string{"OVER"}}, {Lacks: []string{"OVER", "XOVER"}}} {
		s := server(t, &o)
		c := client(t, s)
		for _, opt := range []*fetch.Options{nil, set("news.pipeline", "no")} {
			list, err := entries(t, c, "news:comp.infosystems.www", opt)
			if want := []string{one, "news:second.2@site.example", "news:fourth.4@site.example"}; err != nil ||
				!slices.Equal(uris(list), want) {
				t.Errorf("%+v: got %v %v, want %q", o, uris(list), err, want)
			}
			if _, body, err := get(t, c, one, opt); err != nil || body != string(s.Article("<first.1@site.example>")) {
				t.Errorf("%+v: got %v %q, want %q", o, err, body, string(s.Article("<first.1@site.example>")))
			}
		}
	}
}

func TestLogin(t *testing.T) {
	users := map[string]string{"ann": "open sesame"}
	ann := fetch.Login{User: "ann", Password: "open sesame", Set: true}
	for _, c := range []struct {
		name  string
		o     newstest.Options
		opt   fetch.Options
		kind  fetch.Kind
		must  string // must be in the transcript
		never string // must not
	}{
		{"nobody", newstest.Options{}, fetch.Options{}, fetch.ErrAuth, "", "AUTHINFO"},
		{"in clear where nothing else is offered", newstest.Options{}, fetch.Options{Login: ann}, "", "AUTHINFO PASS open sesame",
			"STARTTLS"},
		{"wrong", newstest.Options{}, fetch.Options{Login: fetch.Login{User: "ann", Password: "no", Set: true}}, fetch.ErrAuth, "",
			"GROUP"},
		{"SASL", newstest.Options{NoUser: true}, fetch.Options{Login: ann}, "", "AUTHINFO SASL PLAIN AGFubgBvcGVuIHNlc2FtZQ==",
			"AUTHINFO USER"},
		{"TLS that is offered", newstest.Options{SelfSigned: true, RequireTLS: true}, fetch.Options{Login: ann}, "", "STARTTLS", ""},
		{"TLS after another mode", newstest.Options{SelfSigned: true, Transit: true}, fetch.Options{Login: ann}, "", "STARTTLS", ""},
		{"not in clear", newstest.Options{SelfSigned: true, RequireTLS: true},
			fetch.Options{Login: ann, Set: map[string][]string{"news.ssl": {"never"}}}, fetch.ErrTLS, "AUTHINFO USER ann", "AUTHINFO PASS"},
		{"TLS required", newstest.Options{SelfSigned: true}, fetch.Options{Login: ann, Set: map[string][]string{"news.ssl": {"require"}}},
			"", "STARTTLS", ""},
		{"TLS required, not offered", newstest.Options{}, fetch.Options{Login: ann, Set: map[string][]string{"news.ssl": {"require"}}},
			fetch.ErrTLS, "STARTTLS", "AUTHINFO"},
		{"TLS offered and refused", newstest.Options{SelfSigned: true, Faults: &newstest.Faults{Reply: map[string]string{"STARTTLS": "580 Not now"}}},
			fetch.Options{Login: ann}, fetch.ErrTLS, "STARTTLS", "AUTHINFO"},
		{"injected after STARTTLS", newstest.Options{SelfSigned: true, Faults: &newstest.Faults{Reply: map[string]string{"STARTTLS": "382 Go ahead\r\n281 welcome"}}},
			fetch.Options{Login: ann}, fetch.ErrProtocol, "STARTTLS", "AUTHINFO"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Users, c.o.Private = users, "lab.*"
			s := server(t, &c.o)
			_, _, err := get(t, client(t, s), "nntp:lab.dots/1", &c.opt)
			if fetch.KindOf(err) != c.kind {
				t.Errorf("got %v, want %v", err, c.kind)
			}
			got := strings.Join(s.Transcript(), "\n")
			if !strings.Contains(got, c.must) || c.never != "" && strings.Contains(got, c.never) {
				t.Errorf("got %s, want %q in it, and no %q", got, c.must, c.never)
			}
		})
	}
}

func TestImplicitTLS(t *testing.T) {
	s := server(t, &newstest.Options{SelfSigned: true, Implicit: true})
	for _, u := range []string{"snews:dots.1@site.example", "nntps:lab.dots/1", s.URL + "/lab.dots/1"} {
		d, body, err := get(t, client(t, s), u, nil)
		if err != nil || body != string(s.Article("<dots.1@site.example>")) {
			t.Errorf("%s: got %v %q, want %q", u, err, body, string(s.Article("<dots.1@site.example>")))
		} else if d.Base.Scheme() != "snews" {
			t.Errorf("%s: got base %s, want d.Base.Scheme() %q", u, d.Base, "snews")
		}
	}
}

// TestReplies checks the table of the package comment.
func TestReplies(t *testing.T) {
	for _, c := range []struct {
		verb, reply string
		kind        fetch.Kind
	}{
		{"GREETING", "400 down for now", fetch.ErrUnavailable},
		{"GREETING", "502 not you", fetch.ErrRefused},
		{"GREETING", "220 mail.example ESMTP", fetch.ErrProtocol},
		{"GREETING", "SSH-2.0-x", fetch.ErrProtocol},
		{"GREETING", newstest.Hangup, fetch.ErrConnection},
		{"GROUP", "400 load too high", fetch.ErrUnavailable},
		{"GROUP", "403 broken", fetch.ErrUnavailable},
		{"GROUP", "411 none", fetch.ErrNotFound},
		{"GROUP", "480 who are you", fetch.ErrAuth},
		{"GROUP", "483 in clear", fetch.ErrTLS},
		{"GROUP", "502 no", fetch.ErrRefused},
		{"GROUP", "503 cannot", fetch.ErrUnsupported},
		{"GROUP", "500 what", fetch.ErrProtocol},
		{"GROUP", "220 1 <a@b>", fetch.ErrProtocol},
		{"GROUP", "211 many", fetch.ErrProtocol},
		{"GROUP", "211 -1 0 0 lab.dots", fetch.ErrProtocol},
		{"ARTICLE", "423 none", fetch.ErrNotFound},
		{"ARTICLE", "430 none", fetch.ErrNotFound},
		{"ARTICLE", "420 none", fetch.ErrNotFound},
		{"ARTICLE", "222 1 <a@b>", fetch.ErrProtocol},
		{"ARTICLE", "2200 what", fetch.ErrProtocol},
		{"ARTICLE", "220 1 <a@b>\r\n" + strings.Repeat("x", 20<<10), fetch.ErrLimit},
		{"ARTICLE", "220 1 <a@b>\r\n" + strings.Repeat("X: y\r\n", 200_000), fetch.ErrLimit},
		{"ARTICLE", newstest.Hangup, fetch.ErrConnection},
	} {
		s := server(t, &newstest.Options{Faults: &newstest.Faults{Reply: map[string]string{c.verb: c.reply}}})
		for _, pipeline := range []string{"yes", "no"} {
			if _, _, err := get(t, client(t, s), "nntp:lab.dots/1", set("news.pipeline", pipeline)); fetch.KindOf(err) != c.kind {
				t.Errorf("%s %.40q: %v, want %s", c.verb, c.reply, err, c.kind)
			}
		}
	}
}

// TestWrongArticle does not accept the reply to another command.
func TestWrongArticle(t *testing.T) {
	s := server(t, &newstest.Options{Faults: &newstest.Faults{Reply: map[string]string{"ARTICLE": "220 0 <other@site.example>\r\n" +
		"Subject: x\r\n\r\ny\r\n.\r\n"}}})
	if _, body, err := get(t, client(t, s), one, nil); fetch.KindOf(err) != fetch.ErrProtocol {
		t.Errorf("got %v %q, want %v", err, body, fetch.ErrProtocol)
	}
}

// TestEndless: texts end at the limit of a document, and the descriptions of groups, which are held in memory, too.
func TestEndless(t *testing.T) {
	const most = 100 << 10
	s := server(t, &newstest.Options{Faults: &newstest.Faults{Reply: map[string]string{
		"ARTICLE": "220 0 <first.1@site.example>\r\n\r\n" + strings.Repeat("x\r\n", most), "OVER": "224 x\r\n" + strings.Repeat("1\ta\r\n", most),
		"LIST NEWSGROUPS": "215 x\r\n" + strings.Repeat("a\tb\r\n", most)}}})
	for _, u := range []string{one, "news:comp.infosystems.www", "news:*"} {
		c := client(t, s)
		c.Limits.Document = most
		if d, body, err := get(t, c, u, nil); fetch.KindOf(err) != fetch.ErrLimit || len(body) > most {
			t.Errorf("%s: got %v (%d bytes, %v), want %v, at most len(body) %d", u, err, len(body), d, fetch.ErrLimit, most)
		}
	}
}

func TestSilence(t *testing.T) {
	for _, f := range []newstest.Faults{{Reply: map[string]string{"ARTICLE": newstest.Silence}}, {Reply: map[string]string{"GREETING": newstest.Silence}}} {
		inBubble(t, newstest.Options{Faults: &f}, func(t *testing.T, _ *newstest.Server, c *fetch.Client) {
			began := time.Now()
			_, _, err := get(t, c, one, nil)
			if took := time.Since(began); fetch.KindOf(err) != fetch.ErrTimeout || took > 2*c.Timeouts.Idle { // also without the pipeline
				t.Errorf("%+v: got %v after %s, want %v after at most %s", f, err, took, fetch.ErrTimeout, 2*c.Timeouts.Idle)
			}
		})
	}
}
