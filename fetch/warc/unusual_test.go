package warc_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
)

// The files of this test are built here. They imitate the peculiarities in the fixtures of webrecorder's warcio and warcio.js and of the
// IIPC's jwarc (github.com, as of 2026-11); the records and names are ours.

// rec writes one record. Lines of fields are separated by "|"; a length of "-" omits Content-Length.
func rec(fields, block string) string {
	out := "WARC/1.0\r\n"
	if version, rest, ok := strings.Cut(fields, " "); ok && strings.HasPrefix(version, "WARC/") {
		out, fields = version+"\r\n", rest
	}
	length := fmt.Sprintf("Content-Length: %d\r\n", len(block))
	for f := range strings.SplitSeq(fields, "|") {
		if strings.HasPrefix(f, "Content-Length: ") {
			length = f + "\r\n"
		} else if f == "no length" {
			length = ""
		} else {
			out += f + "\r\n"
		}
	}
	return out + length + "\r\n" + block + "\r\n\r\n"
}

// response writes a response record of an http URI.
func response(n int, target, more, message string) string {
	fields := fmt.Sprintf("WARC-Type: response|WARC-Record-ID: <urn:uuid:00000000-0000-4000-9000-%012d>|"+
		"WARC-Date: 2026-11-%02dT10:00:00Z|WARC-Target-URI: %s|"+
		"Content-Type: application/http; msgtype=response", n, n, target)
	if more != "" {
		fields += "|" + more
	}
	return rec(fields, message)
}

// other writes a record of another kind.
func other(n int, kind, more, block string) string {
	fields := fmt.Sprintf("WARC-Type: %s|WARC-Record-ID: <urn:uuid:00000000-0000-4000-9000-%012d>|WARC-Date: 2026-11-%02dT10:00:00Z", kind, n,
		n)
	if more != "" {
		fields += "|" + more
	}
	return rec(fields, block)
}

func pack(pieces ...string) string {
	var b bytes.Buffer
	for _, p := range pieces {
		z := gzip.NewWriter(&b)
		io.WriteString(z, p)
		z.Close()
	}
	return b.String()
}

const owl = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nowl"

const aboutARC = "filedesc://a.arc 0.0.0.0 20031105060708 text/plain 68\n1 0 Somebody\n" +
	"URL IP-address Archive-date Content-type Archive-length\n\n"

var longOwl = "http://h/owl?" + strings.Repeat("x", 200_000)

func sum1(s string) []byte { h := sha1.Sum([]byte(s)); return h[:] }

