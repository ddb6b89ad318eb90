package mailstore

import (
	"bufio"
	"bytes"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"

	"example.org/deref/fetch/pieces"
)

// sections yields the messages of a mailbox. Each begins with a line "From sender date" after an empty line. mboxo and mboxrd put a ">"
// before lines of the text that begin with "From ". If Content-Length gives a length at which a message ends indeed (mboxcl2), such lines
// are unquoted.
func (b Folder) sections(yield func(Message, error) bool) {
	f, err := os.Open(b.Path)
	if err != nil {
		yield(Message{}, err)
		return
	}
	defer f.Close()
	for s, err := range split(f) {
		if !yield(b.message(s), err) || err != nil {
			return
		}
	}
}

func (b Folder) message(s section) Message {
	return Message{Folder: b, Name: strconv.FormatInt(s.start, 10), Size: s.end - s.start,
		Open: func() (io.ReadCloser, error) { return s.open(b.Path) }}
}

// A section is a message in a mailbox, without its From line and the empty line after it.
type section struct {
	start, end int64
	bare       bool // lines that begin with "From " are not quoted
}

func (s section) open(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{s.text(f), f}, nil
}

// text returns a reader of the message.
func (s section) text(f io.ReaderAt) io.Reader {
	r := io.NewSectionReader(f, s.start, s.end-s.start)
	if s.bare {
		return r
	}
	return pieces.NewReader((&unquoter{in: bufio.NewReader(r)}).next)
}

// split yields the messages of a mailbox.
func split(f io.ReaderAt) iter.Seq2[section, error] {
	return func(yield func(section, error) bool) {
		lines := &liner{in: bufio.NewReaderSize(io.NewSectionReader(f, 0, 1<<62), 64<<10)}
		empty, open, head := true, false, false
		var s section
		length := int64(-1)
		for {
			line, at, err := lines.next()
			if err != nil && err != io.EOF {
				yield(section{}, err)
				return
			}
			begins := err == nil && empty && isFrom(line) && (!open || at >= s.end)
			if open && (err == io.EOF || begins) {
				if s.end < at {
					s.end = at - lines.blank
				}
				if !yield(s, nil) {
					return
				}
			}
			if err == io.EOF {
				return
			}
			trimmed := bytes.TrimRight(line, "\r\n")
			switch {
			case begins:
				s, open, head, length = section{start: lines.at}, true, true, -1
			case head && len(trimmed) == 0:
				head = false
				if length >= 0 && ends(f, lines.at+length) {
					s.end, s.bare = lines.at+length, true
				}
			case head:
				if v, ok := lengthIn(trimmed); ok {
					length = v
				}
			}
			empty = len(trimmed) == 0
			lines.blank = 0
			if empty {
				lines.blank = int64(len(line))
			}
		}
	}
}

// A liner returns the beginnings of lines.
type liner struct {
	in    *bufio.Reader
	at    int64 // offset of the next line
	blank int64 // length of the empty line before it
	buf   []byte
}

// next returns a line, truncated if it is very long, and its offset.
func (l *liner) next() (line []byte, at int64, err error) {
	at = l.at
	p, err := l.in.ReadSlice('\n')
	l.buf = append(l.buf[:0], p...)
	l.at += int64(len(p))
	for err == bufio.ErrBufferFull {
		p, err = l.in.ReadSlice('\n')
		l.at += int64(len(p))
	}
	if err == io.EOF && l.at > at {
		err = nil
	}
	return l.buf, at, err
}

// mark is what a line begins with that begins a message.
const mark = "From "

// isFrom reports whether a line begins a message: it contains a time of day after "From ".
func isFrom(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte(mark))
	if !ok {
		return false
	}
	for i, c := range rest {
		if c == ':' && i > 1 && i+2 < len(rest) && digit(rest[i-1]) && digit(rest[i+1]) && digit(rest[i+2]) {
			return true
		}
	}
	return false
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// lengthIn returns the length that a line of a header gives, if it is Content-Length.
func lengthIn(line []byte) (int64, bool) {
	k, v, _ := strings.Cut(string(line[:min(len(line), 100)]), ":")
	if !strings.EqualFold(strings.TrimSpace(k), "content-length") {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 62)
	return n, err == nil && n >= 0
}

// ends reports whether a message may end at an offset: the mailbox ends there, or another message begins.
func ends(f io.ReaderAt, at int64) bool {
	p := make([]byte, 200)
	n, err := f.ReadAt(p, at-1) // the byte before must exist
	if n == 0 {
		return false
	}
	p = bytes.TrimLeft(p[1:n], "\r\n")
	return err == io.EOF && len(p) == 0 || isFrom(p)
}

// An unquoter removes one ">" from lines that begin with any number of them and "From ".
type unquoter struct {
	in   *bufio.Reader
	text bool // within a line, after its ">"
}

// next returns a ">", or the rest of a line, or a part of a long one.
func (u *unquoter) next() ([]byte, error) {
	if p, _ := u.in.Peek(len(">" + mark)); !u.text && len(p) > 0 && p[0] == '>' {
		_, err := u.in.Discard(1)
		if u.text = string(p[1:]) == mark; !u.text {
			return p[:1], err
		}
	}
	b, err := u.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		err = nil
	}
	u.text = len(b) > 0 && b[len(b)-1] != '\n'
	return b, err
}
