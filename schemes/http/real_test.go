package http_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/lab"
)

// TestNginx dereferences what a real server offers, good and bad: "nginx" of package lab. ORIGIN sends bad responses.
func TestNginx(t *testing.T) {
	host, port, _ := net.SplitHostPort(lab.Server(t, "nginx"))
	at := func(n int) string {
		p, _ := strconv.Atoi(port)
		return net.JoinHostPort(host, strconv.Itoa(p+n))
	}
	expand := strings.NewReplacer("PLAIN", at(0), "TLS", at(1), "H2C", at(2), "ORIGIN", at(3), "LOCAL", "localhost:"+port)
	file := func(name string) string { return string(lab.Read(t, "pub/"+name)) }
	set := func(kv ...string) *fetch.Options {
		o := &fetch.Options{Set: map[string][]string{}}
		for i := 0; i < len(kv); i += 2 {
			o.Set[kv[i]] = append(o.Set[kv[i]], kv[i+1])
		}
		return o
	}
	for _, c := range []struct {
		uri  string
		o    *fetch.Options
		kind fetch.Kind
		want string // the body, if not empty
		typ  string
	}{
		{"http://PLAIN/lf.txt", nil, "", file("lf.txt"), "text/plain"},
		{"http://PLAIN/pixel.gif", nil, "", file("pixel.gif"), "image/gif"},
		{"http://PLAIN/name with spaces.txt", nil, "", file("name with spaces.txt"), ""},
		{"http://PLAIN/name%20with%20spaces.txt#fragment", nil, "", file("name with spaces.txt"), ""},
		{"http://PLAIN/caf\xc3\xa9.txt", nil, "", file("café.txt"), ""},
		{"http://PLAIN/per%25cent.txt", nil, "", file("per%cent.txt"), ""},
		{"http://PLAIN/empty.txt", nil, "", "", "text/plain"},
		{"http://PLAIN/noread.txt", nil, fetch.ErrRefused, "", ""},
		{"http://PLAIN/missing", nil, fetch.ErrNotFound, "", ""},
		{"https://TLS/lf.txt", nil, "", file("lf.txt"), ""},
		{"https://TLS/lf.txt", set("http.version", "2"), "", file("lf.txt"), ""},
		{"http://H2C/lf.txt", set("http.version", "2"), "", file("lf.txt"), ""},
		{"http://PLAIN/lf.txt", set("http.version", "1.0"), "", file("lf.txt"), ""},
		{"http://PLAIN/lf.txt", set("http.version", "0.9"), "", file("lf.txt"), "text/html"},
		{"https://127.0.0.2:" + strings.TrimPrefix(at(1), "127.0.0.1:") + "/lf.txt", nil, fetch.ErrTLS, "", ""},

		{"http://PLAIN/redir/301", nil, "", file("README.txt"), ""},
		{"http://PLAIN/redir/302", nil, "", file("README.txt"), ""},
		{"http://PLAIN/redir/relative", nil, "", file("html/index.html"), "text/html"},
		{"http://PLAIN/redir/fragment", nil, "", file("html/index.html"), "text/html"},
		{"http://PLAIN/redir/userinfo", nil, "", "behind basic auth\n", ""}, // the server's credentials for its own origin
		{"http://PLAIN/redir/nohost", nil, fetch.ErrRefusedURL, "", ""},
		{"http://PLAIN/redir/badport", nil, fetch.ErrRedirect, "", ""},
		{"http://PLAIN/redir/query", nil, fetch.ErrRedirect, "", ""}, // to itself
		{"https://TLS/redir/http", nil, "", file("README.txt"), ""},
		{"http://PLAIN/redir/303", nil, "", file("README.txt"), ""},
		{"http://PLAIN/redir/307", nil, "", file("README.txt"), ""},
		{"http://PLAIN/redir/308", nil, "", file("README.txt"), ""},
		{"http://PLAIN/redir/netpath", nil, "", file("lf.txt"), ""},
		{"http://PLAIN/redir/spaces", nil, "", file("name with spaces.txt"), ""},
		{"http://PLAIN/redir/utf8", nil, "", file("café.txt"), ""},
		{"http://PLAIN/redir/https", nil, "", file("README.txt"), ""},
		{"http://PLAIN/redir/chain/xxx", nil, "", file("README.txt"), ""},
		{"http://PLAIN/redir/chain/xxxxxxxxxxxx", nil, fetch.ErrRedirect, "", ""},
		{"http://PLAIN/redir/self", nil, fetch.ErrRedirect, "", ""},
		{"http://PLAIN/redir/loop1", nil, fetch.ErrRedirect, "", ""},
		{"http://PLAIN/redir/ftp", nil, fetch.ErrRedirect, "", ""},
		{"http://PLAIN/redir/file", nil, fetch.ErrRedirect, "", ""},
		{"http://PLAIN/redir/filelocal", nil, fetch.ErrRedirect, "", ""},
		{"http://PLAIN/redir/gopher", nil, fetch.ErrRedirect, "", ""},
		{"http://PLAIN/redir/news", nil, fetch.ErrRedirect, "", ""},
		{"http://PLAIN/redir/mailto", nil, fetch.ErrRedirect, "", ""},
		{"http://PLAIN/redir/data", nil, fetch.ErrRedirect, "", ""},
		{"http://PLAIN/redir/telnet", nil, fetch.ErrRedirect, "", ""},
		{"http://PLAIN/redir/unknown", nil, fetch.ErrRedirect, "", ""},
		{"http://PLAIN/redir/smuggle", nil, fetch.ErrRedirect, "", ""},

		{"http://lab:secret@PLAIN/auth/", nil, fetch.ErrRefused, "", ""}, // logged in, but there is no index
		{"http://PLAIN/auth/", nil, fetch.ErrAuth, "", ""},
		{"http://lab:wrong@PLAIN/auth2/", nil, fetch.ErrAuth, "", ""},
		{"http://alice:se%3Acr%40t%2F@PLAIN/auth2/", nil, fetch.ErrRefused, "", ""},
		{"http://lab:secret@PLAIN/auth/secret.txt", nil, "", "behind basic auth\n", "text/plain"},
		{"https://alice:se%3Acr%40t%2F@TLS/auth2/secret.txt", nil, "", "behind basic auth\n", "text/plain"},
		{"http://PLAIN/notype/lf.txt", nil, "", file("lf.txt"), "text/plain"},
		{"http://PLAIN/latin1/latin1.txt", nil, "", file("latin1.txt"), "text/plain"},
		{"http://PLAIN/disposition", nil, "", file("lf.txt"), "application/octet-stream"},
		{"http://PLAIN/gzstatic/big.txt", nil, "", file("big.txt.gz"), "text/plain"}, // a coding that was not requested stays
		{"http://PLAIN/gzstatic/big.txt", set("http.compressed", "1"), "", file("big.txt"), "text/plain"},
		{"http://PLAIN/gz/big.txt", nil, "", file("big.txt"), ""},
		{"http://PLAIN/gz/big.txt", set("http.compressed", "1"), "", file("big.txt"), ""},
		{"http://PLAIN/chunked/big.txt", nil, "", file("big.txt"), ""},
		{"http://PLAIN/big.txt.gz", set("http.compressed", "1"), "", file("big.txt.gz"), ""},

		{"http://PLAIN/status/204", nil, "", "", ""},
		{"http://PLAIN/status/300", nil, "", "choices\n", ""},

		{"http://ORIGIN/bighead", nil, "", "", ""},
		{"http://ORIGIN/endless", nil, fetch.ErrLimit, "", ""},
		{"http://PLAIN/broken/short", nil, fetch.ErrTruncated, "", ""},
		{"http://ORIGIN/hang", nil, fetch.ErrTimeout, "", ""},
	} {
		t.Run(c.uri, func(t *testing.T) {
			t.Parallel()
			cl := client(t)
			cl.TLS, cl.Limits.Document, cl.Timeouts.Idle = lab.TLS(t), 4<<20, 2*time.Second
			d, body, err := get(t, cl, expand.Replace(c.uri), c.o)
			if err == nil {
				t.Logf("%s %d %s, %s, %d bytes", d.Protocol, d.Status, d.Reason, d.Type, len(body))
			} else {
				t.Logf("%s: %v", fetch.KindOf(err), err)
			}
			if c.kind == "" && err != nil || c.kind != "" && !errors.Is(err, c.kind) {
				t.Fatalf("%v (%s), want %s", err, fetch.KindOf(err), c.kind)
			}
			if c.kind == "" && c.want != "" && body != c.want {
				t.Errorf("got %d bytes %.60q, want %d %.60q", len(body), body, len(c.want), c.want)
			}
			if c.typ != "" && d.Type != c.typ {
				t.Errorf("type %s, want %s", d.Type, c.typ)
			}
		})
	}
}

