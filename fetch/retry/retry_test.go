package retry_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"example.org/deref/fetch"
	"example.org/deref/fetch/retry"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script is a Getter for an object that breaks off as scripted, with one turn per request.
type script struct {
	data  []byte
	valid fetch.Validator
	turns []turn // one for each request; later requests succeed
	noREST,
	noParts bool
	asked []fetch.Range
	at    []time.Duration
	began time.Time
}

type turn struct {
	err     error // at once
	after   int   // the body breaks off after this many bytes
	with    error
	changed bool // the object is changed from here on
	page    bool // that of a refusal, with status 503
}

func (s *script) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if s.noParts && o != nil && !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrRange, "no parts")
	}
	return &fetch.Plan{URI: u}, nil
}

func (s *script) Get(ctx context.Context, u uri.URI, o *fetch.Options) (*fetch.Document, error) {
	if s.began.IsZero() {
		s.began = time.Now()
	}
	var r fetch.Range
	if o != nil {
		r = o.Range
	}
	s.asked, s.at = append(s.asked, r), append(s.at, time.Since(s.began))
	var t turn
	if len(s.turns) > 0 {
		t, s.turns = s.turns[0], s.turns[1:]
	}
	if t.err != nil {
		return nil, t.err
	}
	if t.changed {
		s.data, s.valid.Tag = bytes.ToUpper(s.data), "other"
	}
	if t.page {
		d := fetch.NewDocument(io.NopCloser(bytes.NewReader([]byte("come back later"))))
		d.Refusal = fetch.Errorf(fetch.ErrUnavailable, "503")
		return d, nil
	}
	from := r.From
	if o != nil && !o.IfSame.IsZero() && o.IfSame.Tag != s.valid.Tag || s.noREST {
		from = 0
	}
	rest := io.Reader(bytes.NewReader(s.data[from:]))
	if t.with != nil {
		rest = io.MultiReader(io.LimitReader(rest, int64(t.after)), failing{t.with})
	}
	d := fetch.NewDocument(io.NopCloser(rest))
	d.URI, d.Offset, d.Validator, d.Size = u, from, s.valid, int64(len(s.data))
	d.Validator.Size = d.Size
	return d, nil
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func cut() error { return fetch.Errorf(fetch.ErrTruncated, "the connection broke") }

// TestABodyGoesOnWhereItBroke: a Body is continued, but never with another version of the object.
func TestABodyGoesOnWhereItBroke(t *testing.T) {
	const text = "0123456789abcdefghijklmnopqrstuvwxyz"
	down := turn{err: fetch.Errorf(fetch.ErrConnect, "refused")}
	tag := fetch.Validator{Tag: "v1"}
	for _, test := range []struct {
		name    string
		valid   fetch.Validator
		turns   []turn
		retries int
		noREST  bool
		asked   []fetch.Range
		got     string
		want    fetch.Kind
	}{
		{"nothing breaks", tag, nil, 3, false, []fetch.Range{{}}, text, ""},
		{"twice", tag, []turn{{after: 10, with: cut()}, {after: 5, with: cut()}}, 3, false, []fetch.Range{{}, {From: 10}, {From: 15}}, text, ""},
		{"and cannot be reached in between", tag, []turn{{after: 10, with: cut()}, down, down}, 3, false,
			[]fetch.Range{{}, {From: 10}, {From: 10}, {From: 10}}, text, ""},
		{"at once, then in the middle", tag, []turn{down, {after: 10, with: cut()}}, 2, false, []fetch.Range{{}, {}, {From: 10}}, text, ""},
		{"too often", tag, []turn{{after: 10, with: cut()}, down, down, down}, 2, false, []fetch.Range{{}, {From: 10}, {From: 10}}, text[:10],
			fetch.ErrConnect},
		{"before the first byte", tag, []turn{{with: cut()}}, 1, false, []fetch.Range{{}, {}}, text, ""},
		{"before the first byte, then refused with a page", tag, []turn{{with: cut()}, {page: true}}, 2, false, []fetch.Range{{}, {}, {}}, text, ""},
		{"refused with a page in the middle", tag, []turn{{after: 10, with: cut()}, {page: true}}, 2, false, []fetch.Range{{}, {From: 10}, {From: 10}}, text, ""},
		{"changed", tag, []turn{{after: 10, with: cut()}, {changed: true}}, 3, false, []fetch.Range{{}, {From: 10}}, text[:10],
			fetch.ErrTruncated},
		{"parts ignored", tag, []turn{{after: 10, with: cut()}}, 3, true, []fetch.Range{{}, {From: 10}}, text[:10], fetch.ErrTruncated},
		{"nothing to know it by", fetch.Validator{}, []turn{{after: 10, with: cut()}}, 3, false, []fetch.Range{{}}, text[:10],
			fetch.ErrTruncated},
		{"nothing but a weak tag to know it by", fetch.Validator{Tag: `W/"v1"`}, []turn{{after: 10, with: cut()}}, 3, false, []fetch.Range{{}},
			text[:10], fetch.ErrTruncated},
		{"what does not pass", tag, []turn{{after: 10, with: fetch.Errorf(fetch.ErrProtocol, "?")}}, 3, false, []fetch.Range{{}}, text[:10],
			fetch.ErrProtocol},
		{"not asked for", tag, []turn{{after: 10, with: cut()}}, 0, false, []fetch.Range{{}}, text[:10], fetch.ErrTruncated},
	} {
		for _, way := range []string{"Read", "WriteTo"} {
			t.Run(test.name+" "+way, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := &script{data: []byte(text), valid: test.valid, turns: test.turns, noREST: test.noREST}
					d, err := retry.New(s, retry.Policy{Retries: test.retries}).Get(t.Context(), uri.MustParse("test://h/x"), nil)
					if err != nil {
						t.Fatal(err)
					}
					var got []byte
					if way == "Read" {
						got, err = io.ReadAll(d.Body)
					} else {
						var b bytes.Buffer
						_, err = io.Copy(&b, d.Body)
						got = b.Bytes()
					}
					d.Body.Close()
					if string(got) != test.got || fetch.KindOf(err) != test.want || (err == nil) != (test.want == "") {
						t.Errorf("%q, %v; want %q, %s", got, err, test.got, test.want)
					}
					if len(s.asked) != len(test.asked) {
						t.Fatalf("asked for %v, want %v", s.asked, test.asked)
					}
					for i := range s.asked {
						if s.asked[i] != test.asked[i] {
							t.Errorf("asked for %v, want %v", s.asked, test.asked)
						}
					}
				})
			})
		}
	}
}

