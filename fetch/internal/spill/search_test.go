package spill

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A counted reader counts the reads and their bytes.
type counted struct {
	io.ReaderAt
	reads, bytes int
}

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.reads++
	c.bytes += n
	return n, err
}

// indexOf returns an index of n URIs with two captures each, in order.
func indexOf(n int) string {
	var b strings.Builder
	b.WriteString("!meta {\"format\": \"cdxj\"}\n")
	for i := range n {
		for _, date := range []string{"20261101000000", "20261123064452"} {
			number := strconv.Itoa(1_000_000 + i)
			b.WriteString("example,h)/1/" + number + " " + date + ` {"url":"gopher://h.example/1/` + number + `","mime":"text/plain","status":"200",` +
				`"digest":"3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ","length":"` + number[3:] + `","offset":"` + number + `","filename":"a.warc.gz"}` + "\n")
		}
	}
	return b.String()
}

// Finding one of 100,000 records reads some blocks of an index, not the index.
func TestIndexIsBisected(t *testing.T) {
	const n = 50_000
	text := indexOf(n)
	for _, i := range []int{0, 1, 17, n / 2, n - 2, n - 1} {
		r := &counted{ReaderAt: strings.NewReader(text)}
		key := fmt.Sprintf("example,h)/1/%d ", 1_000_000+i)
		got := 0
		err := EachFrom(r, int64(len(text)), key, func(line string) bool {
			if strings.HasPrefix(line, key) {
				got++
				return true
			}
			return false
		})
		if got != 2 || err != nil {
			t.Errorf("document %d: got %d lines, %v; want 2", i, got, err)
		}
		if r.reads > 40 || r.bytes > 200_000 {
			t.Errorf("document %d: got %d reads of %d bytes in total, want at most 40 and 200,000 of %d", i, r.reads, r.bytes, len(text))
		}
	}
}

// Each line of an index of any size is the first that is found by its key, and lines of any length are passed over.
func TestIndexFindsEachLine(t *testing.T) {
	var b strings.Builder
	var keys []string
	for i := range 80 {
		keys = append(keys, fmt.Sprintf("k%03d", i))
		fmt.Fprintf(&b, "%s 2026 %s\n", keys[i], strings.Repeat("x", i*i*i%7919))
	}
	for _, text := range []string{b.String(), strings.TrimSuffix(b.String(), "\n")} {
		for _, key := range append(keys, "a", "k1000", "z") {
			got, want := "", ""
			for line := range strings.Lines(text) {
				if line = strings.TrimSuffix(line, "\n"); line >= key {
					want = line
					break
				}
			}
			err := EachFrom(strings.NewReader(text), int64(len(text)), key, func(line string) bool { got = line; return false })
			if got != want || err != nil {
				t.Fatalf("%s: got %.20q, %v; want %.20q", key, got, err, want)
			}
		}
	}
}

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
	const n = 60_000 // more than the bound for memory
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