func TestNginxPartsAndConditions(t *testing.T) {
	addr := "http://" + lab.Server(t, "nginx")
	c := client(t)
	whole := lab.Read(t, "pub/random64m.bin")
	const from = 60 << 20
	d, body, err := get(t, c, addr+"/random64m.bin", &fetch.Options{Range: fetch.Range{From: from}})
	if err != nil || d.Offset != from || d.Size != int64(len(whole)) || !bytes.Equal([]byte(body), whole[from:]) {
		t.Errorf("rest: got %v, %+v, want the bytes from %d on", err, d, from)
	}
	v := d.Validator
	part := fetch.Range{From: from, To: from + 5}
	want := string(whole[from : from+5])
	if _, body, err = get(t, c, addr+"/random64m.bin", &fetch.Options{Range: part, IfSame: v}); err != nil || body != want {
		t.Errorf("range: got %q, %v, want %q", body, err, want)
	}
	v.Tag = `"other"`
	if d, body, err = get(t, c, addr+"/random64m.bin", &fetch.Options{Range: part, IfSame: v}); err != nil || d.Offset != 0 {
		t.Errorf("changed: got %v, %+v, want the whole", err, d)
	}
	if sum := sha256.Sum256([]byte(body)); !strings.HasPrefix(hex.EncodeToString(sum[:]), "9ec9f885") {
		t.Errorf("changed: got SHA-256 %x, want 9ec9f885...", sum)
	}
	d, _, _ = get(t, c, addr+"/README.txt", &fetch.Options{Op: fetch.Metadata})
	if d, body, err = get(t, c, addr+"/README.txt", &fetch.Options{IfChanged: d.Validator}); err != nil || !d.NotModified || body != "" {
		t.Errorf("not modified: got %q, %v, %+v, want no body", body, err, d)
	}
	d, body, err = get(t, c, addr+"/norange/lf.txt", &fetch.Options{Range: fetch.Range{From: 3}})
	if want := "one\ntwo\nthree\n"; err != nil || d.Offset != 0 || body != want {
		t.Errorf("no ranges: got %q, %v, %+v, want the whole %q", body, err, d, want)
	}
	if _, _, err = get(t, c, addr+"/lf.txt", &fetch.Options{Range: fetch.Range{From: 300}}); !errors.Is(err, fetch.ErrRange) {
		t.Errorf("after the end: got %v, want %s", err, fetch.ErrRange)
	}
}