// TestAllInABody: Policy.All holds for the rest of a body, too.
func TestAllInABody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := turn{err: fetch.Errorf(fetch.ErrNotFound, "for a moment")}
		s := &script{data: []byte("hello"), valid: fetch.Validator{Tag: "v1"}, turns: []turn{{after: 2, with: cut()}, gone}}
		d, err := retry.New(s, retry.Policy{Retries: 3, All: true}).Get(t.Context(), uri.MustParse("test://h/x"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(d.Body); string(b) != "hello" || err != nil {
			t.Errorf("got %q, %v; want hello", b, err)
		}
	})
}

// TestAnErrorOfTheWriterIsNotTheServers: a full disk is not a reason to retry.
func TestAnErrorOfTheWriterIsNotTheServers(t *testing.T) {
	s := &script{data: []byte("hello"), valid: fetch.Validator{Tag: "v1"}}
	d, err := retry.New(s, retry.Policy{Retries: 3}).Get(t.Context(), uri.MustParse("test://h/x"), nil)
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("full")
	if _, err := io.Copy(failingWriter{full}, d.Body); err != full || len(s.asked) != 1 {
		t.Errorf("got %v after %d requests, want the writer's error after one", err, len(s.asked))
	}
}

type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }

// TestFileKeepsWhatHasArrived: with and without ranges and validators, the file is complete in the end.
func TestFileKeepsWhatHasArrived(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 1<<15) // 512 KiB
	for _, test := range []struct {
		name   string
		script script
		last   fetch.Range // of the last request
		asked  int
	}{
		{"validator", script{valid: fetch.Validator{Tag: "v1"}}, fetch.Range{From: 300_000}, 2},
		{"no validator", script{}, fetch.Range{From: 300_000 - 64<<10}, 2}, // the last 64 KiB are compared
		{"no parts", script{noParts: true}, fetch.Range{}, 2},
		{"changed", script{valid: fetch.Validator{Tag: "v1"}}, fetch.Range{From: 300_000}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "x")
			if err := os.WriteFile(path, data[:100_000], 0o600); err != nil { // an old one, which must not be continued
				t.Fatal(err)
			}
			s := test.script
			s.data = data
			s.turns = []turn{{after: 300_000, with: cut()}, {changed: test.name == "changed"}}
			policy := retry.Policy{Retries: 2, Delay: time.Millisecond}
			r, err := policy.File(t.Context(), &s, uri.MustParse("test://h/x"), nil, &save.Options{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			got, _ := os.ReadFile(path)
			if !bytes.Equal(got, s.data) || r.Size != int64(len(data)) {
				t.Errorf("got %d other bytes, want %d", len(got), len(data))
			}
			if len(s.asked) != test.asked || s.asked[len(s.asked)-1] != test.last {
				t.Errorf("got the requests %v, want %d, the last %v", s.asked, test.asked, test.last)
			}
			if names, _ := os.ReadDir(dir); len(names) != 1 {
				t.Errorf("left: got %v, want len(names) 1", names)
			}
		})
	}
}

