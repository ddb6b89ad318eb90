package schemes_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/schemes/http"
	"example.org/deref/schemes/mail"
	"example.org/deref/uri"
)

// A conversation is one request that contains a foreign value: in place of {v} in the URI and its options, or of \v in a reply.
type conversation struct {
	uri     string
	good    string            // a valid value at that place, 7 if empty
	set     map[string]string // settings; {v} is the value
	login   bool              // the value is user and password
	known   bool              // ... provided by the Client's Logins and not by the request
	search  bool              // the value is searched for
	accept  string
	send    string // a message
	replies []string
	played  bool // the script has the contents of TLS
}

// replies are "PREFIX|reply": to a line with the prefix, the first that is not used up; "^" is the greeting, "=" is used up never.
const v = "\v"

func conversations() []conversation {
	digest := "GET|HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=\"" + v + "\", nonce=\"" + v + "\", opaque=\"" + v +
		"\"\r\nContent-Length: 0\r\n\r\n"
	found := "GET|HTTP/1.1 200 OK\r\nETag: \"" + v + "\"\r\nSet-Cookie: a=" + v + "\r\nContent-Length: 2\r\n\r\nhi"
	plain := "GET|HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\nContent-Length: 0\r\n\r\n"
	ftp := []string{"^|220 " + v + "\r\n", "=USER|331 " + v + "\r\n", "=PASS|230 " + v + "\r\n", "=EPSV|229 ok (|||2021|)\r\n",
		"=AUTH|500 " + v + "\r\n", "=|250 " + v + "\r\n"}
	news := []string{"^|200 " + v + "\r\n", "=CAPABILITIES|101 x\r\nVERSION 2\r\n" + v +
		"\r\nREADER\r\nOVER\r\nAUTHINFO USER SASL\r\nSASL PLAIN\r\n.\r\n", "=GROUP|211 1 1 1 " + v + "\r\n",
		"=OVER|224 x\r\n1\t" + v + "\t" + v + "\td\t<" + v + "@h>\t<" + v + "@h>\t1\t1\r\n.\r\n",
		"=LIST|215 x\r\n" + v + " 1 1 y\r\na.b 1 1 y\r\n.\r\n",
		"=NEWNEWS|502 no\r\n", "=ARTICLE|220 1 <a@h>\r\nReferences: <" + v + "@h>\r\nSubject: " + v + "\r\n\r\nx\r\n.\r\n",
		"=HEAD|221 1 <a@h>\r\nReferences: <" + v + "@h>\r\n\r\n.\r\n",
		"=AUTHINFO|281 x\r\n", "=|500 " + v + "\r\n"}
	smtp := []string{"^|220 " + v + "\r\n", "=EHLO|250-" + v + "\r\n250-AUTH PLAIN\r\n250-SIZE " + v + "\r\n250 8BITMIME\r\n",
		"=AUTH|235 ok\r\n", "=MAIL|250 ok\r\n", "=RCPT|250 ok\r\n", "=DATA|354 go\r\n", "=.|250 " + v + "\r\n", "=|500 " + v + "\r\n"}
	dict := []string{"^|220 " + v + " <" + v + "@h>\r\n", "=CLIENT|250 ok\r\n", "=AUTH|230 ok\r\n", "=DEFINE|552 no\r\n",
		"=|500 " + v + "\r\n"}
	return []conversation{
		{uri: "http://h.example/{v}?{v}", replies: []string{found}},
		{uri: "http://u:p@h.example/", replies: []string{digest, found}},
		{uri: "http://{v}:{v}@h.example/", replies: []string{plain, found}},
		{uri: "http://h.example/", login: true, replies: []string{plain, found}},
		{uri: "http://h.example/", login: true, known: true, replies: []string{plain, found}},
		{uri: "http://h.example/", set: map[string]string{"http.header": "X: {v}"}, replies: []string{found}},
		{uri: "http://h.example/", set: map[string]string{"http.credential-header": "Cookie: {v}"}, replies: []string{found}},
		{uri: "http://h.example/", set: map[string]string{"http.user-agent": "{v}"}, replies: []string{found}},
		{uri: "http://h.example/", set: map[string]string{"http.referer": "http://h/{v}"}, replies: []string{found}},
		{uri: "http://h.example/", search: true, replies: []string{found}},
		{uri: "http://h.example/", accept: "{v}", replies: []string{found}},
		{uri: "http://h.example/", replies: []string{"GET|HTTP/1.1 302 Found\r\nLocation: /" + v + "\r\nContent-Length: 0\r\n\r\n",
			"=|HTTP/1.1 302 Found\r\nLocation: http://" + v + "@h.example/\r\nContent-Length: 0\r\n\r\n"}},
		{uri: "gopher://h.example/0{v}", replies: []string{"=|x\r\n"}},
		{uri: "gopher://h.example/7find?{v}", replies: []string{"=|1" + v + "\t" + v + "\th.example\t70\r\n"}},
		{uri: "gopher://h.example/7find", search: true, replies: []string{"=|x\r\n"}},
		{uri: "gopher://h.example/0s", accept: "text/plain",
			replies: []string{"=s\t!|+-1\r\n+INFO: 0s\ts\th.example\t70\t+\r\n+VIEWS:\r\n text/plain " + v + ": <1k>\r\n text/plain" + v +
				": <1k>\r\n.\r\n", "=|+-1\r\nx\r\n.\r\n"}},
		{uri: "ftp://h.example/a/{v}/{v}", replies: ftp},
		{uri: "ftp://h.example/a/b", login: true, replies: ftp},
		{uri: "ftp://{v}:{v}@h.example/a/b;type=a", replies: ftp},
		{uri: "ftp://h.example/a/", replies: ftp},
		{uri: "finger://h.example/{v}", replies: []string{"=|x\r\n"}},
		{uri: "finger://h.example/", search: true, replies: []string{"=|x\r\n"}},
		{uri: "whois://h.example/{v}", replies: []string{"=|refer: " + v + "\r\n"}},
		{uri: "nex://h.example/{v}", replies: []string{"=|x\r\n"}},
		{uri: "spartan://h.example/{v}?{v}", replies: []string{"=|3 /" + v + "\r\n"}},
		{uri: "gemini://h.example/{v}?{v}", played: true, replies: []string{"=gemini:|30 gemini://h.example/" + v + "\r\n"}},
		{uri: "gemini://h.example/", played: true, replies: []string{"=gemini:|31 " + v + "\r\n"}},
		{uri: "gemini://h.example/a", played: true, search: true, replies: []string{"=gemini:|20 text/gemini; x=" + v + "\r\n=> " + v + "\r\n"}},
		{uri: "gemini://h.example/a", played: true, login: true, replies: []string{"=gemini:|11 " + v + "\r\n"}},
		{uri: "whois++://h.example/{v}", replies: []string{"=|% 220 " + v + "\r\n"}},
		{uri: "gophers://h.example/0{v}", played: true, replies: []string{"=|x\r\n"}},
		{uri: "dict://h.example/d:{v}:{v}", replies: dict},
		{uri: "dict://{v}:{v}@h.example/d:a", replies: dict},
		{uri: "dict://u:p@h.example/d:a", replies: dict},
		{uri: "cso://h.example/{v}?{v}", replies: []string{"=|200:" + v + "\r\n"}},
		{uri: "news://h.example/{v}", replies: news},
		{uri: "news://h.example/a.b", replies: news},
		{uri: "news://h.example/*", replies: news},
		{uri: "news://h.example/*", set: map[string]string{"news.since": "2026-01-01"}, replies: news},
		{uri: "news://h.example/a@h", set: map[string]string{"news.view": "thread"}, replies: news},
		{uri: "nntp://h.example/a.b/{v}", replies: news},
		{uri: "news://{v}:{v}@h.example/a.b", replies: news},
		{uri: "news://h.example/a.b", login: true, known: true, replies: news},
		{uri: "mailto:{v}@b.example?subject={v}&cc={v}@c.example&body={v}", send: "-", replies: smtp},
		{uri: "mailto:a@b.example", send: "Subject: \v\r\n\r\n\v", replies: smtp},
		{uri: "mailto:a@b.example", login: true, known: true, send: "-", replies: smtp},
		{uri: "mailto:a@b.example", send: "-", replies: append([]string{"^|220 " + v + "\r\n", "=EHLO|502 " + v + "\r\n",
			"=HELO|250 " + v + "\r\n"}, smtp[3:]...)},
		{uri: "mailto:a@b.example", set: map[string]string{"mailto.from": "{v}"}, send: "-", replies: smtp},
		{uri: "mailto:a@b.example", send: "From: \v@b.example\r\nSubject: x\r\n\r\nx", replies: smtp},
	}
}

