package batch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

func frontier(t *testing.T, path string) *batch.Frontier {
	t.Helper()
	f, err := batch.OpenFrontier(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// children adds the children of a tree's node, whose number is the note.
func children(f *batch.Frontier, it *batch.Item, fan, most int) error {
	var n int
	if err := json.Unmarshal(it.Note, &n); err != nil {
		return err
	}
	for i := range fan {
		if c := n*fan + i + 1; c < most {
			if _, err := f.Add(uri.MustParse(fmt.Sprintf("http://h%d/%d", c%3, c)), json.RawMessage(fmt.Sprint(c))); err != nil {
				return err
			}
		}
	}
	_, err := f.Add(uri.MustParse("http://h0/0"), nil) // each links back
	return err
}

// TestFrontierGrows: items added by tasks are done once each, and Run ends when nothing can add more.
func TestFrontierGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := frontier(t, "")
		f.Add(uri.MustParse("http://h0/0"), json.RawMessage("0"))
		var mu sync.Mutex
		done := map[string]int{}
		sum, err := f.Run(t.Context(), func(_ context.Context, it *batch.Item) (int64, error) {
			time.Sleep(time.Second)
			mu.Lock()
			done[it.URI.String()]++
			mu.Unlock()
			return 1, children(f, it, 7, 3000)
		}, &batch.Options{Parallel: 5, Window: 20})
		if err != nil || sum.Done != 3000 || len(done) != 3000 || f.Len() != 3000 {
			t.Errorf("got %+v, %v; %d different items, want %d", sum, err, len(done), f.Len())
		}
	})
}

// TestFrontierGoesOn: with a State, a new run continues an interrupted one, including the items that it had added.
func TestFrontierGoesOn(t *testing.T) {
	dir := t.TempDir()
	done := map[string]int{}
	runs := 0
	for ; ; runs++ {
		f := frontier(t, filepath.Join(dir, "frontier"))
		s, err := batch.OpenState(filepath.Join(dir, "state"))
		if err != nil {
			t.Fatal(err)
		}
		f.Add(uri.MustParse("http://h0/0"), json.RawMessage("0"))
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		sum, err := f.Run(ctx, func(ctx context.Context, it *batch.Item) (int64, error) {
			if n++; n > 150 {
				cancel()
				return 0, ctx.Err()
			}
			done[it.URI.String()]++
			return 1, children(f, it, 3, 1000)
		}, &batch.Options{Parallel: 1, Journal: s})
		cancel()
		s.Close()
		f.Close()
		if err == nil {
			if sum.Done+sum.Skipped != 1000 {
				t.Errorf("got %+v, want 1000 done or skipped", sum)
			}
			break
		}
	}
	again := 0
	for _, n := range done {
		again += n - 1
	}
	if len(done) != 1000 || runs < 5 || again > runs {
		t.Errorf("got %d items in %d interrupted runs, %d done twice; want len(done) 1000, runs >= 5 and again <= %v",
			len(done), runs, again, runs)
	}
}

// TestFrontierDropsHalfALine: an incomplete line of a killed process was never returned.
func TestFrontierDropsHalfALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frontier")
	f := frontier(t, path)
	f.Add(uri.MustParse("http://h/1"), nil)
	f.Close()
	whole, _ := os.ReadFile(path)
	os.WriteFile(path, append(whole, `{"uri":"http://h/2","no`...), 0o600)
	f = frontier(t, path)
	if two, err := f.Has(uri.MustParse("http://h/2")); two || err != nil || f.Len() != 1 {
		t.Errorf("got %v, %v, %d items; want 2", two, err, f.Len())
	}
	if now, _ := os.ReadFile(path); string(now) != string(whole) {
		t.Errorf("got the file %q, want %q", now, string(whole))
	}
	f.Close()
	os.WriteFile(path, []byte("dear diary\n"), 0o600)
	if _, err := batch.OpenFrontier(path); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("another file as a frontier: got %v, want ErrLocal", err)
	}
}

// A file with a line that no frontier writes is another file, which must not be cut.
func TestFrontierRefusesALongLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frontier")
	const size = 2 << 20
	if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := batch.OpenFrontier(path); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("got %v, %v, want %v", f, err, fetch.ErrLocal)
	}
	if is, err := os.Stat(path); err != nil || is.Size() != size {
		t.Errorf("got %v, %v, want the file as before, with %d bytes", is, err, size)
	}
}

