package warc

import (
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"

	"example.org/deref/fetch/internal/cdx"
)

// The keys are those that internetarchive/surt computes: see its README and tests.
func TestSURT(t *testing.T) {
	const id = "0123456789abcdefghijklemopqrstuv"
	for _, c := range []struct{ uri, key string }{
		{"http://archive.example/goo/?a=2&b&a=1", "example,archive)/goo?a=1&a=2&b"},
		{"http://www34.Archive.example:80/Goo/#x", "example,archive)/goo"},
		{"https://www2foo.example:443/?", "example,www2foo)/"},
		{"https://h.example:80/", "example,h:80)/"},
		{"http://h.example", "example,h)/"},
		{"http://h.example?b", "example,h)/?b"},
		{"http://192.168.1.254/info/", "254,1,168,192)/info"},
		{"http://3279880203/blah", "11,0,127,195)/blah"},
		{"http://10.0.258/", "2,1,0,10)/"},
		{"http://017.0.0.1/", "1,0,0,15)/"},
		{"http://1.2.3.256/", "256,3,2,1)/"},
		{"http://h.example//a//b/../%2e/c%2525d/", "example,h)/a/c%25d"},
		{"http://h.example/%" + strings.Repeat("25", 1<<19) + "c", "example,h)/%25c"}, // in linear time
		{"http://h.example/a%20b/%c5%82?x=%C5%82", "example,h)/a%20b/%c5%82?x=%c5%82"},
		{"http://h.example/a.php?PHPSESSID=" + id + "&action=profile;u=4221", "example,h)/a.php?action=profile;u=4221"},
		{"http://h.example/?one=two&jsessionid=" + id + "0", "example,h)/?jsessionid=" + id + "0&one=two"},
		{"http://h.example/?one=two&sid=" + id + "&x=y", "example,h)/?one=two&x=y"},
		{"http://h.example/?sid=" + id + "&" + strings.Repeat("sid=", 1<<18), "example,h)/?" + strings.Repeat("sid=", 1<<18)}, // in linear time
		{"http://h.example/?CFID=1169580&CFTOKEN=48630702&dtstamp=22%2F08", "example,h)/?dtstamp=22/08"},
		{"http://h.example/?aspsessionidABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX&x=y", "example,h)/?x=y"},
		{"http://h.example/(S(4hqa0555fwsecu455xqckv45))/mileg.aspx", "example,h)/mileg.aspx"},
		{"http://h.example/(4hqa0555fwsecu455xqckv45)/mileg.aspx", "example,h)/mileg.aspx"},
		{"http://h.example/(a(4hqa0555fwsecu455xqckv45)S(4hqa0555fwsecu455xqckv45)f(4hqa0555fwsecu455xqckv45))/m.aspx?page=s",
			"example,h)/m.aspx?page=s"},
		{"whois://whois.isoc.example/shaveh.co.example", "example,isoc,whois)/shaveh.co.example"},
		{"ftp://ann@www.h.example/Pub/", "example,h)/pub"},
		{"gopher://h.example:7070/1/A%20B", "example,h:7070)/1/a%20b"},
		{"gemini://[2001:db8::1]:1965/", "2001:db8::1:1965)/"},
		{"news:comp.infosystems.WWW", "news:comp.infosystems.www"},
		{"mid:Abc@h.example/x", "mid:abc@h.example/x"},
		{"dns:archive.example", "dns:archive.example"},
		{"urn:dialogue:gopher://H.example/1/", "urn:dialogue:gopher://h.example/1"},
	} {
		if got := cdx.Key(c.uri); got != c.key {
			t.Errorf("%s: got %q, want %q", c.uri, got, c.key)
		}
	}
}