func TestUnusualArchives(t *testing.T) {
	t.Parallel()
	info := other(1, "warcinfo", "Content-Type: application/warc-fields", "software: x")
	page := response(2, "http://h/owl", "", owl)
	note := other(3, "metadata", "WARC-Target-URI: http://h/owl|Content-Type: application/warc-fields", "via: x\r\n")
	b32, b64 := base32.StdEncoding.EncodeToString, base64.StdEncoding.EncodeToString
	s256, s384, s224 := sha256.Sum256([]byte("owl")), sha512.Sum384([]byte("owl")), sha256.Sum224([]byte("owl"))
	digest := func(d string) string { return response(2, "http://h/owl", "WARC-Payload-Digest: "+d, owl) }
	var urlSafe string // whose two alphabets differ
	for i := 0; !strings.ContainsAny(urlSafe, "-_"); i++ {
		urlSafe = fmt.Sprintf("owl%d", i)
		if d := base64.URLEncoding.EncodeToString(sum1(urlSafe)); strings.ContainsAny(d, "-_") {
			urlSafe = response(2, "http://h/owl", "WARC-Payload-Digest: sha1:"+d, "HTTP/1.1 200 OK\r\n\r\n"+urlSafe)
		} else {
			urlSafe = ""
		}
	}
	arcOwl := "http://h/owl 192.0.2.7 20031105060709 text/plain " + fmt.Sprint(len(owl)) + "\n" + owl + "\n"
	dns := "dns:h 192.0.2.53 20031105060708 text/dns 9\nh IN A 1\n\n"
	var extra bytes.Buffer
	z, _ := gzip.NewWriterLevel(&extra, gzip.BestSpeed)
	z.Extra = []byte("sl\x08\x00\x01\x02\x03\x04\x05\x06\x07\x08")
	io.WriteString(z, page)
	z.Close()

	archive := filepath.Join(t.TempDir(), "x.warc")
	for _, c := range []struct {
		name, file string
		types      string   // of the records; "!" is a damaged one, "<" an end within one
		faults     []string // parts of the lines that Check reports; "^" begins one
		uri, want  string   // the URI, and its document; or "! " and the kind of the error
	}{
		{"plain", info + page + note, "warcinfo response metadata", nil, "http://h/owl", "owl"},
		{"a member for each record", pack(info, page, note), "warcinfo response metadata", nil, "http://h/owl", "owl"},
		{"one member for all", pack(info + page + note), "warcinfo response metadata", []string{"own", "own"}, "http://h/owl", "owl"},
		{"a record in two members", pack(info, page[:len(page)-20], page[len(page)-20:]+note), "warcinfo response <", []string{"ends within"},
			"http://h/owl", "! truncated"},
		{"a member with an extra field", extra.String(), "response", nil, "http://h/owl", "owl"},
		{"nothing", "", "", nil, "", ""},

		{"ARC", aboutARC + dns + arcOwl, "warcinfo response response", nil, "http://h/owl", "owl"},
		{"ARC in members", pack(aboutARC, dns, arcOwl), "warcinfo response response", nil, "http://h/owl", "owl"},
		{"ARC, a blank in the URL", aboutARC + strings.Replace(arcOwl, "/owl ", "/owl?a=b c ", 1), "warcinfo response", nil,
			"http://h/owl?a=b%20c", "owl"},
		{"ARC, odd types", aboutARC + strings.Replace(arcOwl, "text/plain", "image(jpeg)", 1), "warcinfo response", nil, "http://h/owl", "owl"},
		{"ARC, lengths that are not numbers", strings.Replace(aboutARC, " 68\n", " -1\n", 1) +
			"http://h/a 192.0.2.7 200311050607080000 text/html -1\n\n" +
			"http://h/b 192.0.2.7 20031105060708 text/html x\n\n" + arcOwl, "warcinfo response response response", nil, "http://h/owl", "owl"},
		{"ARC, cut", aboutARC + arcOwl[:len(arcOwl)-3], "warcinfo response <", []string{"ends within"}, "http://h/owl", "! truncated"},
		{"ARC, rubbish", aboutARC + arcOwl + "rubbish\n" + arcOwl, "warcinfo response !", []string{"not a record"}, "http://h/owl", "owl"},
		{"an ARC line without an ARC file", arcOwl, "!", []string{"not a record"}, "", ""},

		{"version 0.17, lines without CR", strings.ReplaceAll(strings.Replace(info, "1.0", "0.17", 1), "\r\n", "\n") + page, "warcinfo response",
			[]string{"version \"0.17\""}, "http://h/owl", "owl"},
		{"a field on two lines", response(2, "http://h/owl", "WARC-Truncated:\r\n length", owl), "response", nil, "http://h/owl", "! truncated"},
		{"bytes that are not UTF-8", response(2, "http://h/owl", "X-Note: caf\xe9|X\x07Y: \x08", owl), "response", nil, "http://h/owl", "owl"},
		{"a version line in lower case", strings.ReplaceAll(page, "WARC/", "warc/"), "response", nil, "http://h/owl", "owl"},
		{"fields in other cases", strings.ReplaceAll(page, "WARC-T", "warc-t"), "response", nil, "http://h/owl", "owl"},
		{"no length", info + other(3, "metadata", "no length", "") + page, "warcinfo ! response",
			[]string{fmt.Sprintf("^byte %d: no Content-Length", len(info))}, "http://h/owl", "owl"},
		{"no number as a length", info + other(3, "metadata", "Content-Length: x", "") + page, "warcinfo ! response",
			[]string{"no Content-Length"}, "http://h/owl", "owl"},
		{"a length that is too small", info + response(2, "http://h/a", "Content-Length: 40", owl) + response(3, "http://h/owl", "", owl),
			"warcinfo response ! response",
			[]string{"not a record"}, "http://h/owl", "owl"},
		{"ARC within a document whose length is too small", info + response(2, "http://h/a", "Content-Length: 48", owl+aboutARC+arcOwl) +
			response(3, "http://h/b", "", owl),
			"warcinfo response ! response", []string{"not a record"}, "http://h/owl", "! notfound"},
		{"more line ends", info + "\r\n\r\n" + page + "\r\n", "warcinfo response", []string{"4 line ends", "3 line ends"}, "http://h/owl", "owl"},
		{"no line ends", strings.TrimSuffix(info, "\r\n\r\n") + page, "warcinfo response", []string{"0 line ends"}, "http://h/owl", "owl"},
		{"cut in a block", info + page[:len(page)-6], "warcinfo response <", []string{"ends within"}, "http://h/owl", "! truncated"},
		{"cut in a header", info + page[:100], "warcinfo <", []string{"ends within"}, "http://h/owl", "! notfound"},
		{"cut in a member", pack(info) + pack(page)[:100], "warcinfo <", []string{"ends within"}, "http://h/owl", "! notfound"},
		{"a blank in the target", other(2, "resource", "WARC-Target-URI: file:///a b.txt|Content-Type: text/plain", "owl"), "resource", nil,
			"file:///a%20b.txt", "owl"},
		{"a long target", response(2, longOwl, "", owl) + response(3, "http://h/b", "", owl), "response response", nil, longOwl, "owl"},
		{"a target in brackets", response(2, "<http://h/owl>", "", owl), "response", nil, "http://h/owl", "owl"},
		{"dates of other precision", strings.Replace(strings.Replace(page, "WARC/1.0", "WARC/1.1", 1), "2026-11-02T10:00:00Z", "2026-11-02", 1) +
			strings.Replace(strings.Replace(note, "WARC/1.0", "WARC/1.1", 1), "10:00:00Z", "10:00:00.123456789Z",
				1), "response metadata", nil, "http://h/owl", "owl"},
		{"a date of the day in 1.0", strings.Replace(page, "2026-11-02T10:00:00Z", "2026-11-02", 1), "response", []string{"WARC-Date"},
			"http://h/owl", "owl"},

		{"base 32", digest("sha1:" + b32(sum1("owl"))), "response", nil, "http://h/owl", "owl"},
		{"base 32 in small letters", digest("SHA1:" + strings.ToLower(b32(sum1("owl")))), "response", nil, "http://h/owl", "owl"},
		{"base 16", digest("sha-1:" + hex.EncodeToString(sum1("owl"))), "response", nil, "http://h/owl", "owl"},
		{"base 64", digest("sha1:" + b64(sum1("owl"))), "response", nil, "http://h/owl", "owl"},
		{"base 64 of URLs", urlSafe, "response", nil, "", ""},
		{"base 64 without padding", digest("sha256:" + strings.TrimRight(b64(s256[:]), "=")), "response", nil, "http://h/owl", "owl"},
		{"base 32 without padding", digest("sha256:" + strings.TrimRight(b32(s256[:]), "=")), "response", nil, "http://h/owl", "owl"},
		{"SHA-384", digest("sha384:" + b32(s384[:])), "response", nil, "http://h/owl", "owl"},
		{"SHA-224", digest("sha224:" + b64(s224[:])), "response", nil, "http://h/owl", "owl"},
		{"another payload's", digest("sha1:" + b32(sum1("owls"))), "response", []string{"WARC-Payload-Digest"}, "http://h/owl", "! protocol"},
		{"another block's", response(2, "http://h/owl", "WARC-Block-Digest: sha1:"+b64(sum1("owls")), owl), "response",
			[]string{"WARC-Block-Digest"}, "http://h/owl", "! protocol"},
		{"an unknown algorithm", digest("xxh3:1234"), "response", nil, "http://h/owl", "owl"},

		{"a revisit with a head", page + other(5, "revisit", "WARC-Target-URI: http://h/b|"+
			"Content-Type: application/http; msgtype=response|WARC-Payload-Digest: sha1:x|"+
			"WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest|"+
			"WARC-Refers-To-Target-URI: http://h/owl|WARC-Refers-To-Date: 2026-11-02T10:00:00Z",
			"HTTP/1.1 200 OK\r\nX-A: b\r\n\r\n"), "response revisit", nil, "http://h/b", "owl"},
		{"a revisit without a head", page + other(5, "revisit", "WARC-Target-URI: http://h/b|"+
			"WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest|"+
			"WARC-Refers-To-Target-URI: http://h/owl|WARC-Refers-To-Date: 2026-11-02T10:00:00Z", ""),
			"response revisit", nil, "http://h/b", "owl"},
		{"a revisit that was not modified", page + other(5, "revisit",
			"WARC-Target-URI: http://h/owl|Content-Type: application/http; msgtype=response|"+
				"WARC-Profile: http://netpreserve.org/warc/1.0/revisit/server-not-modified", "HTTP/1.1 304 Not Modified\r\n\r\n"), "response revisit",
			nil, "http://h/owl", "owl"},
		{"one under another URI that was not modified", page + other(5, "revisit",
			"WARC-Target-URI: http://h/b|Content-Type: application/http; msgtype=response|"+
				"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified|WARC-Refers-To-Target-URI: http://h/owl",
			"HTTP/1.1 304 Not Modified\r\n\r\n"),
			"response revisit", nil, "http://h/b", "owl"},
		{"a revisit of nothing", other(5, "revisit", "WARC-Target-URI: http://h/b|WARC-Profile: x", ""), "revisit", nil, "http://h/b",
			"! notfound"},

		{"an unchanged document that is no revisit", other(2, "resource", "WARC-Target-URI: finger://h/|Content-Type: text/plain", "owl") +
			strings.Replace(other(3, "metadata", "WARC-Target-URI: urn:dialogue:finger://h/|Content-Type: "+warc.DialogueType,
				"# outcome: whole\n# document: yes\n# not-modified: yes\n"), "2026-11-03", "2026-11-02", 1), "resource metadata", nil, "finger://h/", "owl"},
		{"DNS", other(2, "response", "WARC-Target-URI: dns:h|Content-Type: text/dns", "20261102\nh. IN A 192.0.2.1\n"), "response", nil, "", ""},
		{"a conversion", page + other(5, "conversion", "WARC-Target-URI: http://h/owl|Content-Type: image/png", "x"), "response conversion", nil,
			"http://h/owl", "owl"},
		{"a kind that nobody knows", page + other(5, "future", "WARC-Target-URI: http://h/owl", "x"), "response future", nil, "http://h/owl",
			"owl"},
		{"a segment", response(2, "http://h/owl", "WARC-Segment-Number: 1", owl) +
			other(5, "continuation", "WARC-Target-URI: http://h/owl|WARC-Segment-Number: 2", "s"),
			"response continuation", nil, "http://h/owl", "! truncated"},
		{"long IDs, which are not compared", strings.Repeat(rec("WARC-Type: x|WARC-Date: 2026-11-02T10:00:00Z|WARC-Record-ID: <urn:"+
			strings.Repeat("x", 1000)+">", ""), 2), "x x", nil, "", ""},
		{"HTTP/0.9", response(2, "http://h/owl", "", "<p>owl"), "response", nil, "http://h/owl", "<p>owl"},

		{"chunks", response(2, "http://h/owl", "WARC-Payload-Digest: sha1:"+b32(sum1("owls")),
			chunkedHead+"0003 \r\nowl\r\n1;x=y\r\ns\r\n000\r\n\r\n"), "response", nil, "http://h/owl", "owls"},
		{"chunks, the digest with them", response(2, "http://h/owl", "WARC-Payload-Digest: sha1:"+b32(sum1("3\r\nowl\r\n0\r\n\r\n")),
			chunkedHead+"3\r\nowl\r\n0\r\n\r\n"), "response", nil, "http://h/owl", "owl"},
		{"chunks that are decoded already", response(2, "http://h/owl", "WARC-Payload-Digest: sha1:"+b32(sum1("owls")), chunkedHead+"owls"),
			"response", nil, "http://h/owl", "owls"},
		{"with many digits", response(2, "http://h/owl", "", chunkedHead+strings.Repeat("abc", 9)+"\r\n"), "response", nil, "http://h/owl",
			strings.Repeat("abc", 9) + "\r\n"},
		{"with numbers in front", response(2, "http://h/owl", "", chunkedHead+"33owls"), "response", nil, "http://h/owl", "33owls"},
		{"chunks that break", response(2, "http://h/owl", "WARC-Payload-Digest: sha1:"+b32(sum1("3\r\nowl\r\nxyz\r\n")),
			chunkedHead+"3\r\nowl\r\nxyz\r\n"), "response", nil, "http://h/owl", "! protocol"},
		{"chunks that break, the digest without them", response(2, "http://h/owl", "WARC-Payload-Digest: sha1:"+b32(sum1("owl")),
			chunkedHead+"3\r\nowl\r\nxyz\r\n"), "response",
			[]string{"WARC-Payload-Digest"}, "http://h/owl", "! protocol"},
		{"gzip that is decoded already", response(2, "http://h/owl", "",
			"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 99\r\n\r\nowls"), "response", nil, "http://h/owl", "owls"},
		{"gzip", response(2, "http://h/owl", "", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"+pack("owls")), "response", nil,
			"http://h/owl", "owls"},
		{"gzip in chunks", response(2, "http://h/owl", "", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"+
			fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(pack("owls")), pack("owls"))), "response", nil, "http://h/owl", "owls"},
		{"neither gzip nor chunks", response(2, "http://h/owl", "",
			"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\nowls"), "response", nil, "http://h/owl", "owls"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := typesOf(c.file); got != c.types {
				t.Errorf("records: %q, want %q", got, c.types)
			}
			checkFaults(t, c.file, c.faults)
			if c.uri != "" {
				write(t, archive, []byte(c.file))
				checkAnswer(t, archive, c.uri, c.want)
			}
		})
	}
}

const chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

// typesOf reads a file with the Reader.
func typesOf(file string) string {
	r := warc.NewReader(bytes.NewReader([]byte(file)))
	defer r.Close()
	var types []string
	for {
		rec, err := r.Next()
		switch _, isFormat := err.(*warc.FormatError); {
		case err == io.EOF:
			return strings.Join(types, " ")
		case err == io.ErrUnexpectedEOF:
			return strings.Join(append(types, "<"), " ")
		case isFormat:
			types = append(types, "!")
		case err != nil:
			return err.Error()
		default:
			types = append(types, rec.Type())
		}
	}
}

func checkFaults(t *testing.T, file string, want []string) {
	t.Helper()
	var got []string
	if _, err := warc.Check(bytes.NewReader([]byte(file)), func(f warc.Fault) { got = append(got, "^"+f.String()) }); err != nil {
		t.Errorf("Check: %v", err)
	}
	if len(got) != len(want) || !slices.EqualFunc(got, want, strings.Contains) {
		t.Errorf("faults %q, want %q", got, want)
	}
}

func checkAnswer(t *testing.T, archive, uri, want string) {
	t.Helper()
	c := readerOf(t, archive)
	defer c.Close()
	got, err := read(c, uri)
	if kind, ok := strings.CutPrefix(want, "! "); ok {
		if string(fetch.KindOf(err)) != kind {
			t.Errorf("%s: %q, %v; want %s", uri, got, err, want)
		}
	} else if got != want || err != nil {
		t.Errorf("%s: %q, %v; want %q", uri, got, err, want)
	}
}