// TestFrontierKeepsPasswords: an item keeps its password, but is equal to the URI without it.
func TestFrontierKeepsPasswords(t *testing.T) {
	f := frontier(t, "")
	f.Add(uri.MustParse("ftp://u:secret@h/1"), nil)
	if again, _ := f.Add(uri.MustParse("ftp://u@h/1"), nil); again {
		t.Error("added twice")
	}
	f.Run(t.Context(), func(_ context.Context, it *batch.Item) (int64, error) {
		if !strings.Contains(it.URI.String(), ":secret@") {
			t.Errorf("got %s, want it.URI.String() containing \":secret@\"", it.URI)
		}
		return 0, nil
	}, nil)
}

// TestFrontierEndsWithItsContext: Run ends even while it waits for more.
func TestFrontierEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := frontier(t, "")
		f.Add(uri.MustParse("http://h/1"), nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		if _, err := f.Run(ctx, func(ctx context.Context, _ *batch.Item) (int64, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		}, nil); err == nil || time.Since(began) != time.Minute {
			t.Errorf("got %v after %v, want an error and time.Since(began) %v", err, time.Since(began), time.Minute)
		}
	})
}

// rests are the pauses of hosts.
type rests map[string]time.Time

func (r rests) Rest(host string) time.Time           { return r[host] }
func (r rests) SetRest(host string, until time.Time) { r[host] = until }

// TestRests: a pause that the host requested in one Run holds in a later one.
func TestRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known, began := rests{}, time.Now()
		for n, want := range []time.Duration{0, time.Minute, time.Minute} {
			run(t, list(1, "busy"), func(context.Context, *batch.Item) (int64, error) {
				if got := time.Since(began); got != want {
					t.Errorf("run %d: got the request after %v, want %v", n, got, want)
				}
				if n > 0 {
					return 0, nil
				}
				return 0, &fetch.Error{Kind: fetch.ErrUnavailable, After: time.Minute}
			}, &batch.Options{Rests: known})
		}
	})
}

// TestPauseOfIsTheHosts: the pause is kept between any two requests to a host, however many are allowed at a time.
func TestPauseOfIsTheHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var starts []time.Time
		run(t, list(6, "slow"), func(context.Context, *batch.Item) (int64, error) {
			mu.Lock()
			starts = append(starts, time.Now())
			mu.Unlock()
			time.Sleep(150 * time.Second) // longer than the pause
			return 0, nil
		}, &batch.Options{PerHost: 3, PauseOf: func(uri.URI) time.Duration { return time.Minute }})
		for i := 1; i < len(starts); i++ {
			if gap := starts[i].Sub(starts[i-1]); gap < time.Minute {
				t.Errorf("request %d began %v after the one before, want at least a minute", i, gap)
			}
		}
		if len(starts) != 6 {
			t.Errorf("got %d requests, want 6", len(starts))
		}
	})
}

// JSON cannot hold bytes that are not UTF-8, and an IRI is the same document as its URI.
func TestFrontierOfBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frontier")
	f := frontier(t, path)
	for _, c := range []struct {
		uri   string
		added bool
	}{{"http://h/caf\xe9", true}, {"http://h/caf%E9", false}, {"http://h/мир", true}, {"http://h/%D0%BC%D0%B8%D1%80", false},
		{"http://h/\xcd\xc9\xd2", true},
		{"http://m%C3%BCnchen.example/", true}, {"http://münchen.example/", false}, {"http://xn--mnchen-3ya.example/", false}} {
		if added, err := f.Add(uri.MustParse(c.uri), nil); added != c.added || err != nil {
			t.Errorf("%q: got %t, %v, want %t", c.uri, added, err, c.added)
		}
	}
	f.Close()
	again := frontier(t, path)
	if has, err := again.Has(uri.MustParse("http://h/\xcd\xc9\xd2")); !has || err != nil || again.Len() != 4 {
		t.Errorf("got %t, %v and %d URIs, want true and 4", has, err, again.Len())
	}
}
