package gemtext

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/deref/fetch"
)

func collect(r io.Reader, most int, prompts bool) (list []Line, err error) {
	for l, e := range Lines(r, most, prompts) {
		if e != nil {
			return list, e
		}
		list = append(list, l)
	}
	return list, nil
}

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		in      string
		prompts bool
		want    Line
	}{
		{"# Birds", false, Line{Text: "# Birds", Rank: 1}},
		{"=> /owl The  owl", false, Line{Text: "The  owl", Link: "/owl"}},
		{"=>/owl\tThe owl", false, Line{Text: "The owl", Link: "/owl"}}, // the space after the mark is optional
		{"=>\t /owl ", false, Line{Text: "/owl", Link: "/owl"}},
		{"=>", false, Line{Text: "=>"}},
		{"=> ", false, Line{Text: "=> "}},
		{" => /owl", false, Line{Text: " => /owl"}}, // only at the beginning of a line
		{"=: /find Which?", false, Line{Text: "=: /find Which?"}},
		{"=: /find Which?", true, Line{Text: "Which?", Link: "/find", Prompt: true}},
		{"", false, Line{}},
		{"* item\r", false, Line{Text: "* item"}},
	} {
		got, err := collect(strings.NewReader(tt.in+"\n"), 0, tt.prompts)
		if err != nil || len(got) != 1 || got[0] != tt.want {
			t.Errorf("%q: %+v, %v, want %+v", tt.in, got, err, tt.want)
		}
	}
}

func TestVerbatim(t *testing.T) {
	got, err := collect(strings.NewReader("=> /a\n```alt\n=> /b\n```\n=> /c"), 0, false)
	want := []Line{{Text: "/a", Link: "/a"}, {Text: "=> /b", Verbatim: true, Alt: "alt"}, {Text: "/c", Link: "/c"}}
	if err != nil || len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestHeadings(t *testing.T) {
	got, err := collect(strings.NewReader("# A\n##B\n####c\n```\n# d\n```"), 0, false)
	if err != nil || len(got) != 4 || got[0] != (Line{Text: "# A", Rank: 1}) || got[1].Rank != 2 || got[2].Rank != 3 || got[3].Rank != 0 {
		t.Errorf("got %+v, %v, want ranks 1, 2, 3, 0", got, err)
	}
}

func TestErrors(t *testing.T) {
	if got, err := collect(strings.NewReader("short\n"+strings.Repeat("x", 100)), 50, false); len(got) != 1 || fetch.KindOf(err) != fetch.ErrLimit {
		t.Errorf("got %+v, %v, want the first line and %v", got, err, fetch.ErrLimit)
	}
	if _, err := collect(iotest.ErrReader(io.ErrUnexpectedEOF), 0, false); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

// FuzzLines checks that links are not empty and contain no spaces, and that no line is longer than allowed.
func FuzzLines(f *testing.F) {
	f.Add("=> /a b\n```\n=>\n", true)
	f.Fuzz(func(t *testing.T, in string, prompts bool) {
		const most = 64
		lines := strings.Split(strings.ReplaceAll(in, "\r\n", "\n"), "\n")
		got, err := collect(strings.NewReader(in), most, prompts)
		if len(got) > len(lines) {
			t.Fatalf("got %d lines, want at most %d", len(got), len(lines))
		}
		if err != nil && fetch.KindOf(err) != fetch.ErrLimit {
			t.Fatal(err)
		}
		for _, l := range got {
			if len(l.Text) > most+2 || strings.ContainsAny(l.Link, " \t\n") || l.Prompt && (!prompts || l.Link == "") || strings.Contains(l.Text, "\n") {
				t.Errorf("%q: got %+v, want a line of at most %d bytes whose link is one word", in, l, most)
			}
		}
	})
}
