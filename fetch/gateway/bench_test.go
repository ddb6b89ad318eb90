package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gateway"
	"example.org/deref/schemes"
	"example.org/deref/schemes/mail/mailtest"
)

// BenchmarkLongListing measures pages of listings with 10,000 entries, from the request to the last byte. The servers only write bytes that
// are ready, so that the time is that of the gateway and its client.
//
//	go test ./fetch/gateway -run '^$' -bench LongListing
func BenchmarkLongListing(b *testing.B) {
	const n = 10_000
	var files, menu, overview strings.Builder
	mail := fstest.MapFS{}
	for i := range n {
		fmt.Fprintf(&files, "type=file;size=%d;modify=199412201200%02d; a file with a rather long name %05d.txt\r\n", i*37, i%60, i)
		fmt.Fprintf(&menu, "0A document with a rather long name %05d\t/documents/%05d.txt\tgopher.example\t70\r\n", i, i)
		fmt.Fprintf(&overview, "%d\tA subject %d\tAnn <ann@site.example>\tTue, 20 Dec 1994 12:%02d:%02d +0000\t<%d@site.example>\t<%d@site.example>\t1000\t20\r\n", i+1, i/10, i/60%60, i%60, i, i/10*10)
		mail[fmt.Sprintf("mail/%05d.eml", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "From: Ann <ann@site.example>\nSubject: A subject %d\nDate: Tue, 20 Dec 1994 12:%02d:%02d +0000\nMessage-ID: <%d@site.example>\nReferences: <%d@site.example>\n\nText\n",
			i/10, i/60%60, i%60, i, i/10*10)}
	}
	box, err := mailtest.ListenIMAP(mail, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(box.Close)
	group := newsOf(b, overview.String())
	for _, bb := range []struct{ name, path string }{
		{"ftp", "/ftp/" + ftpOf(b, files.String()) + "/"},
		{"gopher", "/gopher/" + answering(b, menu.String()+".\r\n") + "/1/documents"},
		{"news", "/news/" + group + "/a.group"},
		{"news-by-author", "/-/view/by=author/news/" + group + "/a.group"},
		{"mail", "/imap/" + box.Addr + "/INBOX"},
		{"mail-by-date", "/-/view/by=-modified/imap/" + box.Addr + "/INBOX"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			c := fetch.New(schemes.All(nil)...)
			b.Cleanup(func() { c.Close() })
			s := httptest.NewServer(gateway.New(c, nil))
			b.Cleanup(s.Close)
			for b.Loop() {
				req, err := http.NewRequest("GET", s.URL+bb.path, nil)
				if err != nil {
					b.Fatal(err)
				}
				if strings.HasPrefix(bb.name, "mail") {
					req.SetBasicAuth(mailtest.User, mailtest.Password)
				}
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					b.Fatal(err)
				}
				page, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || len(page) > 200_000 || !strings.Contains(string(page), "000</span>") {
					b.Fatalf("got %v and %d bytes, want at most 200000 with the number of entries", err, len(page))
				}
				b.ReportMetric(float64(len(page)), "bytes/page")
			}
		})
	}
}

// BenchmarkProxy measures a document of 1 KiB through the proxy, with 20 clients that keep their connections.
//
//	go test ./fetch/gateway -run '^$' -bench Proxy -benchmem
func BenchmarkProxy(b *testing.B) {
	origin := listening(b, func(in *bufio.Reader, c net.Conn) {
		response := "HTTP/1.1 200 OK\r\nServer: bench\r\nDate: Tue, 20 Dec 1994 12:00:00 GMT\r\nContent-Type: text/plain\r\nContent-Length: 1024\r\n" +
			"Last-Modified: Mon, 19 Dec 1994 12:00:00 GMT\r\nETag: \"1024\"\r\n\r\n" + strings.Repeat("x", 1024)
		for skipLines(in) == nil {
			io.WriteString(c, response)
		}
	})
	c := fetch.New(schemes.All(nil)...)
	b.Cleanup(func() { c.Close() })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	served := make(chan error, 1)
	go func() { served <- gateway.Serve(ctx, l, gateway.New(c, nil)) }()
	b.Cleanup(func() { cancel(); <-served })
	request := "GET http://" + origin + "/1k.txt HTTP/1.1\r\nHost: " + origin + "\r\nUser-Agent: bench\r\n\r\n"
	b.ReportAllocs()
	b.SetParallelism(max(1, 20/runtime.GOMAXPROCS(0)))
	b.RunParallel(func(pb *testing.PB) {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		for pb.Next() {
			io.WriteString(conn, request)
			status, _ := in.ReadString('\n')
			if err := skipLines(in); err != nil || status != "HTTP/1.1 200 OK\r\n" {
				b.Errorf("got %q, %v; want 200", status, err)
				return
			}
			in.Discard(1024)
		}
	})
}

// skipLines reads the rest of a head, up to the empty line.
func skipLines(in *bufio.Reader) error {
	for {
		if line, err := in.ReadSlice('\n'); err != nil || len(line) <= 2 {
			return err
		}
	}
}

// listening serves each connection with a function, and returns the address.
func listening(b *testing.B, serve func(in *bufio.Reader, c net.Conn)) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(bufio.NewReader(c), c)
			}()
		}
	}()
	return l.Addr().String()
}

// answering is a server that returns a text for one line.
func answering(b *testing.B, text string) string {
	return listening(b, func(in *bufio.Reader, c net.Conn) {
		in.ReadString('\n')
		io.WriteString(c, text)
	})
}

// ftpOf is an FTP server with one directory, which it describes by MLSD.
func ftpOf(b *testing.B, facts string) string {
	data := listening(b, func(_ *bufio.Reader, c net.Conn) { io.WriteString(c, facts) })
	_, port, _ := net.SplitHostPort(data)
	replies := map[string]string{"USER": "331 Password", "PASS": "230 In", "FEAT": "211-Features\r\n MLST type*;size*;modify*;\r\n EPSV\r\n UTF8\r\n211 End", "OPTS": "200 UTF8",
		"PWD": "257 \"/\"", "CWD": "250 Done", "TYPE": "200 Type", "EPSV": "229 Entering (|||" + port + "|)", "MLSD": "150 Here\r\n226 Done", "QUIT": "221 Bye"}
	return conversing(b, "220 Ready", replies)
}

// newsOf is a news server with one group.
func newsOf(b *testing.B, overview string) string {
	return conversing(b, "200 Ready", map[string]string{"CAPABILITIES": "101 List\r\nVERSION 2\r\nREADER\r\nOVER\r\n.", "MODE": "200 Reader", "GROUP": "211 10000 1 10000 a.group",
		"OVER": "224 Overview\r\n" + overview + ".", "XOVER": "224 Overview\r\n" + overview + ".", "QUIT": "205 Bye"})
}

// conversing is a server that has one reply for each command.
func conversing(b *testing.B, greeting string, replies map[string]string) string {
	return listening(b, func(in *bufio.Reader, c net.Conn) {
		for reply := greeting; ; {
			io.WriteString(c, reply+"\r\n")
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			verb, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if reply = replies[strings.ToUpper(verb)]; reply == "" {
				reply = "500 What?"
			}
		}
	})
}
