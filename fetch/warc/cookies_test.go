package warc_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch/warc"
)

// With HideCookies, no value of Set-Cookie is in the archive, in short and long responses, and everything else is unchanged.
func TestHideCookies(t *testing.T) {
	for _, length := range []int{10, 600 << 10} {
		text := strings.Repeat("x", length)
		page := web(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(length))
			w.Header()["set-cookie"] = []string{"id=s3cret; Path=/", "other=s3cret"}
			w.Header().Set("X-After", "kept")
			io.WriteString(w, text)
		})
		folded := raw(t, "HTTP/1.1 200 OK\r\nSet-Cookie2:\r\n\tid=s3cret\r\nX-After: kept\r\n\r\n"+text)
		for _, u := range []string{page + "/", folded + "/"} {
			name := filepath.Join(t.TempDir(), "a.warc")
			capture(t, name, &warc.Options{HideCookies: true}, nil, u)
			all := records(t, name)
			if got := types(all); got != "warcinfo response request" {
				t.Fatalf("%s: got %s, want a response and its request", u, got)
			}
			if block := all[1].block; strings.Contains(block, "s3cret") || !strings.Contains(block, "X-After: kept\r\n") ||
				!strings.Contains(strings.ToLower(block), "set-cookie") || !strings.HasSuffix(block, text) {
				t.Errorf("%s: got %.200q, want Set-Cookie without its value", u, block)
			}
			checked(t, name)
		}
	}
}