// TestWaitsGrow: about 1, 2, 4 ... seconds, each plus or minus half of it, up to a bound; and no retry begins after MaxTime.
func TestWaitsGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := fetch.Errorf(fetch.ErrUnavailable, "503")
		s := retry.Policy{Retries: 12}.Begin(time.Now())
		for i := range 12 {
			wait, again := s.Next(busy)
			about := min(time.Second<<i, 2*time.Minute)
			if !again || wait < about/2 || wait > about*3/2 {
				t.Errorf("wait %d: got %v, %v; want again true, wait >= %v and wait <= %v", i, wait, again, about/2, about*3/2)
			}
		}
		if _, again := s.Next(busy); again {
			t.Error("got one retry more than allowed")
		}
		tries, began := 0, time.Now()
		err := retry.Policy{Retries: 1000, MaxTime: 20 * time.Second}.Do(t.Context(), func(n int) error {
			if n != tries {
				t.Errorf("got number %d, want %d", n, tries)
			}
			tries++
			return busy
		})
		if took := time.Since(began); took > 20*time.Second || tries < 4 || tries > 7 || !errors.Is(err, fetch.ErrUnavailable) {
			t.Errorf("got %d tries in %v: %v, want took <= %v, tries >= 4, tries <= 7 and ErrUnavailable", tries, took, err, 20*time.Second)
		}
	})
}

// TestDelay: a Delay replaces the growing waits, and a negative one is none. The server's own request of a pause is respected.
func TestDelay(t *testing.T) {
	busy := fetch.Errorf(fetch.ErrUnavailable, "503")
	later := &fetch.Error{Kind: fetch.ErrUnavailable, Text: "503", After: time.Minute}
	for delay, want := range map[time.Duration]time.Duration{time.Hour: time.Hour, -1: 0} {
		s := retry.Policy{Retries: 3, Delay: delay}.Begin(time.Now())
		for _, c := range []struct {
			err  error
			want time.Duration
		}{{busy, want}, {later, time.Minute}, {busy, want}} {
			if wait, again := s.Next(c.err); !again || wait != c.want {
				t.Errorf("Delay %v: got %v, %v; want %v", delay, wait, again, c.want)
			}
		}
	}
}

// TestCancelEndsTheWait: canceling ends a long pause at once.
func TestCancelEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		began := time.Now()
		err := retry.Policy{Retries: 9, Delay: time.Hour}.Do(ctx, func(int) error { return fetch.Errorf(fetch.ErrConnect, "refused") })
		if time.Since(began) != 100*time.Millisecond || fetch.KindOf(err) != fetch.ErrConnect {
			t.Errorf("got %v after %v, want at once", err, time.Since(began))
		}
	})
}

// TestPromise7LoginStaysWithItsHost: the rest of a document is requested as the document was, so that a login is not sent to where a referral led.
func TestPromise7LoginStaysWithItsHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parts := 0
		moved := fetch.Scheme{Names: []string{"a"}, Rules: uri.Rules{Hierarchical: true, DefaultPort: 7000}, Does: fetch.Does{Retrieves: true, Refers: true}, MayReferTo: []string{"a"}}
		moved.Plan = func(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
			return &fetch.Plan{Run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
				if u.Hostname() == "h" {
					d := fetch.NewDocument(nil)
					d.Referrals = []fetch.Referral{{URI: uri.MustParse("a://other/x")}}
					return d, nil
				}
				if o.Login.Set {
					t.Errorf("got %+v for %s, want no login", o.Login, u)
				}
				d := fetch.NewDocument(io.NopCloser(bytes.NewReader([]byte("56789"))))
				if d.Validator.Tag, d.Offset = "v1", o.Range.From; parts == 0 {
					d.Body = io.NopCloser(io.MultiReader(bytes.NewReader([]byte("01234")), failing{cut()}))
				}
				parts++
				return d, nil
			}}, nil
		}
		c := fetch.New(moved)
		defer c.Close()
		d, err := retry.New(c, retry.Policy{Retries: 1}).Get(t.Context(), uri.MustParse("a://h/x"), &fetch.Options{Login: fetch.GivenLogin("ann", "sesame")})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Body.Close()
		if got, err := io.ReadAll(d.Body); string(got) != "0123456789" || err != nil {
			t.Errorf("got %q, %v; want the whole", got, err)
		}
	})
}
