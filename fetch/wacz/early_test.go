package wacz_test

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch/wacz"
)

// The hashes of packages of all versions are compared: those of WACZ 1.0.0 are in "stats", without the name of the algorithm.
func TestHashesOfEarlyPackages(t *testing.T) {
	const text = "WARC/1.0 and so on"
	sha, short := sha256.Sum256([]byte(text)), md5.Sum([]byte(text))
	long, old := hex.EncodeToString(sha[:]), hex.EncodeToString(short[:])
	for _, tt := range []struct{ name, resource, want string }{
		{"1.0.0", `"stats": {"hash": "` + long + `", "bytes": 18}, "hashing": "sha256"`, ""},
		{"1.0.0 with md5", `"stats": {"hash": "` + old + `", "bytes": 18}, "hashing": "md5"`, ""},
		{"1.0.0 without the algorithm", `"stats": {"hash": "` + long + `", "bytes": 18}`, ""},
		{"1.0.0, changed", `"stats": {"hash": "` + strings.Repeat("0", 64) + `", "bytes": 18}, "hashing": "sha256"`, "the hash of archive/a.warc does not match"},
		{"1.0.0, cut", `"stats": {"hash": "` + long + `", "bytes": 19}, "hashing": "sha256"`, "archive/a.warc has 18 bytes"},
		{"1.0.1", `"hash": "sha256:` + long + `", "bytes": 18`, ""},
		{"digits alone", `"hash": "` + strings.ToUpper(long) + `", "bytes": 18`, ""},
		{"none", `"bytes": 18`, "datapackage.json has no hash of archive/a.warc"},
		{"another algorithm", `"hash": "blake3:` + long + `"`, `unknown hash "blake3:`},
	} {
		p, err := open(zipText(t, "archive/a.warc", text, "datapackage.json", `{"resources": [{"path": "archive/a.warc", `+tt.resource+`}]}`))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := strings.Join(faults(p), "; "); got != tt.want && (tt.want == "" || !strings.Contains(got, tt.want)) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if p, err := open(zipText(t, "archive/a.warc", text, "webarchive.yaml", "title: x\n")); err != nil || len(faults(p)) > 0 {
		t.Errorf("0.1: got %v, want the archive", err)
	}
}

// A list of packages is refused with their names, and with what to do.
func TestCollections(t *testing.T) {
	const list = `{"profile": "multi-wacz-package", "resources": [{"name": "a.wacz", "path": "https://h.example/a.wacz?x=1"}, {"path": "b.wacz"}, {"path": "c.wacz"}, {"path": "d.wacz"}]}`
	_, err := open(zipText(t, "datapackage.json", list, "a.wacz", "PK", "b.wacz", "PK"))
	const within = "a collection of WACZ packages (multi-wacz-package), which contains no archive itself; unpack it (unzip) and name them: a.wacz, b.wacz"
	e, ok := errors.AsType[*wacz.CollectionError](err)
	if !ok || !slices.Equal(e.Packages, []string{"a.wacz", "b.wacz"}) || e.Error() != within {
		t.Errorf("got %v, want %s", err, within)
	}
	const remote = "a collection of WACZ packages (multi-wacz-package), which contains no archive itself; fetch them and name them: https://h.example/a.wacz?x=1, b.wacz, c.wacz and 1 more"
	if _, err := open(zipText(t, "datapackage.json", list)); err == nil || err.Error() != remote {
		t.Errorf("got %v, want %s", err, remote)
	}
	if err := wacz.CheckCollection(strings.NewReader(list)); err == nil || err.Error() != remote {
		t.Errorf("JSON: got %v, want %s", err, remote)
	}
	for _, other := range []string{"", "{", `{"resources": [{"path": "archive/a.warc"}]}`} {
		if err := wacz.CheckCollection(strings.NewReader(other)); err != nil {
			t.Errorf("%s: got %v, want nil", other, err)
		}
	}
	if _, err := open(zipText(t, "datapackage.json", `{"profile": "data-package", "resources": []}`)); err == nil || err.Error() != "the package contains no archive" {
		t.Errorf("got %v, want an error about a package without archives", err)
	}
}

// zipText returns a ZIP file: pairs of names and contents.
func zipText(t *testing.T, pairs ...string) []byte {
	t.Helper()
	var list []file
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, file{pairs[i], pairs[i+1]})
	}
	return zipped(t, "", list...)
}
