package render

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mediatype"
)

// IsBoardText reports whether d, by the suffix of its name, is a text of a bulletin board, and its type is not that of something else. It has a text
// view, although its type may be that of binary data.
func IsBoardText(d *fetch.Document) bool {
	kind := mediatype.Essence(d.Type)
	switch kind {
	case "text/x-ansi":
		return true
	case "", "application/octet-stream", "text/plain", "text/x-nfo":
		path := d.URI.Path().Decode()
		switch strings.ToLower(path[strings.LastIndexAny(path, "./")+1:]) {
		case "ans", "diz", "nfo":
			return true
		}
	}
	return false
}

// boardText is textBody and what is known about the charset. A text of a bulletin board has no control sequences and ends before what its author
// appended (SAUCE). If no charset is declared, it is UTF-8 or that of the PC.
func boardText(d *fetch.Document) (text io.Reader, source charset.Source, err error) {
	source = d.Source()
	if !IsBoardText(d) {
		text, err = textBody(d)
		return text, source, err
	}
	beginning, all, err := charset.Peek(d.Body)
	if err != nil {
		return nil, source, err
	}
	if bytes.IndexByte(beginning, 0) >= 0 {
		d.Body = fetch.NewBody(all, d.Body.Close)
		text, err = textBody(d)
		return text, source, err
	}
	if source.Chosen == "" && charset.LabelOf(source.Type) == "" && source.Label(beginning) != charset.UTF8 {
		source.Type = "text/plain; charset=ibm437"
	}
	return unsequenced(all), source, nil
}

// unsequenced leaves out the control sequences that a text begins with ESC [ (ECMA-48 section 5.4), and ends at Control-Z.
func unsequenced(r io.Reader) io.Reader {
	return &filter{bufio.NewReader(r), func(in *bufio.Reader, c byte) bool {
		switch c {
		case esc:
			if next, _ := in.Peek(1); string(next) == "[" {
				skip(in)
				return true
			}
		case 0x1a:
			in.Reset(strings.NewReader(""))
			return true
		}
		return false
	}}
}

// skip skips the rest of a control sequence: the bracket, parameters and the final byte.
func skip(in *bufio.Reader) {
	in.Discard(1)
	for {
		next, err := in.Peek(1)
		if err != nil || next[0] < ' ' || next[0] > '~' {
			return
		}
		in.Discard(1)
		if next[0] >= '@' {
			return
		}
	}
}
