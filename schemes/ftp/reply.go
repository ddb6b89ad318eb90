package ftp

import (
	"strings"

	"github.com/jlaffaye/ftp"

	"example.org/deref/fetch"
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
	code, more, text, ok := parseLine(string(line))
	if !ok {
		return reply{}, fetch.Errorf(fetch.ErrProtocol, "not an FTP reply: %q", clip(string(line)))
	}
	r := reply{code, text[:min(len(text), maxText)]}
	for more {
		if line, err = c.ReadLine(); err != nil {
			return reply{}, err
		}
		text := string(line)
		if n, dash, rest, ok := parseLine(text); ok && n == code {
			more, text = dash, rest
		}
		if len(r.text)+len(text) < maxText {
			r.text += "\n" + text
		}
	}
	return r, nil
}

// parseLine splits a line: three digits, then "-" if more lines follow, otherwise a blank or nothing.
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

// clip shortens a quotation in an error.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "..."
	}
	return s
}

// fits reports whether a reply can be the reply to the command. The first digit decides (RFC 959 §4.2, and the diagrams of §6). The
// number counts only where RFC 959 §5.4 reserves it for other commands. A reply that does not fit means that commands and replies are
// out of step, so that nothing later can be believed. Negative replies fit all commands.
func fits(verb string, code int) bool {
	class := code / 100
	if class >= 4 {
		return true
	}
	switch verb {
	case "USER":
		return class == 2 || class == 3
	case "AUTH": // after 234 alone the server waits for a TLS handshake (RFC 4217 section 4)
		return code == ftp.StatusAuthOK || class == 3
	case "PASS":
		return class == 2 || class == 3 && code != ftp.StatusUserOK && code != ftp.StatusRequestFilePending
	case "ACCT", "CWD", "TYPE", "PBSZ", "PROT":
		return class == 2
	case "SIZE", "MDTM", "PWD", "FEAT", "OPTS", "HASH", "XSHA256", "EPSV", "PASV", "PORT", "EPRT": // 3yz is like a refusal
		return class == 2 || class == 3
	case "REST":
		return class == 3 && code != ftp.StatusUserOK && code != ftp.StatusLoginNeedAccount
	case "RETR", "LIST", "MLSD": // 2yz: complete without a preliminary reply
		return class == 1 || code == ftp.StatusClosingDataConnection || code == ftp.StatusRequestedFileActionOK
	case atEnd:
		return class == 1 || class == 2
	}
	return false
}

// atEnd stands for the verb of the reply that ends a transfer.
const atEnd = "the transfer"