// Commands are sent exactly as announced, line by line, for all values. That they are announced as planned is a test of fetchtest. Some servers
// never reply, so time is simulated.
func TestPromise3EveryValueInEveryStep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, everyValueInEveryStep)
}

func everyValueInEveryStep(t *testing.T) {
	for i, c := range conversations() {
		for _, end := range []string{"", "\r\n", "\n", "\r", "\x00", `"`, `\`, "\t", " ", "\x01", "\x7f", "\xff", "\r\n.\r\n", ">", "\r\n\r\n"} {
			if err := c.run("a" + end + "INJECTED b"); err != nil {
				t.Errorf("conversation %d (%s) with %q: %v", i, c.uri, end, err)
			}
		}
	}
	for i, c := range exchanges() {
		if n, err := c.run(cmp.Or(c.good, "7")); err != nil || n < c.least {
			t.Errorf("exchange %d (%s): got %d requests, %v, want at least %d", i, c.uri, n, err, c.least)
		}
		for _, end := range []string{"", "\r\n", "\n", "\r", "\x00", `"`, `\`, "'", "\t", " ", "\x01", "\x02", "\x1d", "\x1f", "\x7f", "\xff",
			"\xff\xf0", "\xff\xff", ")(cn=", "*", ","} {
			if _, err := c.run("a" + end + "INJECTED b"); err != nil {
				t.Errorf("exchange %d (%s) with %q: %v", i, c.uri, end, err)
			}
		}
	}
}

