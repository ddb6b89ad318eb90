// Package gemtext parses text/gemini, by whatever scheme it is served, and holds what the schemes that serve it share. These lines have a meaning to
// a program:
//
//	# Birds                          a heading; ## and ### are lower levels
//	=> /birds/owl.gmi The owl        a link with its label
//	=: /birds/find Which bird?       spartan: a link that needs input
//	``` A map                        starts a block of verbatim lines, with its alternative text, or ends one
package gemtext

import (
	"bufio"
	"io"
	"iter"
	"math"
	"strings"

	"example.org/deref/fetch"
)

// A Line is one line.
type Line struct {
	Text   string // the raw line; for a link its label, or its reference if it has no label
	Link   string // the reference as written; "" for text
	Prompt bool   // the link needs input
	Rank   int    // of a heading, 1 to 3; 0 for other lines

	Verbatim bool   // a line of a verbatim block
	Alt      string // the alternative text of the block
}

// Lines yields the lines of r except those that start or end a verbatim block. prompts allows links that begin with "=:". A line may have
// most bytes; 0 means no limit, and a longer one is an error of kind limit. An error is yielded last, with an empty Line.
func Lines(r io.Reader, most int, prompts bool) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		in := bufio.NewScanner(r)
		if in.Buffer(nil, math.MaxInt32); most > 0 {
			in.Buffer(nil, most+2)
		}
		verbatim, alt := false, ""
		for in.Scan() {
			line := in.Text()
			if after, ok := strings.CutPrefix(line, "```"); ok {
				verbatim, alt = !verbatim, strings.TrimSpace(after)
				continue
			}
			l := Line{Text: line, Verbatim: true, Alt: alt}
			if !verbatim {
				l = read(line, prompts)
			}
			if !yield(l, nil) {
				return
			}
		}
		if err := fetch.LineError(in.Err(), most); err != nil {
			yield(Line{}, err)
		}
	}
}

// read parses a line outside of verbatim blocks.
func read(line string, prompts bool) Line {
	prompt := prompts && strings.HasPrefix(line, "=:")
	switch {
	case strings.HasPrefix(line, "#"):
		return Line{Text: line, Rank: min(3, len(line)-len(strings.TrimLeft(line, "#")))}
	case !prompt && !strings.HasPrefix(line, "=>"):
		return Line{Text: line}
	}
	link, label := strings.Trim(line[2:], " \t"), ""
	if i := strings.IndexAny(link, " \t"); i >= 0 {
		link, label = link[:i], strings.TrimLeft(link[i:], " \t")
	}
	if link == "" {
		return Line{Text: line}
	}
	if label == "" {
		label = link
	}
	return Line{Text: label, Link: link, Prompt: prompt}
}
