package warc

import (
	"crypto/sha1"
	"encoding/binary"
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
