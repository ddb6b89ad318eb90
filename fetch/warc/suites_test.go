package warc_test

import (
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch/warc"
)

// TestFilesOfSuites checks the archives in checkouts of github.com/webrecorder/warcio, github.com/webrecorder/warcio.js and
// github.com/iipc/jwarc. The faults are in the files: warcio's own tests name those of example-digest.warc and
// example-bad-non-chunked.warc.gz.
func TestFilesOfSuites(t *testing.T) {
	top := os.Getenv("WARC_SUITES")
	if top == "" {
		t.Skip("WARC_SUITES names no directory with checkouts of warcio, warcio.js and jwarc")
	}
	const py, js, java = "warcio/test/data/", "warcio.js/test/data/", "jwarc/test-resources/org/netpreserve/jwarc/"
	for _, tt := range []struct {
		name            string
		records, faults int
	}{
		{py + "example.warc", 6, 0},
		{py + "example.warc.gz", 6, 0},
		{py + "example.arc", 2, 0},
		{py + "example.arc.gz", 2, 0},
		{py + "example-resource.warc.gz", 3, 0},
		{py + "example-iana.org-chunked.warc", 3, 0},
		{py + "example-space-in-target-uri.warc.gz", 2, 0},
		{py + "example-wget-bad-target-uri.warc.gz", 6, 0},
		{py + "post-test.warc.gz", 6, 0},
		{py + "bad.arc", 4, 0},
		{py + "example-space-in-url.arc", 2, 1},        // its length is too large
		{py + "example-wrong-chunks.warc.gz", 2, 2},    // a damaged member
		{py + "example-bad-non-chunked.warc.gz", 6, 6}, // one member for all records, and a wrong digest of a revisit
		{py + "example-bad.warc.gz.bad", 6, 5},         // one member
		{py + "example-digest.warc", 4, 4},             // a wrong payload digest, and one ID four times
		{py + "example-trunc.warc", 4, 3},              // a wrong length
		{js + "example.warc", 7, 0},
		{js + "example.warc.gz", 6, 0},
		{js + "example-resource.warc.gz", 1, 0},
		{js + "example-iana.org-chunked.warc", 3, 0},
		{js + "example-wget-bad-target-uri.warc.gz", 6, 0},
		{js + "post-test.warc.gz", 6, 0},
		{js + "post-test-more.warc", 6, 0},
		{js + "redirect.warc", 2, 0},
		{js + "example-bad-length.warc", 6, 5},              // as example-trunc.warc
		{js + "example-url-agnostic-revisit.warc.gz", 2, 1}, // no empty lines after a block
		{java + "cc.warc.gz", 1, 0},
		{java + "gzip_extra_sl.warc.gz", 1, 0},
	} {
		f, err := os.Open(filepath.Join(top, tt.name))
		if err != nil {
			t.Error(err)
			continue
		}
		var faults []warc.Fault
		got, err := warc.Check(f, func(x warc.Fault) { faults = append(faults, x) })
		if f.Close(); err != nil || got.Records != tt.records || got.Faults != tt.faults {
			t.Errorf("%s: got %d records, %v, %d faults: %v; want %d, %d", tt.name, got.Records, err, got.Faults, faults, tt.records, tt.faults)
		}
	}
}
