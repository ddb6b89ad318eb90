package batch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/fetchtest/loopback"
)

const victimItems = 1000

// victim processes a list with a State and a log until it is killed.
func victim(path string) {
	s, err := batch.OpenState(path)
	if err != nil {
		panic(err)
	}
	log, err := os.OpenFile(path+".log", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	batch.Run(context.Background(), list(victimItems/2, "a", "b"), func(_ context.Context, it *batch.Item) (int64, error) {
		loopback.Pause(2 * time.Millisecond)
		if _, err := log.WriteString(it.URI.String() + "\n"); err != nil {
			return 0, err
		}
		_, err := os.Stdout.WriteString("\n")
		return 0, err
	}, &batch.Options{Journal: s, Parallel: 8})
}

func TestStateSkipsWhatIsDone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	done := map[string]int{}
	var mu sync.Mutex
	pass := func(n int, fails string) batch.Summary {
		s, err := batch.OpenState(path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		return run(t, list(n, "a"), func(_ context.Context, it *batch.Item) (int64, error) {
			mu.Lock()
			defer mu.Unlock()
			u := it.URI.String()
			if u == fails {
				return 0, fetch.Errorf(fetch.ErrNotFound, "404")
			}
			done[u]++
			return 1, nil
		}, &batch.Options{Journal: s})
	}
	if sum := pass(10_000, "http://a/77"); sum.Done != 9999 || sum.Failed != 1 || sum.Skipped != 0 {
		t.Errorf("first: got %+v, want Done 9999, Failed 1 and Skipped 0", sum)
	}
	if sum := pass(10_000, ""); sum.Done != 1 || sum.Skipped != 9999 {
		t.Errorf("second: got %+v, want Done 1 and Skipped 9999", sum)
	}
	if sum := pass(10_010, ""); sum.Done != 10 || sum.Skipped != 10_000 { // the list has grown
		t.Errorf("third: got %+v, want 10 done and 10,000 skipped", sum)
	}
	for i := range 10_010 {
		if n := done[fmt.Sprintf("http://a/%d", i)]; n != 1 {
			t.Fatalf("number %d was done %d times, want once", i, n)
		}
	}
	if fi, err := os.Stat(path); err != nil || fi.Size() != 16*(1+10_010) {
		t.Errorf("got %v, %v; want fi.Size() %v", fi, err, 16*(1+10_010))
	}
}

func TestStateOfAnotherListIsRefused(t *testing.T) {
	sum := "checksum=sha256:" + strings.Repeat("0f", 32)
	for _, lists := range [][2]string{{"http://a/", "http://b/"}, {"http://h/", "http://h/ name=x"}, {"http://h/ range=0-9", "http://h/ range=0-8"},
		{"http://h/ search=a", "http://h/ search=b"}, {"ftp://h/a ftp.type=a", "ftp://h/a ftp.type=i"}, {"http://h/", "http://h/ " + sum}} {
		path := filepath.Join(t.TempDir(), "state")
		for i, l := range []string{lists[0], lists[0], lists[1]} {
			s, err := batch.OpenState(path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = batch.Run(t.Context(), batch.List(strings.NewReader(l), nil), func(context.Context, *batch.Item) (int64, error) { return 0, nil },
				&batch.Options{Journal: s})
			if i < 2 && err != nil || i == 2 && fetch.KindOf(err) != fetch.ErrLocal {
				t.Errorf("%s: got %v with the state of %s", l, err, lists[0])
			}
			s.Close()
		}
	}
}

// TestStateFileIsNotTakenForOne: a file that is not a state is never written to, and a state cannot be used by two runs at a time.
func TestStateFileIsNotTakenForOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	want := []byte("dear diary\n")
	os.WriteFile(path, want, 0o600)
	if _, err := batch.OpenState(path); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("got %v, want ErrLocal", err)
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, want) {
		t.Errorf("got %q, want the old content", got)
	}
	path += ".state"
	s, err := batch.OpenState(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := batch.OpenState(path); runtime.GOOS == "linux" && fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("shared: got %v, want an error", err)
	}
}

