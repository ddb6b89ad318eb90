package warc_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
)

// FuzzReader: any input yields records, a FormatError or an early end; the result is the same if it is read in small pieces, and Check
// counts the same number.
func FuzzReader(f *testing.F) {
	const record = "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n" +
		"WARC-Target-URI: ftp://h/a\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n"
	f.Add([]byte(record))
	f.Add([]byte(record + record))
	f.Add([]byte("WARC/1.0\nContent-Length: 0\n folded: yes\n\n\n\n"))
	f.Add([]byte("WARC/1.1\r\nContent-Length: 99999999999\r\n\r\n"))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Add([]byte("\x28\xb5\x2f\xfd\x00\x00\x01\x00\x00"))
	f.Add([]byte("\x5d\x2a\x4d\x18\x04\x00\x00\x00abcd"))
	for _, name := range append(dictionaries, "testdata/warcio.warc.gz") {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(arcSample))
	f.Fuzz(func(t *testing.T, b []byte) {
		whole, err := count(bytes.NewReader(b))
		pieces, perr := count(&slow{b})
		if whole != pieces || (err == nil) != (perr == nil) {
			t.Errorf("got %d records, %v; want as in pieces: %d, %v", whole, err, pieces, perr)
		}
		tally, cerr := warc.Check(bytes.NewReader(b), func(warc.Fault) {})
		if cerr == nil && err == nil && tally.Records != whole {
			t.Errorf("got %d records, want %d as Check counts", whole, tally.Records)
		}
	})
}

// count reads records and their blocks.
func count(in io.Reader) (n int, err error) {
	r := warc.NewReader(in)
	defer r.Close()
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if k, err := io.Copy(io.Discard, rec.Block); err != nil || k != rec.Size {
			return n, err
		}
		n++
	}
}

// slow returns one byte at a time.
type slow struct{ b []byte }

func (s *slow) Read(p []byte) (int, error) {
	if len(s.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(1, len(p))], s.b)
	s.b = s.b[n:]
	return n, nil
}

// arcSample is an archive in the format before WARC.
const arcSample = "filedesc://a.arc 0.0.0.0 20080430204825 text/plain 76\n1 0 InternetArchive\n" +
	"URL IP-address Archive-date Content-type Archive-length\n\n\nhttp://h/ 192.0.2.1 20080430204826 text/html 45\n" +
	"HTTP/1.1 200 OK\nContent-Type: text/html\n\n<p>\n\n"

// httpSamples are responses whose bodies need decoding, or cannot be decoded.
var httpSamples = []string{
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nhello\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\nnot chunked\r\n",
	"HTTP/1.1 301 Moved\r\nLocation: /a\r\nContent-Length: 9\r\n\r\n",
	"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
	"a document of HTTP/0.9",
}

// FuzzReplay: whatever an archive contains about a URI, opening it and reading the document ends without a panic, also through any index
// next to it, in CDXJ or CDX.
func FuzzReplay(f *testing.F) {
	for _, block := range httpSamples {
		f.Add(fmt.Appendf(nil, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"+
			"WARC-Target-URI: http://h/\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(block), block),
			`h)/ 20260101000000 {"url":"http://h/","mime":"text/html","status":"200","length":"300","offset":"0","filename":"a.warc"}`+"\n")
	}
	f.Add([]byte(arcSample), " CDX N b a m s k r M S V g\nh)/ 20080430204826 http://h/ text/html 200 - - - 100 130 a.warc\n")
	f.Add([]byte("WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Date: 2026\r\nWARC-Target-URI: http://h/\r\nWARC-Refers-To-Target-URI: http://h/\r\n"+
		"Content-Length: 0\r\n\r\n\r\n\r\n"), `h)/ 2026 {"url":"http://h/","mime":"warc/revisit","offset":"-1"}`+"\n")
	dir, list := f.TempDir(), handlers()
	name := filepath.Join(dir, "a.warc")
	f.Fuzz(func(t *testing.T, b []byte, lines string) {
		write(t, name, b)
		replay(list, name)
		index := filepath.Join(dir, "a.cdxj")
		write(t, index, []byte(lines))
		defer os.Remove(index)
		replay(list, name)
		if k, err := warc.OpenKnown(list, dir, index); err == nil {
			k.Close()
		}
	})
}

// replay reads a document of an archive.
func replay(list []fetch.Scheme, name string) {
	if a, err := warc.OpenArchive(list, name); err == nil {
		c := fetch.New(a.Schemes()...)
		defer c.Close()
		read(c, "http://h/")
	}
}

// FuzzOutcome: any head of a dialogue is parsed, and a written one is parsed to the same outcome.
func FuzzOutcome(f *testing.F) {
	f.Add("# uri: ftp://h/\n# outcome: whole\n# document: yes\n# type: text/plain\n# size: 5\n# field: A: b\n" +
		"# leads-to: http://h/ 301 Moved\n")
	f.Add("# outcome: notfound\n# error: no\n# size: -\n")
	f.Fuzz(func(t *testing.T, text string) {
		o := warc.ParseOutcome(text)
		again := warc.ParseOutcome(o.String())
		if again.String() != o.String() {
			t.Errorf("got %q, want %q", again, o)
		}
	})
}

// FuzzPickLine: any line is an error or names a record.
func FuzzPickLine(f *testing.F) {
	a, err := warc.OpenArchive(handlers(), "testdata/wget-ftp.warc.gz", "testdata/warcio.warc.gz")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(`org,example)/page 20261120170000 {"url":"http://example.org/page","offset":"314","filename":"warcio.warc.gz"}`)
	f.Add(`org,example)/page 20261120170000 {"url":"metadata://gnu.org/software/wget/warc/wget.log","offset":"1751","filename":"wget-ftp.warc.gz"}`)
	f.Add("h)/ 20261123064452 http://h/ text/html 200 X - - 10 7 warcio.warc.gz")
	f.Add("h)/ 20261123064452 http://h/ text/html 200 X - 7 warcio.warc.gz")
	f.Add("http://h/ 20261123064452 http://h/ text/html 200 X - - 9223372036854775807 warcio.warc.gz <urn:uuid:1>")
	f.Fuzz(func(t *testing.T, line string) {
		pick, err := a.PickLine(line)
		if err != nil {
			return
		}
		r, err := pick.Payload()
		if err != nil {
			t.Fatalf("%q: got %v, want the payload of an intact record", line, err)
		}
		defer r.Close()
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Errorf("%q: got %v, want the payload", line, err)
		}
	})
}
