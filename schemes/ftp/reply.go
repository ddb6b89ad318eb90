package ftp

import (
	"strconv"
	"strings"

	"github.com/jlaffaye/ftp"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
)

// A reply is a reply of the server, of however many lines (RFC 959 §4.2).
type reply struct {
	code int
	text string // without codes, lines joined by LF, cut at maxText
}

// maxText bounds how much of a reply is kept. All of it is read.
const maxText = 4 << 10

func (r reply) class() int { return r.code / 100 }

// first returns the first line that is not blank, which is shown to users. It is the usual text of the code if all lines are blank.
func (r reply) first() string {
	for l := range strings.SplitSeq(r.text, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			return l
		}
	}
	return ftp.StatusText(r.code)
}

// readReply reads one reply within one deadline and one limit.
func readReply(c *fetch.Conn) (reply, error) {
	c.BeginReply()
	return readLines(c)
}

// readLines reads the lines of one reply. A reply of several lines ends with the line that begins, in the first column, with the same
// code and a blank. Other lines may contain anything.
func readLines(c *fetch.Conn) (reply, error) {
	line, err := c.ReadLine()
	if err != nil {
		return reply{}, err
	}
	code, more, text, ok := lineproto.CutReply(string(line))
	if !ok {
		return reply{}, fetch.Errorf(fetch.ErrProtocol, "not an FTP reply: %q", clip(string(line)))
	}
	r := reply{code, text[:min(len(text), maxText)]}
	for more {
		if line, err = c.ReadLine(); err != nil {
			return reply{}, err
		}
		text := string(line)
		if n, dash, rest, ok := lineproto.CutReply(text); ok && n == code {
			more, text = dash, rest
		}
		if len(r.text)+len(text) < maxText {
			r.text += "\n" + text
		}
	}
	return r, nil
}

// clip shortens a quotation in an error.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "..."
	}
	return s
}

// positive has, for each command, the positive replies that fit it, those that the specification has, and its section. What fits besides is a
// deviation.
//
// The first digit decides what fits (RFC 959 §4.2, and the diagrams of §6). The number counts only where RFC 959 §5.4 reserves it for other
// commands. A reply that does not fit means that commands and replies are out of step, so that nothing later can be believed. After 234 alone the
// server waits for a TLS handshake (RFC 4217 §4). 3yz to a question, or to a request for a data connection, is like a refusal. 2yz to a transfer
// means that it is complete without a preliminary reply; 250 leaves the data connection open, but closing it is how the file ends.
const positive = `connecting          |               | 120 or 220               | RFC 959 section 5.4
USER                | 2 3           | 230 or 331 or 332        | RFC 959 section 5.4
PASS                | 2 3 -331 -350 | 202 or 230 or 332        | RFC 959 section 5.4
ACCT                | 2             | 202 or 230               | RFC 959 section 5.4
CWD                 | 2             | 250                      | RFC 959 section 5.4
PWD                 | 2 3           | 257                      | RFC 959 section 5.4
TYPE                | 2             | 200                      | RFC 959 section 5.4
PORT                | 2 3           | 200                      | RFC 959 section 5.4
PASV                | 2 3           | 227                      | RFC 959 section 5.4
REST                | 3 -331 -332   | 350                      | RFC 959 section 5.4
RETR, LIST          | 1 226 250     | 125 or 150               | RFC 959 section 5.4
the transfer        | 1 2           | 110 or 125 or 150 or 226 | RFC 959 section 5.2
MLSD                | 1 226 250     | 125 or 150               | RFC 3659 section 7.2
EPSV                | 2 3           | 229                      | RFC 2428 section 3
EPRT                | 2 3           | 200                      | RFC 2428 section 2
SIZE                | 2 3           | 213                      | RFC 3659 section 4.1
MDTM                | 2 3           | 213                      | RFC 3659 section 3.1
FEAT                | 2 3           | 211                      | RFC 2389 section 3.2
OPTS, HASH, XSHA256 | 2 3           |                          |
AUTH                | 3 234         | 234                      | RFC 4217 section 4
PBSZ, PROT          | 2             | 200                      | RFC 4217 section 9
`

// replyRule returns the columns about a command.
func replyRule(verb string) (fitting, codes, section string) {
	for line := range strings.Lines(positive) {
		verbs, rest, _ := strings.Cut(line, "|")
		for v := range strings.SplitSeq(verbs, ",") {
			if strings.TrimSpace(v) == verb {
				fitting, rest, _ = strings.Cut(rest, "|")
				codes, section, _ = strings.Cut(rest, "|")
				return fitting, strings.TrimSpace(codes), strings.TrimSpace(section)
			}
		}
	}
	return "", "", ""
}

// fits reports whether a reply can be the reply to the command. Negative replies fit all commands.
func fits(verb string, code int) bool {
	fitting, _, _ := replyRule(verb)
	text, ok := strconv.Itoa(code), code >= 400
	for prefix := range strings.FieldsSeq(fitting) {
		if not, is := strings.CutPrefix(prefix, "-"); is && not == text {
			return false
		}
		ok = ok || strings.HasPrefix(text, prefix)
	}
	return ok
}

// atEnd stands for the verb of the reply that ends a transfer.
const atEnd = "the transfer"

// greeted stands for the verb before the greeting.
const greeted = "connecting"
