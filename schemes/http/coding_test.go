package http_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func pack(t *testing.T, name, text string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch name {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "zlib":
		w = zlib.NewWriter(&b)
	case "raw":
		w, _ = flate.NewWriter(&b, 9)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b)
	case "wide": // zstd whose window is larger than RFC 9659 section 3 allows
		w, _ = zstd.NewWriter(&b, zstd.WithWindowSize(16<<20))
		text = strings.Repeat(text, 100_000)
	default:
		return text
	}
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

// packed returns "hi" in that many layers of gzip.
func packed(t *testing.T, layers int) string {
	s := "hi"
	for range layers {
		s = pack(t, "gzip", s)
	}
	return s
}

func TestCodings(t *testing.T) {
	gz := pack(t, "gzip", "hi")
	for _, c := range []struct {
		name, coding, body string
		kind               fetch.Kind
		want               string
	}{
		{"gzip", "gzip", gz, "", "hi"},
		{"x-gzip", "X-GZip", gz, "", "hi"},
		{"two members", "gzip", gz + gz, "", "hihi"},
		{"deflate", "deflate", pack(t, "zlib", "hi"), "", "hi"},
		{"deflate without zlib", "deflate", pack(t, "raw", "hi"), "", "hi"},
		{"br", "br", pack(t, "br", "hi"), "", "hi"},
		{"zstd", "zstd", pack(t, "zstd", "hi"), "", "hi"},
		{"zstd with a wide window", "zstd", pack(t, "wide", "hi"), fetch.ErrLimit, ""},
		{"stacked", "zstd, gzip", pack(t, "gzip", pack(t, "zstd", "hi")), "", "hi"},
		{"identity", "identity", "hi", "", "hi"},
		{"none", "None", "hi", "", "hi"},
		{"none in a list", "none, gzip, NONE", gz, "", "hi"},
		{"empty", "gzip", "", "", ""},
		{"four", "gzip, identity, gzip, gzip, gzip", packed(t, 4), "", "hi"},
		{"five", "gzip, gzip, gzip, gzip, gzip", packed(t, 5), fetch.ErrLimit, ""},
		{"twenty", strings.TrimSuffix(strings.Repeat("gzip,", 20), ","), packed(t, 20), fetch.ErrLimit, ""},
		{"unknown", "x-compress", "hi", fetch.ErrDecode, ""},
		{"unknown below", "exi, gzip", gz, fetch.ErrDecode, ""},
		{"unknown above", "gzip, exi", gz, fetch.ErrDecode, ""},

		{"more after gzip", "gzip", gz + "more after it", fetch.ErrDecode, "hi"},
		{"not gzip", "gzip", "plain text", fetch.ErrDecode, ""},
		{"bad sum", "gzip", gz[:len(gz)-8] + "\x00\x00\x00\x00" + gz[len(gz)-4:], fetch.ErrDecode, "hi"},
		{"cut gzip", "gzip", gz[:len(gz)-4], fetch.ErrDecode, "hi"},
		{"cut br", "br", pack(t, "br", strings.Repeat("hello", 99))[:9], fetch.ErrDecode, ""},
		{"cut zstd", "zstd", pack(t, "zstd", "hi")[:8], fetch.ErrDecode, ""},
		{"more after it", "br", pack(t, "br", "hi") + strings.Repeat("x", 9000), fetch.ErrDecode, "hi"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := script(t, fmt.Sprintf("%sContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", ok, c.coding, len(c.body), c.body))
			d, body, err := get(t, client(t), "http://"+s.Addr()+"/", &fetch.Options{Set: map[string][]string{"http.compressed": {"1"}}})
			if c.kind == "" && err != nil || c.kind != "" && !errors.Is(err, c.kind) {
				t.Fatalf("%v, want %s", err, c.kind)
			}
			if !strings.HasPrefix(c.name, "cut br") && body != c.want {
				t.Errorf("got %q, want %q", body, c.want)
			}
			unchanged := c.name == "identity" || c.name == "none"
			if d != nil && (d.Header.Get("Content-Encoding") != "") != unchanged {
				t.Errorf("got %v, want a Content-Encoding: %v", d.Header, unchanged)
			}
		})
	}
}

func TestDecompressionBomb(t *testing.T) {
	bomb := strings.Repeat(pack(t, "gzip", strings.Repeat("\x00", 1<<20)), 80)
	s := script(t, fmt.Sprintf("%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", ok, len(bomb), bomb))
	o := &fetch.Options{Set: map[string][]string{"http.compressed": {"1"}}}
	d, err := client(t).Get(t.Context(), uri.MustParse("http://"+s.Addr()+"/"), o)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	if n, err := io.Copy(io.Discard, d.Body); n < 64<<20 || n > 65<<20 || !errors.Is(err, fetch.ErrLimit) {
		t.Errorf("got %d bytes, %v, want 64 MiB and %s", n, err, fetch.ErrLimit)
	}
}

func TestCodingUnasked(t *testing.T) {
	gz := pack(t, "gzip", "hi")
	s := script(t, fmt.Sprintf("%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", ok, len(gz), gz))
	d, body, err := get(t, client(t), "http://"+s.Addr()+"/", nil)
	if err != nil || body != gz || d.Header.Get("Content-Encoding") != "gzip" || strings.Contains(s.request(t, 0), "Accept-Encoding") {
		t.Errorf("got %q, %v, %+v, want the coded document", body, err, d)
	}
}

// A range counts the bytes of the coded form, so that a request for one accepts no coding, and a part of that form is refused. The pages of
// redirects are decoded, too. A wrong field of one does not keep anybody from the document that it refers to.
func TestCodingsOfPartsAndRedirects(t *testing.T) {
	gz := pack(t, "gzip", "hi")
	whole, rest := fetch.Range{}, fetch.Range{From: 1}
	for _, tt := range []struct {
		head, coding string
		part         fetch.Range
		length       int
		body, want   string
		kind         fetch.Kind
	}{
		{"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 1-1/2\r\n", "identity", rest, 1, "i", "i", ""},
		{fmt.Sprintf("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 1-%d/%d\r\n", len(gz)-1, len(gz)), "gzip", rest, len(gz) - 1, gz[1:], "",
			fetch.ErrRange},
		{ok, "gzip", whole, len(gz), gz[:9], "", fetch.ErrTruncated},
		{"HTTP/1.1 300 Multiple Choices\r\n", "gzip", whole, len(gz), gz, "hi", ""},
		{"HTTP/1.1 302 Found\r\nLocation: /x\r\n", "gzip", whole, len(gz), gz, "hi", ""},
		{"HTTP/1.1 302 Found\r\nLocation: /x\r\n", "utf-8", whole, 2, "hi", "hi", ""},
	} {
		s := script(t, fmt.Sprintf("%sContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", tt.head, tt.coding, tt.length, tt.body))
		o := &fetch.Options{Set: map[string][]string{"http.compressed": {"1"}}, Range: tt.part, NoFollow: true}
		if _, body, err := get(t, client(t), "http://"+s.Addr()+"/", o); body != tt.want || fetch.KindOf(err) != tt.kind {
			t.Errorf("%s%s: got %q, %v; want %q, kind %q", tt.head, tt.coding, body, err, tt.want, tt.kind)
		}
		if got := s.request(t, 0); strings.Contains(got, "Accept-Encoding") != (tt.part == whole) {
			t.Errorf("%s%s: got the request %q, want Accept-Encoding only without a range", tt.head, tt.coding, got)
		}
	}
}
