package warc_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// dictionaries are archives of three responses in the form of ArchiveTeam's: a skippable frame with a dictionary, which may be compressed itself, and
// a frame for each record that needs it (IIPC, "WARC compression with Zstandard"). BuildDict of klauspost/compress made the dictionary from 50 similar
// records, and its Encoder the frames.
var dictionaries = []string{"testdata/dictionary.warc.zst", "testdata/packed-dictionary.warc.zst"}

func TestZstdDictionary(t *testing.T) {
	t.Parallel()
	for _, file := range dictionaries {
		b := contentOf(t, file)
		if bytes.Contains(b, []byte("example.org/2")) {
			t.Error("the records are not compressed")
		}
		if got := types(records(t, file)); got != "response response response" {
			t.Errorf("%s: got %s, want three responses", file, got)
		}
		checked(t, file)
		c := readerOf(t, file)
		defer c.Close()
		for i := range 3 { // each is read by itself
			want := fmt.Sprintf("RFC %d.\n", i)
			if got, err := read(c, fmt.Sprintf("http://example.org/%d", i)); err != nil || !strings.HasSuffix(got, want) {
				t.Errorf("%s, %d: got %q, %v; want ending with %q", file, i, got, err, want)
			}
		}
	}
}
