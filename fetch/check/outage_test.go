package check

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/retry"
	"example.org/deref/uri"
)

// A script is a Getter whose responses depend on the time since it was made.
type script struct {
	began  time.Time
	accept Statuses
	at     []time.Duration // of the requests
	reply  func(u uri.URI, at time.Duration) (fetch.Quota, error)
}

func (s *script) Get(ctx context.Context, u uri.URI, o *fetch.Options) (*fetch.Document, error) {
	if u.Scheme() == "data" {
		return listOf(u), nil
	}
	at := time.Since(s.began)
	s.at = append(s.at, at)
	quota, err := s.reply(u, at)
	fetch.ReportQuota(ctx, u, quota)
	if err != nil {
		return nil, err
	}
	d := fetch.NewDocument(io.NopCloser(strings.NewReader("x")))
	d.URI, d.Type = u, "text/plain"
	return d, nil
}

func (s *script) Plan(uri.URI, *fetch.Options) (*fetch.Plan, error) { return nil, nil }

// listOf returns a document that links to http://h/0 and so on; u contains the number.
func listOf(u uri.URI) *fetch.Document {
	text, n := "", 0
	fmt.Sscanf(u.String(), "data:,%d", &n)
	for i := range n {
		text += fmt.Sprintf("http://h/%d\n", i)
	}
	d := fetch.NewDocument(io.NopCloser(strings.NewReader(text)))
	d.URI, d.Type = u, "text/plain"
	return d
}

// checked checks n links of one host, one at a time.
func (s *script) checked(t *testing.T, n, retries int) (map[Verdict]int64, time.Duration) {
	s.began = time.Now()
	o := &Options{Accept: s.accept, Batch: batch.Options{Parallel: 1, PerHost: 1, Retry: retry.Policy{Retries: retries}}}
	sum, err := Run(t.Context(), s, []uri.URI{uri.MustParse(fmt.Sprintf("data:,%d", n))}, o)
	if err != nil {
		t.Error(err)
	}
	return sum.Verdicts, time.Since(s.began)
}

// TestFailuresOfPages: many pages with status 500, and timeouts, say nothing about the others.
func TestFailuresOfPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{reply: func(u uri.URI, _ time.Duration) (fetch.Quota, error) {
			switch path := string(u.Path()); {
			case len(path) == 2: // /0 to /9
				return fetch.Quota{}, &fetch.Error{Kind: fetch.ErrUnavailable, Status: 500, Text: "500"}
			case path < "/3":
				return fetch.Quota{}, &fetch.Error{Kind: fetch.ErrTimeout, Pending: fetch.Pending{Phase: fetch.PendingReply}}
			}
			return fetch.Quota{}, nil
		}}
		got, _ := s.checked(t, 60, 0)
		if got[Unreachable] != 30 || got[OK] != 30 {
			t.Errorf("got %v, want 30 unreachable and 30 ok", got)
		}
	})
}

// TestHostsAreTriedAgain: the links of a host that is down are tested after half a minute, and given up after that.
func TestHostsAreTriedAgain(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
	}{
		{"connect", fetch.Errorf(fetch.ErrConnect, "refused")},
		{"503", &fetch.Error{Kind: fetch.ErrUnavailable, Status: 503, Text: "503"}},
	} {
		for _, down := range []time.Duration{20 * time.Second, time.Hour} {
			t.Run(fmt.Sprint(tt.name, " for ", down), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := &script{reply: func(_ uri.URI, at time.Duration) (fetch.Quota, error) {
						if at < down {
							return fetch.Quota{}, tt.err
						}
						return fetch.Quota{}, nil
					}}
					got, took := s.checked(t, 50, 1)
					want := map[bool]int64{true: 45, false: 0}[down < time.Minute]
					if got[OK] < want || got[OK]+got[Unreachable] != 50 || took > 3*time.Minute {
						t.Errorf("got %v in %v, want at least %d ok within 3 minutes", got, took, want)
					}
				})
			})
		}
	}
}

// TestRateLimit: no request is sent while the server accepts none.
func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := 5
		s := &script{reply: func(_ uri.URI, at time.Duration) (fetch.Quota, error) {
			if left == 0 && at < 40*time.Second {
				t.Errorf("a request at %v, want none before the reset", at)
			}
			left = max(0, left-1)
			return fetch.Quota{Remaining: int64(left), Reset: 40*time.Second - at}, nil
		}}
		got, took := s.checked(t, 8, 1)
		if got[OK] != 8 || took < 40*time.Second {
			t.Errorf("got %v in %v, want 8 ok after 40s", got, took)
		}
	})
}

// TestAdaptiveRate: a host that refuses requests which come too fast gets pauses, and every link is tested, also if a refusal is accepted.
func TestAdaptiveRate(t *testing.T) {
	for _, accept := range []Statuses{nil, {{from: 200, to: 429}}} {
		synctest.Test(t, func(t *testing.T) {
			last := -time.Hour
			refused := 0
			s := &script{accept: accept, reply: func(_ uri.URI, at time.Duration) (fetch.Quota, error) {
				wait := at - last
				if last = at; wait < 400*time.Millisecond {
					refused++
					return fetch.Quota{}, &fetch.Error{Kind: fetch.ErrUnavailable, Status: 429, Busy: true, Text: "429"}
				}
				return fetch.Quota{}, nil
			}}
			got, _ := s.checked(t, 100, 1)
			if got[OK] != 100 || refused > 30 {
				t.Errorf("accepted %v: got %v with %d refusals, want 100 ok with at most 30 at %v", accept, got, refused, slices.Max(s.at))
			}
		})
	}
}