func FuzzInjection(f *testing.F) {
	list, more := conversations(), exchanges()
	for i := range len(list) + len(more) {
		f.Add(uint8(i), "a\r\nINJECTED b")
		f.Add(uint8(i), "\"\\\n\t\x00")
	}
	f.Fuzz(func(t *testing.T, n uint8, value string) {
		if len(value) > 4<<10 {
			return // the parsers of long texts have targets of their own
		}
		i := int(n) % (len(list) + len(more))
		if i < len(list) {
			if err := list[i].run(value); err != nil {
				t.Errorf("%s: %v", list[i].uri, err)
			}
			return
		}
		c := more[i-len(list)]
		if _, err := c.run(value); err != nil {
			t.Errorf("%s: %v", c.uri, err)
		}
	})
}

// run makes the request against a server in memory, and compares the announced steps with the bytes that the server received.
func (c conversation) run(value string) error {
	p := &peer{value: value, replies: c.replies, played: c.played}
	announced, _ := c.request(value, func(client *fetch.Client) { client.Dialer = p.dial })
	return c.compare(p.heard(), announced)
}

// request makes the request, and returns the announced and the planned steps.
func (c conversation) request(value string, prepare func(*fetch.Client)) (announced []fetch.Step, plan *fetch.Plan) {
	escaped := uri.EscapeBut(value, "-._~")
	u, err := uri.Parse(strings.ReplaceAll(c.uri, "{v}", escaped))
	if err != nil {
		return nil, nil // no URI
	}
	var mu sync.Mutex
	o := &fetch.Options{Set: map[string][]string{}, Trace: func(e fetch.Event) {
		if mu.Lock(); e.Step != nil {
			announced = append(announced, *e.Step)
		}
		mu.Unlock()
	}}
	for key, text := range c.set {
		o.Set[key] = []string{strings.ReplaceAll(text, "{v}", value)}
	}
	if c.accept != "" {
		o.Accept = []string{strings.ReplaceAll(c.accept, "{v}", value)}
	}
	if c.search {
		o.Search = []string{value}
	}
	login := fetch.Login{User: value, Password: value, Set: true}
	if c.login && !c.known {
		o.Login = login
	}
	client := fetch.New(schemes.All(&schemes.Config{HTTP: &http.Config{Jar: valueJar(value)},
		Mail: &mail.Config{Submission: "smtp://h.example:25", From: "me@h.example"}})...)
	defer client.Close()
	prepare(client)
	client.Timeouts.Idle = 300 * time.Millisecond
	if c.known {
		client.Logins = func(context.Context, fetch.LoginRequest) (fetch.Login, error) { return login, nil }
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if c.send != "" {
		var msg io.Reader
		if c.send != "-" {
			msg = strings.NewReader(strings.ReplaceAll(c.send, v, value))
		}
		o.Op = fetch.Send
		client.Send(ctx, u, msg, o)
	} else if d, _ := client.Get(ctx, u, o); d != nil {
		if d.Entries != nil {
			n := 0
			for range d.Entries {
				if n++; n > 20 {
					break
				}
			}
		} else {
			io.Copy(io.Discard, d.Body)
		}
		d.Body.Close()
	}
	plan, _ = client.Plan(u, o)
	client.Close()
	mu.Lock()
	defer mu.Unlock()
	return announced, plan
}

// compare removes the announced steps from what was sent, connection by connection in the order in which they were made.
func (c conversation) compare(said string, steps []fetch.Step) error {
	whole := said
	for i, s := range steps {
		if s.Verb == "" && s.Data == "<message>" || s.If == "no message is given" { // a body, which dots end
			continue
		}
		line, rest, ok := strings.Cut(said, "\r\n")
		for ok && (line == "" && s.Verb != "") { // the end of a header
			line, rest, ok = strings.Cut(rest, "\r\n")
		}
		if !ok {
			if i == len(steps)-1 || said == "" {
				return nil // the server closed before it was sent
			}
			return fmt.Errorf("got %q, want %q in it", whole, s.Line())
		}
		want := s.Line()
		switch {
		case strings.ContainsAny(line, "\r\n\x00"):
			return fmt.Errorf("got a line end or NUL within the line %q", line)
		case s.Secret || strings.Contains(want, "***"):
			if !strings.HasPrefix(line, s.Verb) {
				return fmt.Errorf("got %q, want %s ...", line, s.Verb)
			}
		case s.Verb == "MAIL":
			if !strings.HasPrefix(line, s.Verb+" "+s.Args[0]) {
				return fmt.Errorf("got %q, want %q and parameters", line, s.Verb+" "+s.Args[0])
			}
		case line != want && strings.ReplaceAll(line, "\xff\xff", "\xff") != want:
			return fmt.Errorf("got the line %q, want %q", line, want)
		}
		said = strings.TrimPrefix(rest, s.Data)
		if s.Verb == "DATA" { // the message follows, and ends with the first dot
			if _, after, found := strings.Cut(said, "\r\n.\r\n"); found {
				said = after
			} else {
				said = ""
			}
		}
	}
	if strings.Trim(said, "\r\n") != "" {
		return fmt.Errorf("got %q after all that was announced", said)
	}
	return nil
}

// A value that is not one word, string, field or path is refused by the scheme's grammar, both while planning and before sending.
func TestPromise3GrammarsOfSchemes(t *testing.T) {
	for _, tt := range []struct {
		scheme    string
		good, bad fetch.Step
	}{
		{"http", fetch.Step{Verb: "GET", Args: []string{"/a", "HTTP/1.1"}}, fetch.Step{Verb: "GET", Args: []string{"/a b", "HTTP/1.1"}}},
		{"https", fetch.Step{Verb: "X:", Args: []string{"a b\tc"}}, fetch.Step{Verb: "X:", Args: []string{"a\x01"}}},
		{"http", fetch.Step{Verb: "X:", Args: []string{""}}, fetch.Step{Verb: "X Y:", Args: []string{""}}},
		{"gopher", fetch.Step{Args: []string{"a\tb\t+\t1"}}, fetch.Step{Args: []string{"a\tb\t+\t1\tc"}}},
		{"gemini", fetch.Step{Args: []string{"gemini://h/"}}, fetch.Step{Args: []string{"gemini://h/ x"}}},
		{"spartan", fetch.Step{Args: []string{"h", "/", "0"}}, fetch.Step{Args: []string{"h x", "/", "0"}}},
		{"dict", fetch.Step{Verb: "DEFINE", Args: []string{"!", `"a \"b"`}}, fetch.Step{Verb: "DEFINE", Args: []string{"!", `"a" b`}}},
		{"dict", fetch.Step{Verb: "DEFINE", Args: []string{"!", "a"}}, fetch.Step{Verb: "DEFINE", Args: []string{"!", `"a`}}},
		{"news", fetch.Step{Verb: "GROUP", Args: []string{"a.b"}}, fetch.Step{Verb: "GROUP", Args: []string{"a b"}}},
		{"mailto", fetch.Step{Verb: "RCPT", Args: []string{"TO:<a@b.c>"}}, fetch.Step{Verb: "RCPT", Args: []string{"TO:<a@b.c>,<d@e.f>"}}},
		{"mailto", fetch.Step{Verb: "MAIL", Args: []string{"FROM:<a@b.c>", "RET=FULL"}},
			fetch.Step{Verb: "MAIL", Args: []string{"FROM:<a@b.c>", "RET=FULL X"}}},
		{"prospero", fetch.Step{Verb: "VERSION", Args: []string{"5"}}, fetch.Step{Verb: "VERSION", Args: []string{"5 x"}}},
	} {
		s, _ := fetch.Registry(schemes.All(nil)).Lookup(tt.scheme)
		if err := s.Grammar(&tt.good); err != nil {
			t.Errorf("%s: %q: got %v, want no error", tt.scheme, tt.good.Line(), err)
		}
		if err := s.Grammar(&tt.bad); err == nil {
			t.Errorf("%s: %q: got no error, want one", tt.scheme, tt.bad.Line())
		}
	}
}
