package http_test

import (
	"errors"
	"strings"
	"testing"

	"example.org/deref/fetch"
)

const ok = "HTTP/1.1 200 OK\r\n"

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		kind         fetch.Kind
		body         string
	}{
		{"length", ok + "Content-Length: 2\r\n\r\nhi", "", "hi"},
		{"chunks with extension and trailer", ok + "Transfer-Encoding: Chunked\r\n\r\n2;a=b\r\nhi\r\n0\r\nX: y\r\n\r\n", "", "hi"},
		{"close", ok + "\r\nhi", "", "hi"},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nhi", "", "hi"},
		{"bare LF", "HTTP/1.0 200 OK\nContent-Length: 2\n\nhi", "", "hi"},
		{"no reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", "", "hi"},
		{"folded field", ok + "X: a\r\n  b\r\nContent-Length: 2\r\n\r\nhi", "", "hi"},
		{"interim responses", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok + "Content-Length: 2\r\n\r\nhi", "",
			"hi"},
		{"HTTP/0.9", "<HTML>hi", "", "<HTML>hi"}, // RFC 1945 section 6.1
		{"204", "HTTP/1.1 204 No Content\r\n\r\n", "", ""},
		{"equal lengths", ok + "Content-Length: 2, 2\r\nContent-Length: 2\r\n\r\nhi", "", "hi"}, // RFC 9112 section 6.3 item 5
		{"more than the length", ok + "Content-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\n\r\n", "", "hi"},

		{"no answer", "", fetch.ErrConnection, ""},
		{"cut header", "HTTP/1.1 200 OK\r\nContent-Le", fetch.ErrTruncated, ""},
		{"cut length", ok + "Content-Length: 3\r\n\r\nhi", fetch.ErrTruncated, "hi"},
		{"cut chunk", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhi", fetch.ErrTruncated, "hi"},
		{"no last chunk", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", fetch.ErrTruncated, "hi"},
		{"cut trailer", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n", fetch.ErrTruncated, "hi"},

		{"two lengths", ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi", fetch.ErrProtocol, ""},
		{"rubbish length", ok + "Content-Length: 2x\r\n\r\nhi", fetch.ErrProtocol, ""},
		{"negative length", ok + "Content-Length: -2\r\n\r\nhi", fetch.ErrProtocol, ""},
		{"signed length", ok + "Content-Length: +2\r\n\r\nhi", fetch.ErrProtocol, ""},
		{"empty length", ok + "Content-Length: \r\n\r\nhi", fetch.ErrProtocol, ""},
		{"huge length", ok + "Content-Length: 99999999999999999999\r\n\r\nhi", fetch.ErrProtocol, ""},
		// RFC 9112 section 6.1
		{"both frames", ok + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", fetch.ErrProtocol, ""},
		{"coding in 1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", fetch.ErrProtocol, ""},
		{"unknown coding", ok + "Transfer-Encoding: chunked, gzip\r\n\r\n2\r\nhi\r\n0\r\n\r\n", fetch.ErrProtocol, ""},
		{"two codings", ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", fetch.ErrProtocol, ""},
		{"vertical tab in coding", ok + "Transfer-Encoding: \vchunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", fetch.ErrProtocol, ""},
		{"chunk size overflows", ok + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhi", fetch.ErrProtocol, ""},
		{"chunk size signed", ok + "Transfer-Encoding: chunked\r\n\r\n+2\r\nhi\r\n0\r\n\r\n", fetch.ErrProtocol, ""},
		{"chunk longer than its size", ok + "Transfer-Encoding: chunked\r\n\r\n1\r\nhi\r\n0\r\n\r\n", fetch.ErrProtocol, "h"},
		{"chunk extensions without end",
			ok + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1;"+strings.Repeat("x", 3000)+"\r\nh\r\n", 20), fetch.ErrProtocol, "hhhhh"},
		{"space before the colon", ok + "Content-Length : 2\r\n\r\nhi", fetch.ErrProtocol, ""}, // RFC 9112 section 5.1
		{"field without colon", ok + "Nonsense\r\n\r\nhi", fetch.ErrProtocol, ""},
		{"NUL in a field", ok + "X: a\x00b\r\n\r\nhi", fetch.ErrProtocol, ""},
		{"lone CR in a field", ok + "X: a\rContent-Length: 1\r\n\r\nhi", fetch.ErrProtocol, ""},
		{"status garbage", "HTTP/banana 200 OK\r\n\r\nhi", fetch.ErrProtocol, ""},
		{"status not a number", "HTTP/1.1 2x0 OK\r\n\r\nhi", fetch.ErrProtocol, ""},
		{"four digits of status", "HTTP/1.1 2000 OK\r\n\r\nhi", fetch.ErrProtocol, ""},
		{"another service", "SSH-2.0-OpenSSH_9.2\r\n", fetch.ErrProtocol, ""},
		{"switching protocols", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", fetch.ErrProtocol, ""},
		{"interim without end", strings.Repeat("HTTP/1.1 103 Early\r\n\r\n", 50), fetch.ErrProtocol, ""},
		{"304 unasked", "HTTP/1.1 304 Not Modified\r\n\r\n", fetch.ErrProtocol, ""},
		{"206 unasked", "HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-1/9\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrProtocol, ""},
		{"redirection to nowhere", "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n", fetch.ErrProtocol, ""},
		{"empty Location", "HTTP/1.1 302 Found\r\nLocation:  \r\nContent-Length: 0\r\n\r\n", fetch.ErrProtocol, ""},
		{"empty Location of 300", "HTTP/1.1 300 Choose\r\nLocation: \r\nContent-Length: 2\r\n\r\nhi", "", "hi"},
		{"two Locations", "HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", fetch.ErrProtocol, ""},
		{"Location is not a URI", "HTTP/1.1 302 Found\r\nLocation: http://[\r\nContent-Length: 0\r\n\r\n", fetch.ErrRedirect, ""},
		{"giant Location", "HTTP/1.1 302 Found\r\nLocation: /" + strings.Repeat("x", 100<<10) + "\r\nContent-Length: 0\r\n\r\n",
			fetch.ErrRedirect, ""},

		{"400", "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrRefused, ""},
		{"401", "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrAuth, ""},
		{"403", "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrRefused, ""},
		{"404", "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrNotFound, ""},
		{"407", "HTTP/1.1 407 Proxy Auth\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrAuth, ""},
		{"410", "HTTP/1.1 410 Gone\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrNotFound, ""},
		{"416", "HTTP/1.1 416 Range\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrRange, ""},
		{"429", "HTTP/1.1 429 Slow Down\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrUnavailable, ""},
		{"500", "HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrUnavailable, ""},
		{"501", "HTTP/1.1 501 No\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrRefused, ""},
		// RFC 9110 section 15: an unknown status counts as the first one of its class, one above 599 as 5xx.
		{"299", "HTTP/1.1 299 Odd\r\nContent-Length: 2\r\n\r\nhi", "", "hi"},
		{"399 without Location", "HTTP/1.1 399 Odd\r\nContent-Length: 2\r\n\r\nhi", "", "hi"},
		{"305", "HTTP/1.1 305 Use Proxy\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrProtocol, ""},
		{"499", "HTTP/1.1 499 Odd\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrRefused, ""},
		{"599", "HTTP/1.1 599 Odd\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrUnavailable, ""},
		{"600", "HTTP/1.1 600 Odd\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrUnavailable, ""},
		{"999", "HTTP/1.1 999 Denied\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrUnavailable, ""},
		{"099", "HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrProtocol, ""},
		{"199", "HTTP/1.1 199 Odd\r\n\r\n" + ok + "Content-Length: 2\r\n\r\nhi", "", "hi"},
		{"503", "HTTP/1.1 503 Later\r\nRetry-After: 99999999\r\nContent-Length: 2\r\n\r\nhi", fetch.ErrUnavailable, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := script(t, c.answer)
			_, body, err := get(t, client(t), "http://"+s.Addr()+"/", nil)
			if c.kind == "" && err != nil || c.kind != "" && !errors.Is(err, c.kind) || body != c.body {
				t.Errorf("%q, %v (%s), want %q, %s", body, err, fetch.KindOf(err), c.body, c.kind)
			}
			if e, ok := errors.AsType[*fetch.Error](err); ok && e.Busy != (c.name == "429") {
				t.Errorf("got Busy %t, want it for 429 alone", e.Busy)
			}
		})
	}
}

func TestUnaskedAnswerIsNotUsed(t *testing.T) {
	s := script(t, ok+"Content-Length: 2\r\n\r\nhi"+ok+"Content-Length: 8\r\n\r\nINJECTED"+keepOpen, ok+"Content-Length: 4\r\n\r\ntrue")
	c := client(t)
	get(t, c, "http://"+s.Addr()+"/", nil)
	if _, body, err := get(t, c, "http://"+s.Addr()+"/", nil); err != nil || body != "true" || s.Peers() != 2 {
		t.Errorf("got %q, %v over %d connections, want %q over 2", body, err, s.Peers(), "true")
	}
}

func TestPartsAndConditions(t *testing.T) {
	v := fetch.Validator{Tag: `"x"`, Modified: "Tue, 20 Dec 1994 12:00:00 GMT"}
	weak := fetch.Validator{Tag: `W/"x"`, Modified: v.Modified}
	part := "HTTP/1.1 206 Partial Content\r\nETag: \"x\"\r\n"
	for _, c := range []struct {
		name   string
		o      fetch.Options
		answer string
		sent   string
		kind   fetch.Kind
		body   string
		offset int64
		size   int64
	}{
		{"rest", fetch.Options{Range: fetch.Range{From: 3}, IfSame: v}, part + "Content-Range: bytes 3-4/5\r\nContent-Length: 2\r\n\r\nlo",
			"Range: bytes=3-\r\nIf-Range: \"x\"\r\n", "", "lo", 3, 5},
		{"weak tag", fetch.Options{Range: fetch.Range{From: 3}, IfSame: weak}, part + "Content-Range: bytes 3-4/5\r\nContent-Length: 2\r\n\r\nlo",
			"If-Range: Tue, 20 Dec 1994 12:00:00 GMT\r\n", fetch.ErrChanged, "", 0, 0}, // W/"x" is not "x" (RFC 9110 section 8.8.3.2)
		{"middle", fetch.Options{Range: fetch.Range{From: 1, To: 3}}, part + "Content-Range: bytes 1-2/5\r\nContent-Length: 2\r\n\r\nel",
			"Range: bytes=1-2\r\n", "", "el", 1, 5},
		{"end", fetch.Options{Range: fetch.Range{From: -2}}, part + "Content-Range: bytes 3-4/5\r\nContent-Length: 2\r\n\r\nlo",
			"Range: bytes=-2\r\n", "", "lo", 3, 5},
		{"size unknown", fetch.Options{Range: fetch.Range{From: 3}}, part + "Content-Range: bytes 3-4/*\r\nContent-Length: 2\r\n\r\nlo", "", "",
			"lo", 3, -1},
		{"in chunks", fetch.Options{Range: fetch.Range{From: 3}},
			part + "Content-Range: bytes 3-4/5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nlo\r\n0\r\n\r\n", "", "", "lo", 3, 5},
		{"too short in chunks", fetch.Options{Range: fetch.Range{From: 3}},
			part + "Content-Range: bytes 3-4/5\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nl\r\n0\r\n\r\n", "", fetch.ErrProtocol, "l", 3, 5},
		{"another part", fetch.Options{Range: fetch.Range{From: 3}}, part + "Content-Range: bytes 0-4/5\r\nContent-Length: 5\r\n\r\nhello", "",
			fetch.ErrRange, "", 0, 0},
		{"shorter part", fetch.Options{Range: fetch.Range{From: 1}}, part + "Content-Range: bytes 1-2/5\r\nContent-Length: 2\r\n\r\nel", "",
			fetch.ErrRange, "", 0, 0},
		{"length and range differ", fetch.Options{Range: fetch.Range{From: 3}},
			part + "Content-Range: bytes 3-4/5\r\nContent-Length: 3\r\n\r\nlo!", "", fetch.ErrRange, "", 0, 0},
		{"no range named", fetch.Options{Range: fetch.Range{From: 3}}, part + "Content-Length: 2\r\n\r\nlo", "", fetch.ErrRange, "", 0, 0},
		{"two ranges named", fetch.Options{Range: fetch.Range{From: 3}},
			part + "Content-Range: bytes 3-4/5\r\nContent-Range: bytes 0-1/5\r\nContent-Length: 2\r\n\r\nlo", "", fetch.ErrRange, "", 0, 0},
		{"another tag", fetch.Options{Range: fetch.Range{From: 3}, IfSame: fetch.Validator{Tag: `"y"`}},
			part + "Content-Range: bytes 3-4/5\r\nContent-Length: 2\r\n\r\nlo", "", fetch.ErrChanged, "", 0, 0},
		{"no tag", fetch.Options{Range: fetch.Range{From: 3}, IfSame: v},
			"HTTP/1.1 206 P\r\nContent-Range: bytes 3-4/*\r\nContent-Length: 2\r\n\r\nlo", "", fetch.ErrChanged, "", 0, 0},
		{"the same weak tag", fetch.Options{Range: fetch.Range{From: 3}, IfSame: fetch.Validator{Tag: `W/"x"`}},
			"HTTP/1.1 206 P\r\nETag: W/\"x\"\r\nContent-Range: bytes 3-4/5\r\nContent-Length: 2\r\n\r\nlo", "", fetch.ErrChanged, "", 0, 0},
		{"another date", fetch.Options{Range: fetch.Range{From: 3}, IfSame: fetch.Validator{Modified: v.Modified}},
			"HTTP/1.1 206 P\r\nLast-Modified: Wed, 21 Dec 1994 12:00:00 GMT\r\nContent-Range: bytes 3-4/5\r\nContent-Length: 2\r\n\r\nlo",
			"If-Range: Tue, 20 Dec 1994 12:00:00 GMT\r\n", fetch.ErrChanged, "", 0, 0},
		{"the same date", fetch.Options{Range: fetch.Range{From: 3}, IfSame: fetch.Validator{Modified: v.Modified, Size: 5}},
			part + "Content-Range: bytes 3-4/5\r\nContent-Length: 2\r\n\r\nlo", "", "", "lo", 3, 5},
		{"another size", fetch.Options{Range: fetch.Range{From: 3}, IfSame: fetch.Validator{Tag: `"x"`, Size: 9}},
			part + "Content-Range: bytes 3-4/5\r\nContent-Length: 2\r\n\r\nlo", "", fetch.ErrChanged, "", 0, 0},
		{"several parts", fetch.Options{Range: fetch.Range{From: 3}},
			part + "Content-Type: multipart/byteranges; boundary=x\r\nContent-Length: 2\r\n\r\nlo", "", fetch.ErrRange, "", 0, 0},
		{"the whole", fetch.Options{Range: fetch.Range{From: 3}}, ok + "Content-Length: 5\r\n\r\nhello", "", "", "hello", 0, 5},
		{"the whole for its beginning", fetch.Options{Range: fetch.Range{To: 3}}, ok + "Content-Length: 5\r\n\r\nhello", "Range: bytes=0-2\r\n",
			fetch.ErrRange, "", 0, 0},
		{"the whole for its middle", fetch.Options{Range: fetch.Range{From: 1, To: 3}}, ok + "Content-Length: 5\r\n\r\nhello", "",
			fetch.ErrRange, "", 0, 0},
		{"the whole for its end", fetch.Options{Range: fetch.Range{From: -2}}, ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
			"", fetch.ErrRange, "", 0, 0},
		{"the whole is not more than was wanted", fetch.Options{Range: fetch.Range{To: 9}}, ok + "Content-Length: 5\r\n\r\nhello", "", "",
			"hello", 0, 5},
		{"nor than the end that was wanted", fetch.Options{Range: fetch.Range{From: -9}}, ok + "Content-Length: 5\r\n\r\nhello", "", "", "hello",
			0, 5},
		{"beyond the end", fetch.Options{Range: fetch.Range{From: 9}},
			"HTTP/1.1 416 No\r\nContent-Range: bytes */5\r\nContent-Length: 0\r\n\r\n", "", fetch.ErrRange, "", 0, 0},
		{"complete already", fetch.Options{Range: fetch.Range{From: 5}, IfSame: v},
			"HTTP/1.1 416 No\r\nContent-Range: bytes */5\r\nContent-Length: 0\r\n\r\n", "", "", "", 5, 5},
		{"complete, but of another size", fetch.Options{Range: fetch.Range{From: 5}, IfSame: fetch.Validator{Tag: `"x"`, Size: 9}},
			"HTTP/1.1 416 No\r\nContent-Range: bytes */5\r\nContent-Length: 0\r\n\r\n", "", fetch.ErrRange, "", 0, 0},
		{"complete, but another", fetch.Options{Range: fetch.Range{From: 5}, IfSame: v},
			"HTTP/1.1 416 No\r\nETag: \"y\"\r\nContent-Range: bytes */5\r\nContent-Length: 0\r\n\r\n", "", fetch.ErrRange, "", 0, 0},
		{"complete, by a weak tag", fetch.Options{Range: fetch.Range{From: 5}, IfSame: weak},
			"HTTP/1.1 416 No\r\nETag: W/\"x\"\r\nContent-Range: bytes */5\r\nContent-Length: 0\r\n\r\n", "", fetch.ErrRange, "", 0, 0},
		{"not modified", fetch.Options{IfChanged: v}, "HTTP/1.1 304 Not Modified\r\n\r\n",
			"If-None-Match: \"x\"\r\nIf-Modified-Since: Tue, 20 Dec 1994 12:00:00 GMT\r\n", "", "", 0, -1},
		{"not modified, by a field of the user's", fetch.Options{Set: map[string][]string{"http.header": {`if-none-match: "x"`}}},
			"HTTP/1.1 304 Not Modified\r\n\r\n", "if-none-match: \"x\"\r\n", "", "", 0, -1},
		{"not modified, as the server does not notice", fetch.Options{IfChanged: fetch.Validator{Modified: v.Modified}},
			ok + "Last-Modified: Mon, 19 Dec 1994 12:00:00 GMT\r\nContent-Length: 5\r\n\r\nhello",
			"If-Modified-Since: Tue, 20 Dec 1994 12:00:00 GMT\r\n", "", "", 0, -1},
		{"not modified, in chunks", fetch.Options{IfChanged: fetch.Validator{Modified: v.Modified}},
			ok + "Last-Modified: " + v.Modified + "\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "", "", "", 0, -1},
		{"modified since", fetch.Options{IfChanged: fetch.Validator{Modified: v.Modified}},
			ok + "Last-Modified: Wed, 21 Dec 1994 12:00:00 GMT\r\nContent-Length: 5\r\n\r\nhello", "", "", "hello", 0, 5},
		{"another state of the same time", fetch.Options{IfChanged: v},
			ok + "ETag: \"y\"\r\nLast-Modified: " + v.Modified + "\r\nContent-Length: 5\r\n\r\nhello", "", "", "hello", 0, 5},
		{"modified", fetch.Options{IfChanged: v}, ok + "Content-Length: 5\r\n\r\nhello", "", "", "hello", 0, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := script(t, c.answer)
			d, body, err := get(t, client(t), "http://"+s.Addr()+"/", &c.o)
			if c.kind == "" && err != nil || c.kind != "" && !errors.Is(err, c.kind) || body != c.body {
				t.Fatalf("got %q, %v, want %q, kind %q", body, err, c.body, c.kind)
			}
			if got := s.request(t, 0); !strings.Contains(got, c.sent) {
				t.Errorf("got the request %q, want one with %q", got, c.sent)
			}
			if d != nil && (d.Offset != c.offset || d.Size != c.size || d.NotModified != strings.HasPrefix(c.name, "not modified")) {
				t.Errorf("got %+v, want offset %d, size %d", d, c.offset, c.size)
			}
		})
	}
}

func TestHead(t *testing.T) {
	s := script(t, ok+"Content-Length: 500\r\nContent-Type: text/plain\r\n\r\n"+keepOpen, ok+"Transfer-Encoding: chunked\r\n\r\n"+keepOpen)
	c := client(t)
	d, body, err := get(t, c, "http://"+s.Addr()+"/", &fetch.Options{Op: fetch.Metadata})
	if err != nil || body != "" || d.Size != 500 || d.Type != "text/plain" || !strings.HasPrefix(s.request(t, 0), "HEAD / HTTP/1.1\r\n") {
		t.Errorf("got %q, %v, %+v, want no body, size 500, text/plain by HEAD", body, err, d)
	}
	if d, _, err = get(t, c, "http://"+s.Addr()+"/", &fetch.Options{Op: fetch.Metadata}); err != nil || d.Size != -1 || s.Peers() != 1 {
		t.Errorf("got %v, %+v, %d connections, want size -1 over one connection", err, d, s.Peers())
	}
}

func TestSimpleRequest(t *testing.T) {
	s := script(t, "plain words")
	d, body, err := get(t, client(t), "http://"+s.Addr()+"/a b?c", &fetch.Options{Set: map[string][]string{"http.version": {"0.9"}}})
	if err != nil || body != "plain words" || s.request(t, 0) != "GET /a%20b?c\r\n" || d.End != fetch.EndClosed || d.Type != "text/html" {
		t.Errorf("got %q, %v, %q, %+v, want the document by GET /a%%20b?c", body, err, s.request(t, 0), d)
	}
}
