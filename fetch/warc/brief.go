package warc

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

// The conversation about a document that an earlier archive has is written without most of the server's part, which that archive has, so that
// the records take less than 1 KiB.
const (
	maxBriefReply   = 60  // bytes of a server's line; longer ones are left out
	maxBriefCommand = 120 // bytes of a client's line; longer ones are left out, but not the step that announces it
	maxBrief        = 250 // bytes after which replies are left out, but for the last one
	maxBriefText    = 2048
)

// copyBrief copies a dialogue without the conditions of steps, the frames of binary protocols in words, the version of TLS, which the document's
// record has, and the content of long replies: of successive lines of the server, the first two and the last one remain.
func copyBrief(w io.Writer, r io.Reader) {
	b := brief{commands: map[string]bool{}}
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		b.add(line)
		if err != nil {
			break
		}
	}
	b.lines = append(b.lines, b.held...)
	b.write(w)
}

// A brief collects the lines of a dialogue that are worth writing again.
type brief struct {
	lines    [][]byte
	held     [][]byte // the latest line of the server, which is left out if others follow
	n        int      // successive lines of the server
	size     int      // bytes in lines
	commands map[string]bool
}

// add adds a line, or leaves it out.
func (b *brief) add(line []byte) {
	if len(line) == 0 {
		return
	}
	kind, text, _ := strings.Cut(string(line), ": ")
	if strings.HasPrefix(kind, "# ") || line[0] == '*' && (strings.HasPrefix(text, "[if ") || strings.HasPrefix(text, "[TLS ")) {
		return
	}
	if line[0] != 'S' {
		b.lines = append(b.lines, b.held...)
		b.held, b.n = nil, 0
	}
	switch {
	case line[0] == 'C' && len(line) > maxBriefCommand:
	case line[0] == 'S' && len(line) > maxBriefReply:
		b.n++
	case line[0] == 'S' && b.n >= 2:
		b.held = [][]byte{line}
	case b.size+len(line) > maxBriefText:
	default:
		if line[0] == 'C' {
			b.commands[text] = true
		}
		if line[0] == 'S' {
			b.n++
		}
		b.size += len(line)
		b.lines = append(b.lines, line)
	}
}

// write writes the lines without the steps that are followed by the command itself.
func (b *brief) write(w io.Writer) {
	size, last := 0, -1
	for i, line := range b.lines {
		if size += len(line); line[0] == 'S' {
			last = i
		}
	}
	for i, line := range b.lines {
		_, text, _ := bytes.Cut(line, []byte(": "))
		if line[0] == 'S' && size > maxBrief && i != last || line[0] == '*' && b.commands[string(text)] {
			continue
		}
		w.Write(line)
	}
}

// messageType is the type of documents whose header fields are a part of them.
const messageType = "message/rfc822"

// hasHeaderInPayload reports whether a document that is known under the same URI contains its header fields.
func (c *capture) hasHeaderInPayload(all []*Record) bool {
	return c.out.Type == messageType && len(all) > 0 && all[0].Fields.Get("WARC-Refers-To-Target-URI") == c.out.URI
}
