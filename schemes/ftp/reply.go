package ftp

import (
	"io"
	"strings"

	"example.org/deref/fetch"
)

// A reply is one of the server's, of however many lines (RFC 959 §4.2).
type reply struct {
	code int
	text string // without codes, lines joined by LF, cut at maxText
}

// maxText bounds what is kept of a reply; all of it is read.
const maxText = 4 << 10

func (r reply) class() int { return r.code / 100 }

// first is the first line that says anything: what people are shown.
func (r reply) first() string {
	for l := range strings.SplitSeq(r.text, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			return l
		}
	}
	return ""
}

// readReply reads one reply within one deadline and one limit. A reply of several lines ends with the line that begins, in the
// first column, with the same code and a blank; what other lines hold does not matter.
func readReply(c *fetch.Conn) (reply, error) {
	c.BeginReply()
	line, err := readLine(c)
	if err != nil {
		return reply{}, err
	}
	code, more, text, ok := parseLine(line)
	if !ok {
		return reply{}, fetch.Errorf(fetch.ErrProtocol, "the server's %q is no reply of FTP", clip(line))
	}
	r := reply{code, clipText(text)}
	for more {
		if line, err = readLine(c); err != nil {
			return reply{}, err
		}
		n, dash, rest, ok := parseLine(line)
		if ok && n == code {
			more, line = dash, rest
		}
		if len(r.text)+len(line) < maxText {
			r.text += "\n" + line
		}
	}
	return r, nil
}

// readLine gives the end of the connection a kind: here it is never in order.
func readLine(c *fetch.Conn) (string, error) {
	line, err := c.ReadLine()
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return "", fetch.Errorf(fetch.ErrConnection, "the server closed the control connection: %w", io.ErrUnexpectedEOF)
	}
	return string(line), err
}

// parseLine takes a line apart: three digits, then "-" where lines follow, else a blank or nothing.
func parseLine(l string) (code int, more bool, text string, ok bool) {
	if len(l) < 3 || l[0] < '1' || l[0] > '5' || !digit(l[1]) || !digit(l[2]) {
		return 0, false, "", false
	}
	code = int(l[0]-'0')*100 + int(l[1]-'0')*10 + int(l[2]-'0')
	switch {
	case len(l) == 3:
		return code, false, "", true
	case l[3] == '-' || l[3] == ' ':
		return code, l[3] == '-', l[4:], true
	}
	return 0, false, "", false
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// clip shortens what is quoted in an error.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "..."
	}
	return s
}

func clipText(s string) string { return s[:min(len(s), maxText)] }

// fits reports whether a reply can be one to the command. The first digit decides (RFC 959 §4.2, and the diagrams of §6); the number
// only where RFC 959 §5.4 has one that belongs to other commands alone. A reply that does not fit means that replies and commands
// have lost step, and that nothing later can be believed. Negative replies fit all.
func fits(verb string, code int) bool {
	class := code / 100
	if class >= 4 {
		return true
	}
	switch verb {
	case "USER":
		return class == 2 || class == 3
	case "AUTH": // after 234 alone the server waits for a TLS handshake (RFC 4217 section 4)
		return code == 234 || class == 3
	case "PASS":
		return class == 2 || class == 3 && code != 331 && code != 350
	case "ACCT", "CWD", "TYPE", "PBSZ", "PROT":
		return class == 2
	case "SIZE", "MDTM", "PWD", "FEAT", "EPSV", "PASV", "PORT", "EPRT": // none is needed: 3yz grants nothing, and ends nothing
		return class == 2 || class == 3
	case "REST":
		return class == 3 && code != 331 && code != 332
	case "RETR", "LIST", "MLSD":
		return class == 1 || code == 226 || code == 250 // complete without a preliminary reply
	case atEnd:
		return class == 1 || class == 2
	}
	return false
}

// atEnd stands for the verb of the reply that ends a transfer.
const atEnd = "the transfer"
