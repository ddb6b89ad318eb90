package main

import (
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/uri"
)

// TestArchiveFieldsOfEveryScheme compares the fields that readers rely on over all schemes: the address of the server in every record of its
// protocol, a digest of every block, and the type of every payload by its bytes.
func TestArchiveFieldsOfEveryScheme(t *testing.T) {
	if testing.Short() {
		t.Skip("all servers")
	}
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.warc.gz")
	captureDemo(t, name)
	seen := map[string]bool{}
	for _, r := range grammar(t, name) {
		kind, target := r.get("WARC-Type"), r.get("WARC-Target-URI")
		if kind == "warcinfo" {
			continue
		}
		u := uri.MustParse(strings.TrimPrefix(strings.TrimPrefix(target, "urn:dialogue:"), "urn:listing:"))
		seen[u.Scheme()] = true
		want := "127.0.0.1"
		if kind == "conversion" || u.Scheme() == "file" || u.Scheme() == "data" { // no server
			want = ""
		}
		if got := r.get("WARC-IP-Address"); got != want {
			t.Errorf("%s %s: got WARC-IP-Address %q, want %q", kind, target, got, want)
		}
		if len(r.block) > 0 && r.get("WARC-Block-Digest") == "" {
			t.Errorf("%s %s: got no digest, want one of the block", kind, target)
		}
		if got := r.get("WARC-Identified-Payload-Type"); (got != "") != (kind == "resource" || kind == "response") {
			t.Errorf("%s %s: got WARC-Identified-Payload-Type %q, want one of each document", kind, target, got)
		}
	}
	if len(seen) < 20 {
		t.Errorf("got %d schemes, want at least 20", len(seen))
	}
}
