package links

import (
	"bufio"
	"bytes"
	"errors"
	"html"
	"io"
	"strings"
)

// An xmlReader reads the tags and texts of an XML document, without checking that it is well-formed: feeds often are not. encoding/xml would build
// tables whenever a program starts.
type xmlReader struct {
	in   *bufio.Reader
	line int // of the current token, from 1
	next int // of the next one
}

// An xmlToken is a tag, or text.
type xmlToken struct {
	name  string // of a tag, without its namespace prefix; "" for text
	end   bool
	empty bool // <name/>
	attrs string
	text  string // decoded
	line  int
}

func newXML(r io.Reader) *xmlReader {
	return &xmlReader{in: bufio.NewReaderSize(r, 4<<10), next: 1}
}

// sheetInstruction is the Element of a link to a style sheet in a processing instruction.
const sheetInstruction = "?xml-stylesheet"

// token reads the next tag or text, or sheetInstruction. Comments, declarations and other processing instructions are skipped.
func (x *xmlReader) token() (xmlToken, error) {
	for {
		x.line = x.next
		if c, err := x.in.Peek(1); err != nil {
			return xmlToken{}, err
		} else if c[0] != '<' {
			text, err := x.until("<", false)
			return xmlToken{text: html.UnescapeString(text), line: x.line}, ignoreEOF(err)
		}
		switch begin, _ := x.in.Peek(len("<![CDATA[")); {
		case string(begin) == "<![CDATA[":
			x.in.Discard(len(begin))
			text, err := x.until("]]>", true)
			return xmlToken{text: text, line: x.line}, ignoreEOF(err)
		case bytes.HasPrefix(begin, []byte("<!--")):
			x.in.Discard(len("<!--"))
			if _, err := x.until("-->", true); err != nil {
				return xmlToken{}, err
			}
		default:
			x.in.Discard(1)
			text, err := x.until(">", true)
			if t := x.tag(text); err != nil || t.name == sheetInstruction || text != "" && text[0] != '!' && text[0] != '?' {
				return t, err
			}
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// until reads the bytes before a mark, and the mark itself if including. They are at most maxToken; the rest is skipped.
func (x *xmlReader) until(mark string, including bool) (string, error) {
	var b []byte
	for {
		if p, err := x.in.Peek(1); err != nil {
			return string(b), err
		} else if !including && p[0] == mark[0] {
			return string(b), nil
		}
		part, err := x.in.ReadSlice(mark[len(mark)-1])
		if !including && err == nil {
			x.in.UnreadByte()
			part = part[:len(part)-1]
		}
		x.next += bytes.Count(part, []byte("\n"))
		if len(b) < maxToken {
			b = append(b, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return string(b), err
		case !including:
			return string(b), nil
		case bytes.HasSuffix(b, []byte(mark)):
			return string(b[:len(b)-len(mark)]), nil
		case len(b) >= maxToken:
			return string(b), nil
		}
	}
}

// tag parses the text between "<" and ">".
func (x *xmlReader) tag(text string) xmlToken {
	t := xmlToken{line: x.line}
	text, t.end = strings.CutPrefix(text, "/")
	text, t.empty = strings.CutSuffix(text, "/")
	name, attrs, _ := strings.Cut(strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(text), " ")
	t.name, t.attrs = name[strings.LastIndexByte(name, ':')+1:], attrs
	if t.name == "" {
		t.name = "?"
	}
	return t
}

// attribute returns the value of an attribute.
func (t *xmlToken) attribute(name string) string {
	for rest := t.attrs; ; {
		key, after, found := strings.Cut(rest, "=")
		if !found {
			return ""
		}
		after = strings.TrimLeft(after, " ")
		if after == "" || after[0] != '"' && after[0] != '\'' {
			return ""
		}
		value, more, found := strings.Cut(after[1:], after[:1])
		if !found {
			return ""
		}
		if strings.TrimSpace(key) == name {
			return strings.TrimSpace(html.UnescapeString(value))
		}
		rest = more
	}
}
