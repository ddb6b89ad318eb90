package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"example.org/deref/schemes/ftp/ftptest"
)

// TestRationedServers checks that -Z without --retry fetches all documents from a server that serves only two connections of an address
// at a time, for every form of refusal.
func TestRationedServers(t *testing.T) {
	t.Parallel()
	const documents = 100
	content := func(i int) []byte { return bytes.Repeat([]byte{'0' + byte(i%10)}, 1000+i) }
	ftp := func(crowded string) func(t *testing.T) (string, func() int) {
		return func(t *testing.T) (string, func() int) {
			tree := fstest.MapFS{}
			for i := range documents {
				tree[fmt.Sprint(i)] = &fstest.MapFile{Data: content(i)}
			}
			s := ftptest.NewServer(tree, &ftptest.Options{Faults: &ftptest.Faults{PerAddress: 2, Crowded: crowded}})
			t.Cleanup(func() { s.Close() })
			return s.URL + "/", s.Crowded
		}
	}
	web := func(status int) func(t *testing.T) (string, func() int) {
		return func(t *testing.T) (string, func() int) {
			var active, refused atomic.Int64
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer active.Add(-1)
				if active.Add(1) > 2 {
					refused.Add(1)
					w.WriteHeader(status)
					return
				}
				var i int
				fmt.Sscanf(r.URL.Path, "/%d", &i)
				w.Write(content(i))
			}))
			t.Cleanup(s.Close)
			return s.URL + "/", func() int { return int(refused.Load()) }
		}
	}
	for _, test := range []struct {
		name  string
		start func(t *testing.T) (url string, refused func() int)
	}{
		{"ftp 421", ftp("")},
		{"ftp 530", ftp("PASS 530 Sorry, the maximum number of clients (2) from your host are already connected.")},
		{"http 503", web(http.StatusServiceUnavailable)},
		{"http 429", web(http.StatusTooManyRequests)},
	} {
		for _, to := range []string{"files", "stdout"} {
			t.Run(test.name+" to "+to, func(t *testing.T) {
				t.Parallel()
				url, refused := test.start(t)
				var list, want strings.Builder
				for i := range documents {
					fmt.Fprintf(&list, "%s%d\n", url, i)
					want.Write(content(i))
				}
				dir := t.TempDir()
				args := []string{"--input", "-"}
				if to == "files" {
					args = append(args, "-O", "--output-dir", dir)
				}
				got, stderr, code := invoked(t, input{stdin: list.String(), env: []string{"no_proxy=*"}}, args...)
				if code != 0 {
					t.Errorf("got exit status %d, want success: %s", code, stderr)
				}
				if to == "files" {
					for i := range documents {
						b, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(i)))
						if err != nil {
							t.Error(err)
						}
						got += string(b)
					}
				}
				if got != want.String() {
					t.Errorf("%d bytes, want %d", len(got), want.Len())
				}
				if strings.HasPrefix(test.name, "ftp") && refused() == 0 {
					t.Error("got no refused connection, want some: the test proves nothing")
				}
			})
		}
	}
}
