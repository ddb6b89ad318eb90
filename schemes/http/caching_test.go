package http_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
	"example.org/deref/schemes/http/cache"
	"example.org/deref/uri"
)

// TestCachingCases runs the cases of testdata/caching.txt, which describes its format, in a bubble, where no time passes. The number of
// cases of each kind is that of the project from which they come.
func TestCachingCases(t *testing.T) {
	if testing.Short() {
		t.Skip("asks many servers")
	}
	all, err := readCachingCases("testdata/caching.txt")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, c := range all {
		if !strings.HasPrefix(c.name, "own/") {
			count[c.kind]++
			count[c.standing]++
		}
		if c.standing == notApplicable {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { c.run(t) })
		})
	}
	for what, want := range map[string]int{"required": 163, "optimal": 107, "check": 100} {
		if count[what] != want {
			t.Errorf("%d cases are %s, want %d", count[what], what, want)
		}
	}
	t.Logf("%d cases as expected, %d differ, %d are not applicable", count[asExpected], count[differing], count[notApplicable])
}

// How a case applies to the cache.
const (
	asExpected    = "as expected"
	differing     = "differs"
	notApplicable = "n/a"
)

// A cachingCase is one block of the file.
type cachingCase struct {
	name, kind, standing string
	steps                []*cachingStep
}

// A cachingStep is one request, the server's response to it, and the expected result.
type cachingStep struct {
	wait                time.Duration // before it
	method, query       string
	fields              []string // "Name: value", as set by the user
	interim             []string
	status, body        string
	header              []string
	closes              bool
	pause               time.Duration
	want, ours, request []string
}

