package htmltext

import (
	"errors"
	"io"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
	"github.com/clipperhouse/displaywidth"
)

func TestHead(t *testing.T) {
	far := strings.Repeat("x", HeadSize)
	for _, c := range []struct{ page, base, search string }{
		{"", "http://h/d/p", ""},
		{"<title>x</title>no more", "http://h/d/p", ""},
		{"<base href='http://o/x/y'><a href=z>", "http://o/x/y", ""},
		{"<head><BASE HREF=../b/>", "http://h/b/", ""},
		{"<base href=http://o/x/y><base href=http://p/>", "http://o/x/y", ""},
		{"<template><base href=http://o/></template><base href=data:,x><base href=http://p/>", "http://h/d/p", ""},
		{"<base target=_top>", "http://h/d/p", ""},
		{"<isindex>", "http://h/d/p", "http://h/d/p"},
		{"<base href=/b><isindex><form action=f><input name=q></form>", "http://h/b", "http://h/b"},
		{"<body><form action=f><input name=q></form><isindex>", "http://h/d/p", "http://h/d/f?q="},
		{"<form action=f><input name=q>", "http://h/d/p", "http://h/d/f?q="},
		{"<!-- <isindex> --><script>'<isindex>'</script>", "http://h/d/p", ""},
		{far + "<base href=/b><isindex>", "http://h/d/p", ""},
	} {
		u := uri.MustParse("http://h/d/p")
		d := &fetch.Document{URI: u, Base: u, Body: io.NopCloser(strings.NewReader(c.page))}
		Head(d)
		if d.Base.String() != c.base || d.Search.String() != c.search {
			t.Errorf("%.80s: got base %s, search %s, want %s, %s", c.page, d.Base, d.Search, c.base, c.search)
		}
		if b, err := io.ReadAll(d.Body); string(b) != c.page || err != nil {
			t.Errorf("%.80s: got %d bytes, %v, want all %d", c.page, len(b), err, len(c.page))
		}
	}
}

func TestHeadOfBrokenPage(t *testing.T) {
	broken := fetch.Errorf(fetch.ErrTruncated, "broke")
	page := func() *fetch.Document {
		return &fetch.Document{Base: uri.MustParse("http://h/"),
			Body: io.NopCloser(io.MultiReader(strings.NewReader("<isindex>"), failing{broken}))}
	}
	d := page()
	Head(d)
	if b, err := io.ReadAll(d.Body); string(b) != "<isindex>" || err != broken || d.Search.IsZero() {
		t.Errorf("got %q, %v and search %s, want %q, %v and a search", b, err, d.Search, "<isindex>", broken)
	}
	d = page()
	Head(d)
	var b strings.Builder
	if _, err := io.Copy(&b, d.Body); b.String() != "<isindex>" || !errors.Is(err, fetch.ErrTruncated) {
		t.Errorf("copied: got %q, %v, want %q, truncated", b.String(), err, "<isindex>")
	}
}

// moved is a Body that records whether its WriteTo is called.
type moved struct {
	io.ReadCloser
	asked bool
}

func (m *moved) WriteTo(w io.Writer) (int64, error) {
	m.asked = true
	return io.Copy(w, m.ReadCloser)
}

func TestHeadKeepsTheFastWay(t *testing.T) {
	m := &moved{ReadCloser: io.NopCloser(strings.NewReader(strings.Repeat("<p>", HeadSize)))}
	d := &fetch.Document{Body: m}
	Head(d)
	if n, err := io.Copy(io.Discard, d.Body); n != 3*HeadSize || err != nil || !m.asked {
		t.Errorf("got %d bytes, %v, WriteTo called %v, want %d bytes by WriteTo", n, err, m.asked, 3*HeadSize)
	}
}

// Lines are as wide as the terminal shows them: a Chinese character takes two cells, a combining mark none.
func TestLinesAreMeasuredInCells(t *testing.T) {
	decomposed := strings.Repeat("e\u0301e\u0301e\u0301 ", 10) // 39 cells
	for in, want := range map[string]string{
		decomposed + "x":                     strings.TrimSpace(decomposed) + "\nx\n",
		strings.Repeat("漢", 20) + "字":        strings.Repeat("漢", 20) + "\n字\n",
		strings.Repeat("漢", 20) + "。字":       strings.Repeat("漢", 19) + "\n漢。字\n",
		strings.Repeat("漢", 19) + "「字」":      strings.Repeat("漢", 19) + "\n「字」\n",
		strings.Repeat("漢字漢字漢字 ", 4):         "漢字漢字漢字 漢字漢字漢字 漢字漢字漢字\n漢字漢字漢字\n",
		"<ul><li>" + strings.Repeat("漢", 20): "  * " + strings.Repeat("漢", 18) + "\n    漢漢\n",
		"<h1>漢字</h1>":                        "漢字\n====\n",
	} {
		if got := render(t, in, "http://h/"); got != want {
			t.Errorf("%s:\ngot  %q\nwant %q", in, got, want)
		}
	}
}

// A text without blanks is not cut within a character.
func TestLongTextWithoutBlanks(t *testing.T) {
	text := strings.Repeat("漢字x", 5000)
	got := render(t, text, "http://h/")
	if joined := strings.ReplaceAll(got, "\n", ""); joined != text {
		t.Errorf("got %d bytes of text, want %d unchanged", len(joined), len(text))
	}
	for line := range strings.Lines(got) {
		if n := displaywidth.String(strings.TrimSuffix(line, "\n")); n > 40 {
			t.Fatalf("got a line of %d cells, want at most 40", n)
		}
	}
}
