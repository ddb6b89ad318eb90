package promises_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/uri"
)

// TestStrict plays the dialogues of testdata/strict. Strict mode reports each deviation once, in the options' function and in the trace, and
// changes nothing else. The bubble has the effect that a dialogue that does not fit fails at once, and that a loaded machine delays nothing.
func TestStrict(t *testing.T) {
	transcripts(t, "testdata/strict/*.txt", func(t *testing.T, p transcript) {
		begin := time.Now()
		plain, _, _ := p.play(t, false)
		between := time.Now()
		got, list, noted := p.play(t, true)
		if took, want := time.Since(between), between.Sub(begin); took != want {
			t.Errorf("strict mode takes %v, want %v as without it", took, want)
		}
		if got != plain {
			t.Errorf("got %s, want the same as without strict mode: %s", got, plain)
		}
		slices.Sort(p.deviations)
		if !slices.Equal(list, p.deviations) {
			t.Errorf("got the deviations\n\t%s\nwant\n\t%s\nThe result is %s", strings.Join(list, "\n\t"), strings.Join(p.deviations, "\n\t"), got)
		}
		if !slices.Equal(noted, list) {
			t.Errorf("the trace has %q, want %q", noted, list)
		}
	})
}

// play returns the result, and the deviations that were reported to Options.Strict and to Options.Trace.
func (p transcript) play(t *testing.T, strict bool) (result string, list, noted []string) {
	t.Helper()
	player, err := dialogue.NewPlayer(p.script, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t)
	player.Attach(c)
	u, o := uri.MustParse(p.uri), p.options
	o.Trace = func(e fetch.Event) {
		if e.Deviation != nil {
			noted = append(noted, e.Deviation.String())
			if want := "deviation: " + e.Deviation.String(); e.Note != want {
				t.Errorf("got the note %q, want %q", e.Note, want)
			}
		}
	}
	if strict {
		o.Strict = func(d fetch.Deviation) {
			list = append(list, d.String())
			if want := u.WithoutPassword(); d.URI != want {
				t.Errorf("got the URI %s, want %s", d.URI, want)
			}
		}
	}
	var d *fetch.Document
	if u.Scheme() == "mailto" {
		_, err = c.Send(t.Context(), u, nil, &o)
	} else {
		d, err = c.Get(t.Context(), u, &o)
	}
	var text string
	if d != nil && err == nil {
		text, err = readStrict(d)
		d.Body.Close()
	}
	c.Close()
	player.Close()
	slices.Sort(list) // the order depends on how much is read at a time
	slices.Sort(noted)
	return fmt.Sprint(text, " ", err), list, noted
}

// readStrict reads d as a listing if it is one, and as bytes otherwise.
func readStrict(d *fetch.Document) (string, error) {
	if d.Entries == nil {
		b, err := io.ReadAll(d.Body)
		return string(b), err
	}
	var text string
	for e, err := range d.Entries {
		if err != nil {
			return text, err
		}
		text += e.Title + " " + e.URI.String() + "\n"
	}
	return text, nil
}