func readCachingCases(file string) (all []*cachingCase, err error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var c *cachingCase
	var s *cachingStep
	for i, line := range strings.Split(string(b), "\n") {
		mark, text, _ := strings.Cut(line, " ")
		switch {
		case mark == "" || mark == "#":
		case mark == "@":
			words := strings.SplitN(text, " ", 5)
			if len(words) < 3 || len(words) == 4 {
				return nil, fmt.Errorf("line %d: %q", i+1, line)
			}
			s = &cachingStep{}
			c = &cachingCase{name: words[0] + "/" + words[1], kind: words[2], standing: asExpected, steps: []*cachingStep{s}}
			if len(words) == 5 {
				c.standing = words[3]
			}
			all = append(all, c)
		case mark == "--" || mark == "~":
			s = &cachingStep{}
			if mark == "~" {
				s.wait, err = time.ParseDuration(text)
			}
			c.steps = append(c.steps, s)
		default:
			err = s.add(mark, text)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return all, nil
}

func (s *cachingStep) add(mark, text string) (err error) {
	switch first, _, _ := strings.Cut(text, " "); {
	case mark == ">" && text == "HEAD":
		s.method = text
	case mark == ">" && strings.HasPrefix(text, "?"):
		s.query = text
	case mark == ">":
		s.fields = append(s.fields, text)
	case mark == "^":
		s.interim = append(s.interim, text)
	case mark == "<" && text == "close":
		s.closes = true
	case mark == "<" && first == "after":
		s.pause, err = time.ParseDuration(strings.TrimPrefix(text, "after "))
	case mark == "<" && strings.HasPrefix(text, "|"):
		s.body = text[1:]
	case mark == "<" && strings.HasSuffix(first, ":"):
		s.header = append(s.header, text)
	case mark == "<":
		s.status = text
	case mark == "=":
		s.want = append(s.want, text)
	case mark == "!":
		s.ours = append(s.ours, text)
	case mark == "?":
		s.request = append(s.request, text)
	default:
		err = fmt.Errorf("%q is not allowed in a case", mark+" "+text)
	}
	return err
}

// delay waits as long as the server does before it responds.
func (s *cachingStep) delay() { time.Sleep(s.pause) }

func (c *cachingCase) run(t *testing.T) {
	time.Sleep(time.Until(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))) // the bubble's clock starts in 2000
	store, err := cache.Open(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	server := &cachingServer{steps: c.steps, sent: make([]nethttp.Header, len(c.steps)), bodies: make([]string, len(c.steps))}
	client := fetch.New(http.Schemes(&http.Config{Cache: store})...)
	client.Dialer = func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go server.serve(far)
		return near, nil
	}
	defer client.Close()
	differs := false
	for i, s := range c.steps {
		time.Sleep(s.wait)
		server.at, server.requests, server.answered = i, nil, nil
		got := dereference(client, s)
		want := s.want
		if len(s.ours) > 0 && server.isAsWanted(got, s) {
			t.Errorf("step %d: got what others expect, want our results %q, which differ", i+1, s.ours)
		}
		for _, expected := range s.ours {
			differs = true
			if fault := server.compare(got, expected); fault != "" {
				t.Errorf("step %d: got %s, want our result %q", i+1, fault, expected)
			}
			want = nil
		}
		for _, expected := range want {
			if fault := server.compare(got, expected); fault != "" {
				t.Errorf("step %d: got %s, want %q", i+1, fault, expected)
			}
		}
		for _, expected := range s.request {
			if fault := server.lacks(expected); fault != "" && len(s.ours) == 0 {
				t.Errorf("step %d: got %s, want %q in the request", i+1, fault, expected)
			}
		}
	}
	if differs != (c.standing == differing) {
		t.Errorf("the case %s: got results of ours %v, want %v", c.standing, differs, c.standing == differing)
	}
}

// isAsWanted reports whether a step has the result that the test suite expects.
func (s *cachingServer) isAsWanted(a answer, step *cachingStep) bool {
	for _, expected := range step.want {
		if s.compare(a, expected) != "" {
			return false
		}
	}
	for _, expected := range step.request {
		if s.lacks(expected) != "" {
			return false
		}
	}
	return true
}

// An answer is the client's result of a step.
type answer struct {
	doc    *fetch.Document
	body   string
	status int
	err    error
}

func dereference(client *fetch.Client, s *cachingStep) (a answer) {
	o := &fetch.Options{NoFollow: true, Set: map[string][]string{}}
	if s.method == "HEAD" {
		o.Op = fetch.Metadata
	}
	for _, f := range s.fields {
		name, value, _ := strings.Cut(f, ":")
		switch name {
		case "Cookie":
			o.Set["http.cookie"] = append(o.Set["http.cookie"], strings.TrimSpace(value))
		case "Range":
			o.Range = rangeOf(strings.TrimSpace(value))
		default:
			o.Set["http.header"] = append(o.Set["http.header"], f)
		}
	}
	a.doc, a.err = client.Get(context.Background(), uri.MustParse("http://server.example/page"+s.query), o)
	if a.doc == nil {
		if e, ok := errors.AsType[*fetch.Error](a.err); ok {
			a.status = e.Status
		}
		return a
	}
	defer a.doc.Body.Close()
	a.status = a.doc.Status
	b, err := io.ReadAll(a.doc.Body)
	a.body = string(b)
	if a.err == nil {
		a.err = err
	}
	return a
}

// rangeOf parses the value of Range, for which the client has an option.
func rangeOf(value string) (r fetch.Range) {
	first, last, _ := strings.Cut(strings.TrimPrefix(value, "bytes="), "-")
	if first == "" {
		n, _ := strconv.ParseInt(last, 10, 64)
		return fetch.Range{From: -n}
	}
	r.From, _ = strconv.ParseInt(first, 10, 64)
	if n, err := strconv.ParseInt(last, 10, 64); err == nil {
		r.To = n + 1
	}
	return r
}

// compare describes how a differs from one expectation. It returns "" if it does not.
func (s *cachingServer) compare(a answer, expected string) string {
	first, rest, _ := strings.Cut(expected, " ")
	name, isField := strings.CutSuffix(first, ":")
	switch asked := len(s.requests); {
	case expected == "used":
		return s.isUsed(a)
	case expected == "asked" && (asked == 0 || s.answered[asked-1] == 304 || a.doc != nil && a.body != s.bodies[s.at]):
		return fmt.Sprintf("%d requests, answered %v, body %q, %v", asked, s.answered, a.body, a.err)
	case expected == "asked":
	case expected == "etag" || expected == "date":
		return s.isConfirmed(a, expected)
	case expected == "unasked" && asked > 0:
		return fmt.Sprintf("%d requests", asked)
	case expected == "unasked":
	case expected == "none" && a.doc != nil:
		return fmt.Sprintf("%d %q", a.status, a.body)
	case expected == "none":
	case first == "status" && strconv.Itoa(a.status) != rest, first == "body" && a.body != rest:
		return fmt.Sprintf("%d %q, %v", a.status, a.body, a.err)
	case first == "status" || first == "body":
	case a.doc == nil:
		return fmt.Sprintf("no document: %v", a.err)
	case strings.HasPrefix(expected, "!"):
		if got := a.doc.Header.Values(expected[1:]); len(got) > 0 {
			return fmt.Sprintf("%q", got)
		}
	case strings.HasPrefix(rest, "> "):
		least, _ := strconv.Atoi(rest[2:])
		if got, err := strconv.Atoi(a.doc.Header.Get(first)); err != nil || got <= least {
			return fmt.Sprintf("%q", a.doc.Header.Get(first))
		}
	case isField:
		if rest == "as sent" {
			rest = s.sent[0].Get(name)
		}
		if got := strings.Join(a.doc.Header.Values(name), ", "); got != rest {
			return fmt.Sprintf("%q, want %q", got, rest)
		}
	default:
		if len(a.doc.Header.Values(expected)) == 0 {
			return fmt.Sprintf("%v", a.doc.Header)
		}
	}
	return ""
}

// isUsed checks that the result is an earlier response. The server may have received a request if it did not return the document.
func (s *cachingServer) isUsed(a answer) string {
	for i, asked := range s.answered {
		if asked < 500 && !s.steps[s.at].closes {
			return fmt.Sprintf("the server was asked %d times, and answered %d", i+1, asked)
		}
	}
	if s.at == 0 || a.doc != nil && s.steps[s.at].fieldOf("Range") == "" && a.body != s.bodies[s.at-1] && a.body != s.bodies[0] {
		return fmt.Sprintf("body %q, want %q", a.body, s.bodies)
	}
	if a.doc == nil && (a.status < 400 || strconv.Itoa(a.status) != strings.Fields(s.steps[0].status + " x")[0]) {
		return fmt.Sprintf("%d: %v", a.status, a.err)
	}
	if a.doc != nil && a.doc.Header.Get("Age") == "" {
		return "no Age" // RFC 9111 section 5.1
	}
	return ""
}

// isConfirmed checks that the server received a conditional request, and that the stored response is the result.
func (s *cachingServer) isConfirmed(a answer, by string) string {
	field := map[string]string{"etag": "If-None-Match", "date": "If-Modified-Since"}[by]
	if len(s.requests) != 1 || s.answered[0] != 304 || s.requests[0].Header.Get(field) == "" || a.err != nil || a.body != s.bodies[0] {
		return fmt.Sprintf("%d requests, answered %v; body %q, %v", len(s.requests), s.answered, a.body, a.err)
	}
	return ""
}

// lacks describes what the first request of the step has instead of a field or method. It returns "" if it has it.
func (s *cachingServer) lacks(expected string) string {
	if len(s.requests) == 0 {
		return "no request"
	}
	r := s.requests[0]
	name, value, isField := strings.Cut(expected, ": ")
	switch {
	case !isField && r.Method != expected:
		return r.Method
	case isField && strings.Join(r.Header.Values(name), ", ") != value:
		return fmt.Sprintf("%q", r.Header.Values(name))
	}
	return ""
}

func (s *cachingStep) fieldOf(name string) string {
	for _, f := range s.fields {
		if n, value, _ := strings.Cut(f, ": "); n == name {
			return value
		}
	}
	return ""
}