// Indexes of other programs have numbers in several forms, a header, and lines about what is not a capture.
func TestParseCDXJ(t *testing.T) {
	for line, want := range map[string]string{
		`h)/ 20261123064452 {"url":"gopher://h/","status":"200","offset":"7","length":"9","filename":"a.warc"}`: "gopher://h/ 200 7 9 1795416292",
		`h)/ 20261123064452 {"url":"gopher://h/","status":404,"offset":7}`:                                      "gopher://h/ 404 7 0 1795416292",
		`h)/ 20261123064452 {"url":"gopher://h/","status":"-","offset":"0"}`:                                    "gopher://h/ -1 0 0 1795416292",
		`!meta 0 {"format":"cdxj"}`:                             "",
		` CDX N b a m s k r M S V g`:                            "",
		`h)/ 20261123064452 {"url":"gopher://h/","offset":"x"}`: "",
		"": "",
	} {
		got := ""
		if e, ok := cdx.Parse(line); ok {
			got = fmt.Sprintf("%s %d %d %d %d", e.URL, e.Status, e.Offset, e.Length, e.Date.Unix())
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

// Classic CDX files are those of wget --warc-cdx, and with 11 columns those of wayback machines.
func TestParseCDX(t *testing.T) {
	for _, c := range []struct{ header, line, want string }{
		{" CDX a b a m s c k r M V g u", "http://h/ 20261123064452 http://h/ text/html 200 - JSVUVBFDZVRXRAU2LZFNRI4SWRJ7EKVB - - 7 a.warc.gz <urn:uuid:1>", "http://h/ 7 a.warc.gz"},
		{" CDX N b a m s k r M S V g", "h)/ 20261123064452 http://h/ text/html 200 JSVUVBFDZVRXRAU2LZFNRI4SWRJ7EKVB - - 9 7 a.warc.gz", "http://h/ 7 a.warc.gz"},
		{" CDX N b a m s k r M S V g", "h)/ 20261123064452 http://h/", ""},
		{" CDX N b a m s k r M S V g", " CDX N b a m s k r M S V g", ""},
	} {
		columns, ok := cdx.ParseHeader(c.header)
		e, is := columns.Parse(c.line)
		got := ""
		if is {
			got = e.URL + " " + string(rune('0'+e.Offset)) + " " + e.Filename
		}
		if got != c.want || !ok {
			t.Errorf("%s: got %q, %t; want %q", c.line, got, ok, c.want)
		}
		if sum, ok := parseSHA1(e.Digest); is && (!ok || sum == [20]byte{}) {
			t.Errorf("%s: got no digest of %q", c.line, e.Digest)
		}
	}
}

// Archives of other programs may have IRIs. They are found by their URIs, and have the same keys in an index.
func TestIRIsInArchives(t *testing.T) {
	for _, c := range []struct{ iri, uri, key string }{
		{"http://www.h.example/мир?ü", "http://www.h.example/%d0%bc%D0%B8%D1%80?%C3%BC", "example,h)/%d0%bc%d0%b8%d1%80?%c3%bc"},
		{"http://münchen.example/a b", "http://xn--mnchen-3ya.example/a%20b", "example,xn--mnchen-3ya)/a%20b"},
		{"http://h/\xcd", "http://h/%CD", "h)/%cd"},
		{"ftp://h/é", "ftp://h/%C3%A9", "h)/%c3%a9"},
	} {
		var a Archive
		if got, want := a.key(c.iri), a.key(c.uri); got != want {
			t.Errorf("%q: got the key %q, want that of %s, %q", c.iri, got, c.uri, want)
		}
		for _, target := range []string{c.iri, c.uri} {
			if got := cdx.Key(target); got != c.key {
				t.Errorf("%q: got the index key %q, want %q", target, got, c.key)
			}
		}
	}
}

func keyOf(n int) [20]byte { return sha1.Sum(binary.BigEndian.AppendUint32(nil, uint32(n))) }

// tableOf returns a table of n keys with two rows each.
func tableOf(t testing.TB, n int) *table {
	x := newTable(t.TempDir())
	t.Cleanup(x.close)
	for pass := range 2 {
		for i := range n {
			if err := x.add(keyOf(i), int64(pass-1), fmt.Sprint(pass, " of ", i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := x.build(); err != nil {
		t.Fatal(err)
	}
	return x
}

// A table finds each key, the latest text first.
func TestTable(t *testing.T) {
	for _, n := range []int{0, 1, 1<<13 + 1} {
		x := tableOf(t, n)
		for i := 0; i < n; i += 1 + n/500 {
			got, ok := x.latest(keyOf(i), anything)
			if want := fmt.Sprint("1 of ", i); got != want || !ok {
				t.Fatalf("%d keys: key %d: got %q, %t; want %q", n, i, got, ok, want)
			}
			got, ok = x.latest(keyOf(i), func(text string) bool { return text[0] == '0' })
			if want := fmt.Sprint("0 of ", i); got != want || !ok {
				t.Fatalf("%d keys: key %d: got %q, %t; want the earlier one, %q", n, i, got, ok, want)
			}
		}
		if got, ok := x.latest(keyOf(n), anything); ok {
			t.Errorf("%d keys: got %+v for an unknown key, want none", n, got)
		}
	}
}

// All payloads are found, those in memory and those in the files, of which nothing is left.
func TestStoredPayloads(t *testing.T) {
	const n = 5000 // the table of so many is in memory, and their entries are in a file
	dir := t.TempDir()
	var s storedPayloads
	s.at.Dir, s.entries.dir = dir, dir
	defer s.close()
	copyOf := func(i int) Original {
		return Original{fmt.Sprintf("<urn:%d>", i), "http://h/" + strings.Repeat("long", i%100), "2026-01-01T00:00:00Z", payloadDigest{sum: keyOf(i)}.String(), i%2 == 0}
	}
	for i := range n {
		s.put(copyOf(i), false)
	}
	for i := 0; i < n; i += 1 + n/500 {
		if got, ok := s.lookup(payloadDigest{keyOf(i), 1}, true); got != copyOf(i) || !ok {
			t.Fatalf("payload %d: got %+v, %t, want %+v", i, got, ok, copyOf(i))
		}
		if _, ok := s.lookup(payloadDigest{keyOf(i), 1}, false); ok != (i%2 == 1) {
			t.Errorf("payload %d, not in HTTP: got %t, want %t", i, ok, i%2 == 1)
		}
	}
	if _, ok := s.lookup(payloadDigest{keyOf(n), 1}, true); ok {
		t.Error("got a payload that is not stored")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v in the directory, want nothing", left, err)
	}
}
