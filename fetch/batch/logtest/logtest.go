// Package logtest checks that an implementation of batch.Log keeps the promises of its documentation.
//
//	func TestLog(t *testing.T) {
//		logtest.Test(t, func(t *testing.T, name string) batch.Log { return openMine(t, name) })
//	}
package logtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

type opener func(*testing.T, string) batch.Log

// Test runs all checks. open opens the Log with a name, and creates it if it does not exist; each check uses names of its own. It must call
// t.Fatal if that fails.
func Test(t *testing.T, open func(t *testing.T, name string) batch.Log) {
	for name, check := range map[string]func(*testing.T, opener){
		"records are read in order":          inOrder,
		"records remain":                     remain,
		"readers are independent":            independent,
		"a reader waits":                     waits,
		"a reader ends with its context":     ends,
		"several append at a time":           together,
		"unusual records":                    unusual,
		"errors have a kind":                 kinds,
		"a frontier works on it":             frontier,
		"a frontier does each URI once":      duplicates,
		"a frontier continues with its list": continues,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, open)
		})
	}
}

// patience is how long a check waits for what must happen soon.
const patience = 30 * time.Second

func record(i int) string { return fmt.Sprintf(`{"n":%d}`, i) }

// appendAll appends records from a to b, and returns their positions.
func appendAll(t *testing.T, l batch.Log, a, b int) (list []int64) {
	t.Helper()
	for i := a; i < b; i++ {
		at, err := l.Append([]byte(record(i)))
		if err != nil {
			t.Fatalf("record %d: got %v, want it added", i, err)
		}
		list = append(list, at)
	}
	return list
}

// readAll checks that a new reader returns exactly the records from 0 to n, and returns their positions.
func readAll(t *testing.T, l batch.Log, n int) (list []int64) {
	t.Helper()
	in := l.Scan()
	defer in.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for i := range n {
		got, at, err := in.Next(ctx)
		if err != nil || string(got) != record(i) {
			t.Fatalf("record %d: got %q, %v, want %q", i, got, err, record(i))
		}
		list = append(list, at)
	}
	return list
}

func inOrder(t *testing.T, open opener) {
	l := open(t, "order")
	defer l.Close()
	want := appendAll(t, l, 0, 300)
	got := readAll(t, l, 300)
	for i, at := range got {
		if at != want[i] || i > 0 && at <= got[i-1] {
			t.Fatalf("record %d: got the position %d after %v, want %d", i, at, got[:i], want[i])
		}
		if again, err := l.Read(at); err != nil || string(again) != record(i) {
			t.Fatalf("record %d: Read returned %q, %v, want %q", i, again, err, record(i))
		}
	}
}

func remain(t *testing.T, open opener) {
	l := open(t, "remain")
	first := appendAll(t, l, 0, 20)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, "remain")
	defer l.Close()
	appendAll(t, l, 20, 30)
	if got := readAll(t, l, 30); got[19] != first[19] {
		t.Errorf("got the position %d after reopening, want %d", got[19], first[19])
	}
	other := open(t, "remain 2")
	defer other.Close()
	appendAll(t, other, 0, 1)
	readAll(t, other, 1)
}

