//go:build unix

package external

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/uri"
)

func examples(t *testing.T) *Config {
	cfg := &Config{}
	for _, name := range []string{"x-hello", "x-count"} {
		path, err := filepath.Abs(filepath.Join("testdata", "deref-scheme-"+name))
		if err != nil {
			t.Fatal(err)
		}
		cfg.Programs = append(cfg.Programs, Program{name, path, []string{"PATH=" + os.Getenv("PATH")}})
	}
	return cfg
}

// shell makes a program of a few lines of shell.
func shell(t *testing.T, text string) *Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "deref-scheme-x-test")
	// A program that another test starts at this moment would inherit the open file, and a file open for writing cannot be executed.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return &Config{[]Program{{"x-test", path, []string{"PATH=/usr/bin:/bin"}}}}
}

func get(c *fetch.Client, s string, o *fetch.Options) (*fetch.Document, string, error) {
	d, err := c.Get(context.Background(), uri.MustParse(s), o)
	if d == nil {
		return nil, "", err
	}
	defer d.Body.Close()
	b, rerr := io.ReadAll(d.Body)
	return d, string(b), errors.Join(err, rerr)
}

// TestExamples runs the examples in shell and Python.
func TestExamples(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed: apt-get install python3")
	}
	c := fetch.New(Schemes(examples(t))...)
	c.Policy.AllowX = true
	for _, e := range []struct {
		uri, body string
		kind      fetch.Kind
	}{
		{"x-hello://world", "hello, world\n", ""},
		{"x-hello://-rf", "", fetch.ErrNotFound},
		{"x-count:3", "1\n2\n3\n", ""},
		{"x-count:one", "1\n", ""},
		{"x-count:x", "", fetch.ErrRefusedURL},
		{"x-count:list", `{"uri":"x-count:1","title":"up to 1","kind":"file"}
{"uri":"x-count:2","title":"up to 2","kind":"file"}
{"uri":"x-count:3","title":"up to 3","kind":"file"}
`, ""},
	} {
		_, body, err := get(c, e.uri, nil)
		if body != e.body || fetch.KindOf(err) != e.kind {
			t.Errorf("%s: got %q, %v, want %q, kind %q", e.uri, body, err, e.body, e.kind)
		}
	}
}

// The steps that a program sends are steps of the trace.
func TestTrace(t *testing.T) {
	var steps []string
	o := &fetch.Options{Trace: func(e fetch.Event) {
		if e.Step != nil {
			steps = append(steps, e.Step.Line())
		}
	}}
	d, _, err := get(fetch.New(Schemes(examples(t))...), "x-hello://a", o)
	want := []string{"run deref-scheme-x-hello", "greet a"}
	if err != nil || d.Type != "text/plain" || !slices.Equal(steps, want) {
		t.Errorf("got steps %q, document %+v, %v, want %q and text/plain", steps, d, err, want)
	}
}

// A referral to an x- scheme is followed only if the user allows it.
func TestReferralsNeedPermission(t *testing.T) {
	c := fetch.New(Schemes(shell(t, "echo refer x-test:b; echo done"))...)
	if _, _, err := get(c, "x-test:a", nil); fetch.KindOf(err) != fetch.ErrRedirect {
		t.Errorf("got %v, want kind %s", err, fetch.ErrRedirect)
	}
}

// TestFailures: the programs that sleep longer than any test are killed.
func TestFailures(t *testing.T) {
	t.Parallel()
	for text, kind := range map[string]fetch.Kind{
		"exit 0":                                     fetch.ErrProtocol,
		"echo no good >&2; exit 3":                   fetch.ErrLocal,
		"echo what is this":                          fetch.ErrProtocol,
		"echo size -1":                               fetch.ErrProtocol,
		"echo error denied; echo x":                  fetch.ErrProtocol, // determined by us, not by the program
		"echo error auth who are you":                fetch.ErrAuth,
		"echo refer nowhere":                         fetch.ErrProtocol,
		"echo done; echo more":                       fetch.ErrProtocol,
		"echo refer http://h/; echo document":        fetch.ErrProtocol,
		"echo document; echo a; exit 1":              fetch.ErrTransfer,
		"echo size 5; echo document; echo a":         fetch.ErrTruncated,
		"echo size 1; echo document; echo aaaa":      fetch.ErrProtocol,
		"echo step a; sleep 100000":                  fetch.ErrTimeout,
		"echo document; echo a; sleep 100000":        fetch.ErrTimeout,
		"sleep 100000 & echo document; echo a; wait": fetch.ErrTimeout, // its child processes end, too
		"while :; do echo step aaaaaaaaaaaa; done":   fetch.ErrLimit,
		"tr '\\0' a </dev/zero":                      fetch.ErrLimit,
		"kill -9 $$":                                 fetch.ErrLocal,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel() // some wait
			c := fetch.New(Schemes(shell(t, text))...)
			c.Timeouts.Idle = 30 * time.Second
			if kind == fetch.ErrTimeout {
				c.Timeouts.Idle = 300 * time.Millisecond
			}
			c.Limits.Reply = 64 << 10
			if _, _, err := get(c, "x-test:a", nil); fetch.KindOf(err) != kind {
				t.Errorf("got %v, want kind %s", err, kind)
			}
		})
	}
	missing := &Config{[]Program{{"x-test", "/nonexistent/program", nil}}}
	if _, _, err := get(fetch.New(Schemes(missing)...), "x-test:a", nil); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("missing program: got %v, want kind %s", err, fetch.ErrLocal)
	}
}

