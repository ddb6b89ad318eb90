//go:build unix || windows

package hub_test

import (
	"context"
	"crypto/sha1"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/hub"
	"example.org/deref/uri"
)

// Follow passes earlier results, reports when it has done so, and passes later ones while the job goes on.
func TestFollow(t *testing.T) {
	waitless(t, func(t *testing.T, c *nats.Conn) {
		j := newJob(t, c, "followed", &hub.JobOptions{Partitions: 2, Lease: 2 * time.Second})
		seal(t, j)
		task := func(context.Context, *batch.Item, hub.AddFunc) (int64, error) { return 1, nil }
		work := func(pages ...int) {
			t.Helper()
			for _, n := range pages {
				if _, err := j.Add(linkedPage(n), nil); err != nil {
					t.Fatal(err)
				}
			}
			if err := j.Work(t.Context(), task, nil); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		got, ended := make(chan string, 10), make(chan error, 1)
		follow := func(ctx context.Context, fail error) {
			ended <- j.Follow(ctx, func() { got <- "current" }, func(r *hub.Result) error {
				got <- r.URI
				return fail
			})
		}
		next := func(n int) (list []string) {
			for range n {
				list = append(list, <-got)
			}
			slices.Sort(list[:max(n-1, 0)])
			return list
		}
		page := func(n int) string { return linkedPage(n).String() }
		go follow(ctx, nil)
		if list := next(1); list[0] != "current" {
			t.Errorf("got %v of a new job, want that this is all", list)
		}
		work(1, 2)
		if list := append(next(1), next(1)...); len(list) != 2 || !slices.Contains(list, page(1)) || !slices.Contains(list, page(2)) {
			t.Errorf("got %v, want the results of pages 1 and 2", list)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v at the end, want %v", err, context.Canceled)
		}
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		go follow(ctx, nil)
		if list, want := next(3), []string{page(1), page(2), "current"}; !slices.Equal(list, want) {
			t.Errorf("got %v, want %v", list, want)
		}
		work(3)
		if list, want := next(1), []string{page(3)}; !slices.Equal(list, want) {
			t.Errorf("got %v, want %v", list, want)
		}
		cancel()
		<-ended
		stop := errors.New("stop")
		go follow(t.Context(), stop)
		if err := <-ended; err != stop {
			t.Errorf("got %v, want %v", err, stop)
		}
	})
}

// A long text of an error is cut between characters.
func TestErrorText(t *testing.T) {
	waitless(t, func(t *testing.T, c *nats.Conn) {
		j := newJob(t, c, "texts", &hub.JobOptions{Partitions: 1, Lease: 2 * time.Second})
		addLast(t, j, linkedPage(1), nil)
		text := "a" + strings.Repeat("\u00fc", 200)
		task := func(context.Context, *batch.Item, hub.AddFunc) (int64, error) {
			return 0, fetch.Errorf(fetch.ErrNotFound, "%s", text)
		}
		if err := j.Work(t.Context(), task, nil); err != nil {
			t.Fatal(err)
		}
		n := 0
		if err := j.Results(t.Context(), func(r *hub.Result) error {
			if n++; r.Text != text[:199] {
				t.Errorf("got %q, want 199 bytes of %q", r.Text, text)
			}
			return nil
		}); err != nil || n != 1 {
			t.Errorf("got %d results, %v, want one", n, err)
		}
	})
}

// The log needs at most 250 bytes per URI, also if results contain what derefd notes about archives, and returns them unchanged.
func TestLogSize(t *testing.T) {
	long(t, "it records 2,000 results")
	c := connect(t)
	j := newJob(t, c, "archived", &hub.JobOptions{Partitions: 64})
	const hosts, pages, most = 40, 2000, 250
	page := func(n int) uri.URI {
		return uri.MustParse(fmt.Sprintf("ftp://ftp%d.example/pub/files/%d.txt", n%hosts, n))
	}
	want, got := map[string]string{}, map[string]string{}
	more := func(it *batch.Item) json.RawMessage {
		u := it.URI.String()
		sum := sha1.Sum([]byte(u))
		return json.RawMessage(fmt.Sprintf(`{"type":"text/plain","ms":%d,"file":"worker-20261123221530-K7PQ2A-00000.warc.gz","at":%d,"original":{"id":"<urn:uuid:%x-%x-%x-%x-%x>","date":"2026-11-23T22:%02d:%02dZ","digest":"sha1:%s"}}`,
			sum[0], int(sum[0])<<16+int(sum[1])<<8, sum[1:5], sum[5:7], sum[7:9], sum[9:11], sum[11:17], sum[17]%60, sum[18]%60, base32.StdEncoding.EncodeToString(sum[:])))
	}
	for n := range pages {
		it := &batch.Item{URI: page(n)}
		want[it.URI.String()] = string(more(it))
		if _, err := j.Add(it.URI, json.RawMessage(`{"d":1}`)); err != nil {
			t.Fatal(err)
		}
	}
	seal(t, j)
	task := func(context.Context, *batch.Item, hub.AddFunc) (int64, error) { return 811, nil }
	if err := j.Work(t.Context(), task, &hub.WorkOptions{More: more, Commit: func() error { return nil }, Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	if err := j.Results(t.Context(), func(r *hub.Result) error { got[r.URI] = string(r.More); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(got) != pages {
		t.Errorf("got %d results, want %d", len(got), pages)
	}
	for u, text := range got {
		if !same(text, want[u]) {
			t.Errorf("%s: got %s, want %s", u, text, want[u])
		}
	}
	s, err := j.Status(t.Context())
	if per := float64(s.Stored) / pages; err != nil || per > most {
		t.Errorf("got %.0f bytes for each URI, %v, want at most %d", per, err, most)
	} else {
		t.Logf("%.0f bytes for each URI", per)
	}
}

// same reports whether two texts of JSON are equal, however characters are written.
func same(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}
