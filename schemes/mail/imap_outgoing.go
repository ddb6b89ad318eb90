package mail

import (
	"bytes"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// An outgoing checks what the library sends. The library writes its commands itself, so this is the last check before the socket: it
// accepts the planned command once, as one line with its literals, and the responses within AUTHENTICATE.
type outgoing struct {
	planned string // the verb of the command that is due, "" for none
	line    []byte // sent so far, without literals
	within  bool   // the line goes on after a literal
	literal int64  // bytes of the literal that are still to come
	auth    bool   // the last command was AUTHENTICATE
}

// maxOutgoing bounds a line. A list of 10,000 UIDs without ranges takes 70 KB.
const maxOutgoing = 1 << 20

// next checks the next bytes.
func (o *outgoing) next(p []byte) error {
	for len(p) > 0 {
		if o.literal > 0 {
			n := min(o.literal, int64(len(p)))
			o.literal, p = o.literal-n, p[n:]
			continue
		}
		end := bytes.IndexByte(p, '\n') + 1
		n := end
		if end == 0 {
			n = len(p)
		}
		if o.line = append(o.line, p[:n]...); len(o.line) > maxOutgoing {
			return fetch.Errorf(fetch.ErrLimit, "an IMAP command has more than %d bytes", maxOutgoing)
		}
		if p = p[n:]; end > 0 {
			if err := o.endLine(); err != nil {
				return err
			}
		}
	}
	return nil
}

// endLine checks a whole line, and reads the size of a literal at its end (RFC 9051 section 4.3: {n} or {n+}).
func (o *outgoing) endLine() error {
	line, ok := bytes.CutSuffix(o.line, []byte("\r\n"))
	if !ok || bytes.ContainsAny(line, "\r\n\x00") {
		return fetch.Errorf(fetch.ErrProtocol, "CR, LF or NUL in an IMAP command")
	}
	if !o.within {
		if err := o.checkCommand(string(line)); err != nil {
			return err
		}
	}
	o.line, o.within, o.literal = o.line[:0], false, 0
	if size, ok := literalSize(line); ok {
		o.within, o.literal = true, size
	}
	return nil
}

// checkCommand checks the beginning of a line.
func (o *outgoing) checkCommand(line string) error {
	tag, rest, _ := strings.Cut(line, " ")
	if _, ok := tagOf([]byte(line)); !ok {
		if o.auth && isBase64(line) {
			return nil
		}
		return fetch.Errorf(fetch.ErrProtocol, "an IMAP command without a tag")
	}
	if o.planned == "" || !strings.HasPrefix(rest+" ", o.planned+" ") {
		return fetch.Errorf(fetch.ErrProtocol, "the IMAP library would send an unplanned command, %s", tag)
	}
	o.auth, o.planned = o.planned == "AUTHENTICATE", ""
	return nil
}

// literalSize parses {n} or {n+} at the end of a line.
func literalSize(line []byte) (int64, bool) {
	text, ok := bytes.CutSuffix(line, []byte("}"))
	i := bytes.LastIndexByte(text, '{')
	if !ok || i < 0 {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(string(text[i+1:]), "+"), 10, 63)
	return n, err == nil && n >= 0
}

// isBase64 reports whether line is a response within AUTHENTICATE (RFC 9051 section 9): base64, or "*".
func isBase64(line string) bool {
	const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
	return line == "*" || strings.Trim(line, base64) == ""
}
