package warc

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"
)

func keyOf(n int) [20]byte { return sha1.Sum(binary.BigEndian.AppendUint32(nil, uint32(n))) }

// tableOf returns a table of n keys with two rows each.
func tableOf(t testing.TB, n int) *table {
	x := newTable(t.TempDir())
	t.Cleanup(x.close)
	for pass := range 2 {
		for i := range n {
			if err := x.add(keyOf(i), place{int32(pass), pass == 1, int64(i), int64(i + 1)}, int64(pass-1)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := x.build(); err != nil {
		t.Fatal(err)
	}
	return x
}

// A table finds each key, the latest place first.
func TestTable(t *testing.T) {
	for _, n := range []int{0, 1, 1<<14 + 1} {
		x := tableOf(t, n)
		for i := 0; i < n; i += 1 + n/500 {
			got, ok := x.latest(keyOf(i), func(place) bool { return true })
			if want := (place{1, true, int64(i), int64(i + 1)}); got != want || !ok {
				t.Fatalf("%d keys: key %d: got %+v, %t; want %+v", n, i, got, ok, want)
			}
			got, ok = x.latest(keyOf(i), func(p place) bool { return !p.isLine })
			if want := (place{0, false, int64(i), int64(i + 1)}); got != want || !ok {
				t.Fatalf("%d keys: key %d: got %+v, %t; want the earlier one, %+v", n, i, got, ok, want)
			}
		}
		if got, ok := x.latest(keyOf(n), func(place) bool { return true }); ok {
			t.Errorf("%d keys: got %+v for an unknown key, want none", n, got)
		}
	}
}

// All payloads are found, those in memory and those in the files, of which nothing is left.
func TestStoredPayloads(t *testing.T) {
	t.Parallel()
	n := 140_000
	if testing.Short() {
		n = 5000
	}
	dir := t.TempDir()
	var s storedPayloads
	s.at.Dir, s.entries.dir = dir, dir
	defer s.close()
	copyOf := func(i int) storedCopy {
		return storedCopy{fmt.Sprintf("<urn:%d>", i), "http://h/", "2026-01-01T00:00:00Z"}
	}
	for i := range n {
		s.add(payloadKey{keyOf(i), i%2 == 0}, copyOf(i))
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

// A brief dialogue has the commands and the ends of replies, and is short however long the dialogue was.
func TestCopyBrief(t *testing.T) {
	const in = "*: [TLS 1.3, X]\nS: 220 hello\n*: [if FEAT lists MLST]\n*: MLSD\n*: search \"a\"\n# C: words\nC: MLSD\nS: one\nS: two\nS: three\nS: four\n"
	for _, c := range []struct{ name, in, want string }{
		{"short", in, "S: 220 hello\n*: search \"a\"\nC: MLSD\nS: one\nS: two\nS: four\n"},
		{"long", in + strings.Repeat("C: AGAIN\nS: yes, again and again\n", 8) + "S: end\n",
			"*: search \"a\"\nC: MLSD\n" + strings.Repeat("C: AGAIN\n", 8) + "S: end\n"},
		{"a long command", "*: RETR a\nC: " + strings.Repeat("a", 200) + "\nS: " + strings.Repeat("b", 100) + "\n", "*: RETR a\n"},
	} {
		var b bytes.Buffer
		if copyBrief(&b, strings.NewReader(c.in)); b.String() != c.want {
			t.Errorf("%s: got %q, want %q", c.name, &b, c.want)
		}
	}
	var b bytes.Buffer
	if copyBrief(&b, strings.NewReader(strings.Repeat("C: NEXT\nS: no\n", 1<<20/14))); b.Len() > maxBriefText {
		t.Errorf("got %d bytes of a dialogue of 1 MiB, want at most %d", b.Len(), maxBriefText)
	}
}
