package warc

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"

	"example.org/deref/fetch"
)

// hiddenNames are the forms in which a conversation contains the name of a user: as it is, and in the base 64 of AUTH LOGIN.
type hiddenNames [][]byte

// namesIn returns the names to be hidden in the conversation of p: those of its login and of its URI, but not those that everybody uses.
func namesIn(p *fetch.Plan) (list hiddenNames) {
	named, _, _ := p.URI.User()
	for _, user := range [...]string{p.Options.Login.User, named} {
		user, _, _ = strings.Cut(user, ";") // ;AUTH=..., RFC 5092 section 3.2
		if user == "" || strings.EqualFold(user, "anonymous") || strings.EqualFold(user, "ftp") {
			continue
		}
		list = append(list, []byte(user), []byte(base64.StdEncoding.EncodeToString([]byte(user))))
	}
	return list
}

// hide blanks the names in b where they are not part of a longer word. In frames, which contain lengths, the blanks are as long as the name.
func (l hiddenNames) hide(b []byte, inFrames bool) []byte {
	for _, name := range l {
		blank := []byte("***")
		if inFrames {
			blank = bytes.Repeat([]byte("*"), len(name))
		}
		for at := 0; ; {
			i := bytes.Index(b[at:], name)
			if i < 0 {
				break
			}
			i += at
			end := i + len(name)
			if i > 0 && isNameByte(b[i-1]) || end < len(b) && isNameByte(b[end]) {
				at = i + 1
				continue
			}
			b = slices.Concat(b[:i], blank, b[end:])
			at = i + len(blank)
		}
	}
	return b
}

func (l hiddenNames) hideText(s string) string {
	if len(l) == 0 {
		return s
	}
	return string(l.hide([]byte(s), false))
}

// isNameByte reports whether c continues a word.
func isNameByte(c byte) bool {
	return c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// hideIn returns e without the names. Documents are never changed.
func (l hiddenNames) hideIn(e fetch.Event) fetch.Event {
	if len(l) == 0 || e.Body {
		return e
	}
	e.Data, e.Note = l.hide(e.Data, !e.Text), l.hideText(e.Note)
	if e.Step != nil {
		s := *e.Step
		s.Args, s.Tail, s.Data = l.hideAll(s.Args), l.hideAll(s.Tail), l.hideText(s.Data)
		e.Step = &s
	}
	e.Frames = l.hideAll(e.Frames)
	return e
}

func (l hiddenNames) hideAll(texts []string) []string {
	texts = slices.Clone(texts)
	for i := range texts {
		texts[i] = l.hideText(texts[i])
	}
	return texts
}