// TestPausedReader: a program whose document nobody reads for a while, as in a pager, is not silent.
func TestPausedReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		x := &process{pipe: r, idle: time.Minute, stop: func() { w.Close() }}
		go w.Write([]byte("ab"))
		for range 2 {
			if n, err := (output{x}).Read(make([]byte, 1)); n != 1 || err != nil {
				t.Errorf("got %d bytes, %v, want one", n, err)
			}
			time.Sleep(time.Hour)
		}
		if x.silent.Load() {
			t.Error("it is silent after an hour in which nobody read")
		}
		if n, err := (output{x}).Read(make([]byte, 1)); n != 0 || err != io.EOF || !x.silent.Load() {
			t.Errorf("got %d bytes, %v, want none after a minute of silence", n, err)
		}
	})
}

// TestNoLimits: negative Limits are none.
func TestNoLimits(t *testing.T) {
	c := fetch.New(Schemes(shell(t, "echo type a/b; echo document; echo x"))...)
	c.Limits.Line, c.Limits.Reply = -1, -1
	if _, body, err := get(c, "x-test:a", nil); err != nil || body != "x\n" {
		t.Errorf("got %q, %v", body, err)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	c := fetch.New(Schemes(shell(t, "sleep 100000"))...)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := c.Get(ctx, uri.MustParse("x-test:a"), nil)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "the request took too long") {
		t.Errorf("got %v, want DeadlineExceeded", err)
	}
	c = fetch.New(Schemes(shell(t, "echo document; echo a; sleep 100000"))...)
	var d *fetch.Document
	for wait := 50 * time.Millisecond; d == nil && t.Context().Err() == nil; wait *= 2 { // a busy machine may not have started the program
		ctx, cancel = context.WithTimeout(t.Context(), wait)
		defer cancel()
		d, err = c.Get(ctx, uri.MustParse("x-test:a"), nil)
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}
	if _, err := io.ReadAll(d.Body); fetch.KindOf(err) != fetch.ErrTimeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("within the document: got %v, want DeadlineExceeded", err)
	}
	c = fetch.New(Schemes(shell(t, "echo step a; sleep 100000"))...)
	ctx, stop := context.WithCancel(context.Background())
	if _, err := c.Get(ctx, uri.MustParse("x-test:a"), &fetch.Options{Trace: func(fetch.Event) { stop() }}); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: got %v, want %v", err, context.Canceled)
	}
}

// No part of the URI is on the program's command line or in its environment, and CR, LF and NUL do not end its line.
func TestNoArguments(t *testing.T) {
	c := fetch.New(Schemes(shell(t, "echo document; echo $# $HOME $DEREF_TEST; cat"))...)
	t.Setenv("DEREF_TEST", "leaks")
	_, body, err := get(c, "x-test:--help%0Aop%20evil", nil)
	if want := "0\nderef 1\nuri x-test:--help%0Aop%20evil\nop retrieve\n\n"; err != nil || body != want {
		t.Errorf("got %q, %v, want %q", body, err, want)
	}
}

func TestMetadata(t *testing.T) {
	c := fetch.New(Schemes(shell(t, "echo type a/b; echo size 9; echo document; sleep 100000"))...)
	d, body, err := get(c, "x-test:a", &fetch.Options{Op: fetch.Metadata})
	if err != nil || body != "" || d.Size != 9 || d.Type != "a/b" {
		t.Errorf("got %q, %+v, %v, want no body, type a/b, size 9", body, d, err)
	}
}

func TestConformance(t *testing.T) {
	fetchtest.Test(t, Schemes(examples(t))[0],
		fetchtest.Case{URI: "x-hello://world", Live: true, Type: "text/plain", End: fetch.EndTerminated, Body: "hello, world\n"},
		fetchtest.Case{URI: "x-hello://A", Live: true, Err: fetch.ErrNotFound})
}
