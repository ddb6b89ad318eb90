package warc_test

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// heritrix imitates Heritrix 3, written by hand: blanks within media types, WARC/1.0 revisits with only a head, DNS records, FTP as a
// resource with its control dialogue.
const heritrix = `WARC/1.0
WARC-Type: warcinfo
WARC-Date: 2024-05-01T00:00:00Z
WARC-Filename: H.warc
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>
Content-Type: application/warc-fields
Content-Length: 19

software: Heritrix

WARC/1.0
WARC-Type: response
WARC-Target-URI: dns:example.org
WARC-Date: 2024-05-01T00:00:00Z
WARC-IP-Address: 192.0.2.53
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000002>
Content-Type: text/dns
Content-Length: 15

20240501000000

WARC/1.0
WARC-Type: response
WARC-Target-URI: http://example.org/a
WARC-Date: 2024-05-01T00:00:01Z
WARC-Payload-Digest: sha1:6KXZTPCZVLL6HBRO4PKHCJDDIADKQ24E
WARC-IP-Address: 192.0.2.1
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000003>
Content-Type: application/http; msgtype=response
Content-Length: 52

HTTP/1.1 200 OK
Content-Type: text/html

<p>archived

WARC/1.0
WARC-Type: revisit
WARC-Target-URI: http://example.org/b
WARC-Date: 2024-05-02T00:00:01Z
WARC-Payload-Digest: sha1:6KXZTPCZVLL6HBRO4PKHCJDDIADKQ24E
WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest
WARC-Truncated: length
WARC-Refers-To-Target-URI: http://example.org/a
WARC-Refers-To-Date: 2024-05-01T00:00:01Z
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000004>
Content-Type: application/http; msgtype=response
Content-Length: 40

HTTP/1.1 200 OK
Content-Type: text/x-b



WARC/1.0
WARC-Type: resource
WARC-Target-URI: ftp://example.org/f.txt
WARC-Date: 2024-05-02T00:00:02Z
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000005>
Content-Type: text/plain
Content-Length: 5

by ftp

`

// crlf sets the line ends of the heads, and the length of each record.
func crlf(text string) []byte {
	var b bytes.Buffer
	for _, rec := range strings.SplitAfter(text, "\n\nWARC/1.0\n") {
		rec, next := strings.CutSuffix(rec, "\n\nWARC/1.0\n")
		head, block, _ := strings.Cut(rec, "\n\n")
		block = strings.TrimRight(block, "\n")
		if strings.HasPrefix(block, "HTTP/") {
			h, body, _ := strings.Cut(block, "\n\n")
			block = strings.ReplaceAll(h, "\n", "\r\n") + "\r\n\r\n" + body
		}
		head, _, _ = strings.Cut(head, "Content-Length")
		b.WriteString(strings.ReplaceAll(head, "\n", "\r\n") + "Content-Length: " + strconv.Itoa(len(block)) + "\r\n\r\n" + block + "\r\n\r\n")
		if next {
			b.WriteString("WARC/1.0\r\n")
		}
	}
	return b.Bytes()
}

func TestOthersArchives(t *testing.T) {
	name := filepath.Join(t.TempDir(), "H.warc")
	write(t, name, crlf(heritrix))
	c := readerOf(t, name, "testdata/wget-http.warc.gz", "testdata/wget-ftp.warc.gz", "testdata/warcio.warc.gz")
	defer c.Close()
	for uri, want := range map[string]string{
		"http://example.org/a":                   "<p>archived",
		"http://example.org/b":                   "<p>archived",
		"HTTP://EXAMPLE.ORG:80/%61":              "<p>archived", // the same URI
		"ftp://example.org/f.txt":                "by ftp",
		"http://127.0.0.1:30080/history/ftp.txt": "ftp\n---\n",
		"ftp://127.0.0.1:30021/history/ftp.txt":  "ftp\n---\n",
		"http://example.org/page":                "a page by warcio",
	} {
		if got, err := read(c, uri); err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, %v; want starting with %q", uri, got, err, want)
		}
	}
}
