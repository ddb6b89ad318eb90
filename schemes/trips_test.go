package schemes_test

import (
	"context"
	"fmt"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes"
	"example.org/deref/schemes/dict/dicttest"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/schemes/snmp/snmptest"
	"example.org/deref/schemes/wais/waistest"
)

// trips counts the round trips of a Client at its sockets: each connection is one, and each time that the server sends something after the
// client did. Commands sent in one write count once, and so do responses on two connections.
type trips struct {
	mu    sync.Mutex
	n     int
	heard bool // the last event was a response
}

func (t *trips) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	nc, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	t.note(1, false)
	return &counted{nc, t}, nil
}

func (t *trips) note(n int, heard bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n += n; heard && !t.heard {
		t.n++
	}
	t.heard = heard
}

// take returns the number of round trips since the last call.
func (t *trips) take() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, t.n, t.heard = t.n, 0, false
	return n
}

type counted struct {
	net.Conn
	trips *trips
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.trips.note(0, true)
	}
	return n, err
}

func (c *counted) Write(p []byte) (int, error) {
	c.trips.note(0, false)
	return c.Conn.Write(p)
}

// TestRoundTrips checks that no scheme waits more often than necessary. ftp needs five in a directory four levels deep: the connection, the
// greeting, one flight of all commands up to RETR, the data connection, and the data; nntp three, the others two. A kept connection saves its
// share; that of ftp is kept from the second document on, since a single one ends with QUIT.
//
// Protocols with a command for each part of a document get many parts in one round trip: 40 articles of a group by pipelined commands, 40
// messages of a mailbox by one command, 40 entries of a directory by pages, 40 objects of an agent by GETBULK, and 200 KB of a WAIS document by
// chunks as large as servers allow, one at a time: freeWAIS drops what arrives before its response.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	const n = 40
	deep := fstest.MapFS{"a/b/c/d/deep.txt": {Data: []byte("deep\n")}, "deep.txt": {Data: []byte("deep\n")}}
	files, articles, messages := fstest.MapFS{}, fstest.MapFS{}, fstest.MapFS{}
	for i := range n {
		files[fmt.Sprintf("d/f%02d.txt", i)] = &fstest.MapFile{Data: []byte("text\n")}
		message := fmt.Sprintf("From: a@b.example\r\nSubject: %d\r\nMessage-ID: <%[1]d@b.example>\r\nDate: Mon, 23 Nov 2026 12:00:00 +0000\r\n\r\nText.\r\n", i)
		messages[fmt.Sprintf("mail/%02d.eml", i)] = &fstest.MapFile{Data: []byte(message)}
		articles[fmt.Sprintf("news/lab.many/%d", i+1)] = &fstest.MapFile{Data: []byte("Newsgroups: lab.many\r\n" + message)}
	}
	files["long.txt"] = &fstest.MapFile{Data: []byte(strings.Repeat("0123456789abcde\n", 200000/16))}
	imap, err := mailtest.ListenIMAP(messages, nil)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(nethttp.FileServerFS(deep))
	ftp, gopher := ftptest.NewServer(deep, nil), gophertest.NewServer(deep, nil)
	news, ldap, snmp := newstest.NewServer(articles, nil), ldaptest.NewServer(files, nil), snmptest.NewServer(files, nil)
	dict, wais := dicttest.NewServer(files, nil), waistest.NewServer(files, nil)
	for _, s := range []interface{ Close() }{web, ftp, gopher, imap, news, ldap, snmp, dict, wais} {
		t.Cleanup(s.Close)
	}
	for _, tt := range []struct {
		uri, set string
		want     []int // of each dereference by one Client
		contains string
		times    int // of contains in the document
	}{
		{web.URL + "/a/b/c/d/deep.txt", "", []int{2, 1, 1}, "deep", 1},
		{ftp.URL + "/deep.txt", "", []int{5, 5, 3, 3}, "deep", 1},
		{ftp.URL + "/a/b/c/d/deep.txt", "", []int{5, 5, 3, 3}, "deep", 1},
		{gopher.URL + "/0/deep.txt", "", []int{2, 2}, "deep", 1},
		{news.URL + "/lab.many/1", "", []int{3, 1, 1}, "Message-ID:", 1},
		{news.URL + "/lab.many", "news.view=mbox", []int{4}, "Message-ID:", n},
		{"imap://ann:pa%20ss%22w%5Crd@" + imap.Addr + "/INBOX", "imap.view=mbox", []int{7}, "Message-ID:", n},
		{ldap.URL + "/ou=d,o=site??one", "ldap.page=20", []int{4}, "", 0},
		{snmp.URL + "//1.3.6.1.4.1.32473.1.*", "", []int{5}, "", 0},
		{dict.URL + "/d:f01", "", []int{2}, "text", 1},
		{wais.URL + "/site/TEXT/long.txt", "", []int{4}, "", 0},
	} {
		t.Run(tt.uri, func(t *testing.T) {
			var trips trips
			c := fetch.New(schemes.All(nil)...)
			defer c.Close()
			c.Dialer = trips.dial
			o := &fetch.Options{}
			if key, value, ok := strings.Cut(tt.set, "="); ok {
				o.Set = map[string][]string{key: {value}}
			}
			for i, want := range tt.want {
				_, body, err := fetchtest.GetWith(t, c, tt.uri, o)
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Count(body, tt.contains); tt.times > 0 && got != tt.times {
					t.Errorf("got %d times %q, want %d", got, tt.contains, tt.times)
				}
				got := trips.take()
				if strings.HasPrefix(tt.uri, "snmp:") { // datagrams do not pass the Dialer
					got = len(snmp.Transcript())
				}
				if got != want {
					t.Errorf("get %d: %d round trips, want %d", i+1, got, want)
				}
			}
		})
	}
}
