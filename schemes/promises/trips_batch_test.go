package promises_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/schemes/dict/dicttest"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/schemes/snmp/snmptest"
	"example.org/deref/schemes/wais/waistest"
	"example.org/deref/uri"
)

// TestRoundTripsOfBatches checks that protocols with a command for each part of a document get many parts in one round trip: 40 articles of a
// group by pipelined commands, 40 messages of a mailbox by one command, 40 entries of a directory by pages, 40 objects of an agent by
// GETBULK, and 200 KB of a WAIS document by chunks as large as servers allow, one at a time: freeWAIS drops what arrives before its response.
func TestRoundTripsOfBatches(t *testing.T) {
	t.Parallel()
	const n = 40
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
	news, ldap, snmp := newstest.NewServer(articles, nil), ldaptest.NewServer(files, nil), snmptest.NewServer(files, nil)
	dict, wais := dicttest.NewServer(files, nil), waistest.NewServer(files, nil)
	for _, s := range []interface{ Close() }{imap, news, ldap, snmp, dict, wais} {
		t.Cleanup(s.Close)
	}
	for _, tt := range []struct {
		uri, set, value string
		want            int
		contains        string
		times           int // of contains in the document
	}{
		{news.URL + "/lab.many", "news.view", "mbox", 4, "Message-ID:", n},
		{"imap://ann:pa%20ss%22w%5Crd@" + imap.Addr + "/INBOX", "imap.view", "mbox", 7, "Message-ID:", n},
		{ldap.URL + "/ou=d,o=site??one", "ldap.page", "20", 4, "", 0},
		{snmp.URL + "//1.3.6.1.4.1.32473.1.*", "", "", 5, "", 0},
		{dict.URL + "/d:f01", "", "", 2, "text", 1},
		{wais.URL + "/site/TEXT/long.txt", "", "", 4, "", 0},
	} {
		t.Run(tt.uri, func(t *testing.T) {
			var trips trips
			c := fetch.New(schemes.All(nil)...)
			defer c.Close()
			c.Dialer = trips.dial
			o := &fetch.Options{}
			if tt.set != "" {
				o.Set = map[string][]string{tt.set: {tt.value}}
			}
			d, err := c.Get(t.Context(), uri.MustParse(tt.uri), o)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Body.Close()
			b, err := io.ReadAll(d.Body)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(string(b), tt.contains); tt.times > 0 && got != tt.times {
				t.Errorf("got %d times %q, want %d", got, tt.contains, tt.times)
			}
			got := trips.take()
			if strings.HasPrefix(tt.uri, "snmp:") { // datagrams do not pass the Dialer
				got = len(snmp.Transcript())
			}
			if got != tt.want {
				t.Errorf("got %d round trips, want %d", got, tt.want)
			}
		})
	}
}
