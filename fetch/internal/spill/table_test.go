package spill

import (
	"fmt"
	"os"
	"testing"
)

// spread is a hash for tests; every seventh thing has the same hash as its neighbor.
func spread(i int64) uint64 {
	if i%7 == 0 {
		i++
	}
	return uint64(i) * 0x9E3779B97F4A7C15
}

func is(want int64) func(int64) bool { return func(got int64) bool { return got/2 == want } }

// TestTable: exactly the added things are found, after growing, in a file, and with equal hashes.
func TestTable(t *testing.T) {
	const n = 120_000 // more than the bound for memory
	table := Table{Dir: t.TempDir()}
	defer table.Close()
	if _, ok, err := table.Find("1", is(1)); ok || err != nil {
		t.Errorf("an empty table finds something: %v", err)
	}
	find := func(i int64) (offset int64, ok bool, err error) {
		_, s, err := table.look(spread(i), is(i))
		return int64(s.value) - 1, s.value != 0, err
	}
	for i := range int64(n) {
		if err := table.put(spread(i), is(i), 2*i); err != nil {
			t.Fatal(err)
		}
	}
	for i := int64(0); i < n; i += 3 { // replacing the first
		if err := table.put(spread(i), is(i), 2*i+1); err != nil {
			t.Fatal(err)
		}
	}
	if table.Len() != n || table.file == nil || table.small != nil {
		t.Errorf("%d offsets, in a file: got %v, want table.Len() %v, non-nil file and small nil", table.Len(), table.file != nil, n)
	}
	for i := range int64(n) {
		want := 2 * i
		if i%3 == 0 {
			want++
		}
		if got, ok, err := find(i); got != want || !ok || err != nil {
			t.Fatalf("%d: got %d, %v, %v; want %v and ok true", i, got, ok, err, want)
		}
	}
	if _, ok, _ := find(n + 1); ok {
		t.Error("found something that was never added")
	}
	if left, err := os.ReadDir(table.Dir); err != nil || len(left) > 0 {
		t.Errorf("unexpected %v in the directory, %v", left, err)
	}
}

// TestKeys finds things by their keys, with another seed after each Close.
func TestKeys(t *testing.T) {
	var table Table
	defer table.Close()
	for range 2 {
		for i := range int64(3000) {
			if err := table.Put(fmt.Sprint(i), is(i), 2*i); err != nil {
				t.Fatal(err)
			}
		}
		for i := range int64(4000) {
			if got, ok, err := table.Find(fmt.Sprint(i), is(i)); ok != (i < 3000) || ok && got != 2*i || err != nil {
				t.Fatalf("%d: got %d, %t, %v, want %d, %t", i, got, ok, err, 2*i, i < 3000)
			}
		}
		table.Close()
	}
}
