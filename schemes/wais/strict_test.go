package wais

import (
	"encoding/base64"
	"io"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/schemes/wais/internal/z3950"
	"example.org/deref/uri"
)

// TestStrict: strict mode reports bytes between frames, and an empty frame that a smaller request makes good.
func TestStrict(t *testing.T) {
	text := script(ask(0, defaultChunk), []byte{}, ask(0, smallChunk))
	text += "S= " + base64.StdEncoding.EncodeToString(append([]byte("\r\n"), z3950.Frame(answer("hi"))...)) + "\n"
	parsed, err := dialogue.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := dialogue.NewPlayer(parsed, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	c := fetch.New(Scheme())
	defer c.Close()
	p.Attach(c)
	var got []string
	d, err := c.Get(t.Context(), uri.MustParse("wais://h/db/TEXT/x"), &fetch.Options{Strict: func(d fetch.Deviation) { got = append(got, d.String()) }})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	if b, err := io.ReadAll(d.Body); err != nil || string(b) != "hi" {
		t.Errorf("got %q, %v, want the text", b, err)
	}
	want := []string{
		"the response: an empty frame instead of a diagnostic (Z39.50-1988, SearchResponse)",
		"the response: 2 bytes before the header (WAIS message header)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