// An item whose Commit failed is done again by the next run; a committed one is not.
func TestCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	full := fetch.Errorf(fetch.ErrDisk, "no space")
	var mu sync.Mutex
	did := map[int64]int{}
	pass := func(commit func([]*batch.Item) error) (batch.Summary, error) {
		s, err := batch.OpenState(path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		return batch.Run(t.Context(), list(5000, "a", "b"), func(_ context.Context, it *batch.Item) (int64, error) {
			mu.Lock()
			defer mu.Unlock()
			did[it.Number]++
			if it.Number == 7 {
				return 0, fetch.ErrNotFound
			}
			return 1, nil
		}, &batch.Options{Journal: s, Commit: commit})
	}
	var durable []int64
	sum, err := pass(func(items []*batch.Item) error {
		if len(durable) > 0 {
			return full
		}
		for _, it := range items {
			durable = append(durable, it.Number)
		}
		return nil
	})
	if !errors.Is(err, full) || len(durable) == 0 || sum.Done != int64(len(durable)) {
		t.Fatalf("got %v and %d done, want %v and the %d that were committed", err, sum.Done, full, len(durable))
	}
	first := did
	did = map[int64]int{}
	sum, err = pass(func(items []*batch.Item) error {
		for _, it := range items {
			if first[it.Number] > 0 && slices.Contains(durable, it.Number) {
				t.Errorf("item %d is done twice", it.Number)
			}
			durable = append(durable, it.Number)
		}
		return nil
	})
	if err != nil || sum.Skipped+sum.Done != 10_000-1 || sum.Failed != 1 || len(durable) != 10_000-1 {
		t.Errorf("second run: got %v, %d skipped, %d done, %d failed, %d durable; want one failure", err, sum.Skipped, sum.Done, sum.Failed,
			len(durable))
	}
}

// Finished items are committed when the caller's context ends, and within about a second while the list continues.
func TestCommitWithoutTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := batch.OpenState(filepath.Join(t.TempDir(), "state"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		ctx, cancel := context.WithCancel(t.Context())
		committed := make(chan int, 10)
		sum, err := batch.Run(ctx, list(2, "a"), func(ctx context.Context, it *batch.Item) (int64, error) {
			if it.Number == 0 {
				return 0, nil
			}
			<-committed // the first item, while this one is running
			cancel()
			return 0, ctx.Err()
		}, &batch.Options{Journal: s, Parallel: 2, Commit: func(items []*batch.Item) error { committed <- len(items); return nil }})
		if !errors.Is(err, context.Canceled) || sum.Done != 1 {
			t.Errorf("got %v and %d done, want canceled and 1", err, sum.Done)
		}
	})
}

// oneRecord is a Log with one record, to which nothing is appended.
type oneRecord struct{ read bool }

func (*oneRecord) Read(int64) ([]byte, error) { return []byte(`{"uri":"http://a/"}`), nil }

func (l *oneRecord) Scan() batch.LogReader { return l }

func (l *oneRecord) Next(ctx context.Context) ([]byte, int64, error) {
	if l.read {
		<-ctx.Done()
		return nil, 0, ctx.Err()
	}
	l.read = true
	record, err := l.Read(0)
	return record, 0, err
}

func (*oneRecord) Close() error { return nil }

// The last items of a Frontier are committed soon: the Run goes on, and may get no other item.
func TestCommitOfAllThereIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		f := batch.NewFrontier(&oneRecord{}, t.TempDir())
		defer f.Close()
		_, err := f.Run(ctx, func(context.Context, *batch.Item) (int64, error) { return 0, nil }, &batch.Options{
			Commit: func([]*batch.Item) error { cancel(); return nil }})
		if took := time.Since(began); !errors.Is(err, context.Canceled) || took >= time.Second {
			t.Errorf("got %v after %s, want %v within a second", err, took, context.Canceled)
		}
	})
}