func independent(t *testing.T, open opener) {
	l := open(t, "readers")
	defer l.Close()
	appendAll(t, l, 0, 10)
	a, b := l.Scan(), l.Scan()
	defer a.Close()
	defer b.Close()
	for i := range 10 {
		first, _, err := a.Next(t.Context())
		if err != nil || string(first) != record(i) {
			t.Fatalf("got %q, %v, want %q", first, err, record(i))
		}
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if got, _, err := b.Next(t.Context()); err != nil || string(got) != record(0) {
		t.Errorf("got %q, %v from the other reader, want %q", got, err, record(0))
	}
}

func waits(t *testing.T, open opener) {
	l := open(t, "wait")
	defer l.Close()
	appendAll(t, l, 0, 1)
	in := l.Scan()
	defer in.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	got := make(chan string)
	go func() {
		defer close(got)
		for range 50 {
			r, _, err := in.Next(ctx)
			if err != nil {
				return
			}
			got <- string(r)
		}
	}()
	for i := range 50 {
		if i > 0 {
			appendAll(t, l, i, i+1) // the reader has returned all earlier ones
		}
		if r := <-got; r != record(i) {
			t.Fatalf("got %q, want %q", r, record(i))
		}
	}
}

func ends(t *testing.T, open opener) {
	l := open(t, "end")
	defer l.Close()
	in := l.Scan()
	defer in.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, _, err := in.Next(ctx)
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func together(t *testing.T, open opener) {
	l := open(t, "together")
	defer l.Close()
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for i := range 25 {
				if _, err := l.Append([]byte(record(100*w + i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	in := l.Scan()
	defer in.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	seen := map[string]bool{}
	for range 100 {
		r, _, err := in.Next(ctx)
		if err != nil || seen[string(r)] {
			t.Fatalf("got %q, %v, want a new record", r, err)
		}
		seen[string(r)] = true
	}
}

func unusual(t *testing.T, open opener) {
	l := open(t, "unusual")
	defer l.Close()
	list := []string{"", "\x00\xff", strings.Repeat("x", 70<<10), `"é\n"`}
	for _, want := range list {
		at, err := l.Append([]byte(want))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := l.Read(at); err != nil || string(got) != want {
			t.Errorf("got %.40q, %v, want %.40q", got, err, want)
		}
	}
	for _, bad := range []string{"a\nb", strings.Repeat("x", 1<<20)} {
		if _, err := l.Append([]byte(bad)); fetch.KindOf(err) != fetch.ErrLimit {
			t.Errorf("%.10q of %d bytes: got %v, want %s", bad, len(bad), err, fetch.ErrLimit)
		}
	}
}

func kinds(t *testing.T, open opener) {
	l := open(t, "kinds")
	if _, err := l.Read(1 << 40); fetch.KindOf(err) == "" {
		t.Errorf("reading a missing record: got %v, want an error with a Kind", err)
	}
	l.Close()
	if _, err := l.Append([]byte("{}")); fetch.KindOf(err) == "" {
		t.Errorf("appending after Close: got %v, want an error with a Kind", err)
	}
}

// A done set is a Journal of numbers.
type done struct {
	mu    sync.Mutex
	items map[int64]int
}

func (d *done) Done(it *batch.Item) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return it.Duplicate || d.items[it.Number] > 0, nil
}

func (d *done) Note(items []batch.Finished) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range items {
		d.items[f.Item.Number]++
	}
	return len(items), nil
}

func page(i int) uri.URI { return uri.MustParse(fmt.Sprintf("http://h/%d", i)) }

// crawl adds two links for each item, until there are 60 pages, and calls cancel after the last.
func crawl(t *testing.T, f *batch.Frontier, d *done, most int) map[string]int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var mu sync.Mutex
	visits := map[string]int{}
	task := func(_ context.Context, it *batch.Item) (int64, error) {
		var n int
		if _, err := fmt.Sscanf(it.URI.String(), "http://h/%d", &n); err != nil {
			return 0, err
		}
		for _, link := range []int{2*n + 1, 2*n + 2, 0} {
			if link < 60 {
				if _, err := f.Add(page(link), nil); err != nil {
					return 0, err
				}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if visits[it.URI.String()]++; len(visits) >= most {
			cancel()
		}
		return 1, nil
	}
	if _, err := f.Run(ctx, task, &batch.Options{Parallel: 2, Journal: d}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after %d visits, want %v after %d", err, len(visits), context.Canceled, most)
	}
	return visits
}

func frontier(t *testing.T, open opener) {
	f := batch.NewFrontier(open(t, "frontier"), t.TempDir())
	defer f.Close()
	if added, err := f.Add(page(0), nil); err != nil || !added {
		t.Fatalf("got %t, %v, want it added", added, err)
	}
	for u, n := range crawl(t, f, &done{items: map[int64]int{}}, 60) {
		if n != 1 {
			t.Errorf("%s: got %d visits, want 1", u, n)
		}
	}
	if f.Len() != 60 {
		t.Errorf("got %d URIs, want 60", f.Len())
	}
}

// duplicates: others append the same URIs. The frontier treats all but the first record as duplicates.
func duplicates(t *testing.T, open opener) {
	l := open(t, "duplicates")
	for i := range 100 {
		if _, err := l.Append(fmt.Appendf(nil, `{"uri":"%s","note":%d}`, page(i%7), i)); err != nil {
			t.Fatal(err)
		}
	}
	f := batch.NewFrontier(l, "")
	defer f.Close()
	for u, n := range crawl(t, f, &done{items: map[int64]int{}}, 60) {
		if n != 1 {
			t.Errorf("%s: got %d visits, want 1", u, n)
		}
	}
}

// continues: with the same Journal, a second frontier of the log does what the first has not done.
func continues(t *testing.T, open opener) {
	d := &done{items: map[int64]int{}}
	visits := map[string]int{}
	for range 2 {
		f := batch.NewFrontier(open(t, "continue"), "")
		if _, err := f.Add(page(0), nil); err != nil {
			t.Fatal(err)
		}
		most := 20
		if len(visits) > 0 {
			most = 60 - len(visits)
		}
		for u, n := range crawl(t, f, d, most) {
			visits[u] += n
		}
		f.Close()
	}
	for u, n := range visits {
		if n != 1 {
			t.Errorf("%s: got %d visits, want 1", u, n)
		}
	}
	if len(visits) != 60 {
		t.Errorf("got %d pages, want 60", len(visits))
	}
}
