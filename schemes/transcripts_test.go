package schemes_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/schemes"
	"example.org/deref/schemes/http"
	"example.org/deref/uri"
)

// A transcript is a file of testdata/peers, testdata/strict or testdata/pending: a dialogue, and comments with the request and the expected
// results.
type transcript struct {
	source     string // the project of the test, and the behavior of its client
	uri        string
	options    fetch.Options
	times      int // how often the URI is requested; 1 if the file does not say
	outcomes   []string
	deviations []string
	pending    []string // "LINE: what a timeout before that line of the server names"
	text       string
	script     *dialogue.Script
}

// readTranscript parses a file.
func readTranscript(t *testing.T, text string) transcript {
	t.Helper()
	p := transcript{text: text, times: 1, options: fetch.Options{Set: map[string][]string{}}}
	for line := range strings.Lines(text) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "# ")
		key, value, isField := strings.Cut(comment, ": ")
		if !ok || !isField {
			continue
		}
		switch key {
		case "source":
			p.source = value
		case "uri":
			p.uri = value
		case "from":
			p.options.Range.From = number(t, value)
		case "to":
			p.options.Range.To = number(t, value)
		case "same":
			p.options.IfSame.Tag = value
		case "since":
			p.options.IfChanged.Modified = value
		case "tag":
			p.options.IfChanged.Tag = value
		case "size":
			p.options.IfChanged.Size = number(t, value)
		case "follow":
			p.options.NoFollow = value == "no"
		case "login":
			p.options.Login.User, p.options.Login.Password, p.options.Login.Set = strings.Cut(value, ":")
		case "set":
			k, v, _ := strings.Cut(value, "=")
			p.options.Set[k] = append(p.options.Set[k], v)
		case "times":
			p.times = int(number(t, value))
		case "outcome":
			p.outcomes = append(p.outcomes, value)
		case "deviation":
			p.deviations = append(p.deviations, value)
		case "pending":
			p.pending = append(p.pending, value)
		default:
			t.Errorf("unknown field %q", key)
		}
	}
	var err error
	if p.script, err = dialogue.Parse(text); err != nil {
		t.Fatal(err)
	}
	return p
}

// transcripts calls f for each of the files, in a bubble.
func transcripts(t *testing.T, pattern string, f func(*testing.T, transcript)) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	root, _, _ := strings.Cut(pattern, "*")
	for _, file := range files {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), root), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) { f(t, readTranscript(t, string(text))) })
		})
	}
}

func number(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func outcome(t *testing.T, c *fetch.Client, u string, o *fetch.Options) string {
	d, err := c.Get(t.Context(), uri.MustParse(u), o)
	if d == nil {
		return "error " + string(fetch.KindOf(err))
	}
	var out strings.Builder
	if d.Entries != nil && d.Type != "message/rfc822" {
		for e, rerr := range d.Entries {
			if rerr != nil {
				err = errors.Join(err, rerr)
				break
			}
			fmt.Fprintf(&out, " %s %q", e.Kind, e.Title)
			if e.URI.String() == "" {
				out.WriteString(" without URI")
			}
		}
	} else {
		b, rerr := io.ReadAll(d.Body)
		err = errors.Join(err, rerr)
		fmt.Fprintf(&out, " %q", b)
	}
	err = errors.Join(err, d.Body.Close())
	what := d.Type
	if d.NotModified {
		what = "not modified"
	}
	if d.Offset > 0 {
		what += fmt.Sprintf(" from %d", d.Offset)
	}
	if final := d.URI.String(); final != u {
		what += " of " + final
	}
	if err != nil {
		what += " error " + string(fetch.KindOf(err))
	}
	return what + out.String()
}

// newClient returns a client with every scheme and a cookie jar, which accepts any certificate on first use.
func newClient(t *testing.T) *fetch.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(schemes.All(&schemes.Config{HTTP: &http.Config{Jar: jar}})...)
	c.FirstUse = func(string, tls.ConnectionState, error) error { return nil }
	return c
}

// TestPeers plays the servers of other projects' tests: Python's dummy servers, hoodiecrow, wget's testenv and tests, libwww-perl.
func TestPeers(t *testing.T) {
	transcripts(t, "testdata/peers/*/*.txt", func(t *testing.T, p transcript) {
		if p.source == "" || len(p.outcomes) == 0 {
			t.Fatal("the file has no source or no outcome")
		}
		player, err := dialogue.NewPlayer(p.script, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := newClient(t)
		player.Attach(c)
		var got []string
		for range p.times {
			o := p.options
			got = append(got, outcome(t, c, p.uri, &o))
		}
		c.Close()
		if err := player.Close(); err != nil {
			t.Errorf("the dialogue deviates: %v", err)
		}
		if got, want := strings.Join(got, "\n"), strings.Join(p.outcomes, "\n"); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", p.source, got, want)
		}
	})
}
