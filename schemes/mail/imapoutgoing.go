package mail

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// outgoing reads along what the library sends. The library writes its commands itself, so this is the last check before the socket: all of
// it must be commands that the handlers have, each one line with its literals, and answers within AUTHENTICATE.
type outgoing struct {
	line    []byte // as far as it was sent, its literals left out
	within  bool   // the line goes on behind a literal
	literal int64  // octets of it that are still to come
	answers bool   // the last command was AUTHENTICATE
}

// maxOutgoing bounds a line. A list of 10,000 UIDs that are not in a row has 70 KB.
const maxOutgoing = 1 << 20

// imapCommands are those that the handlers have. None of them changes anything in a mailbox (EXAMINE, and FETCH with PEEK).
var imapCommands = [...]string{"AUTHENTICATE", "EXAMINE", "LIST", "LOGIN", "LOGOUT", "NOOP", "UID FETCH", "UID SEARCH"}

// next looks at what is sent next.
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
			return fetch.Errorf(fetch.ErrLimit, "an IMAP command of more than %d octets", maxOutgoing)
		}
		if p = p[n:]; end > 0 {
			if err := o.ended(); err != nil {
				return err
			}
		}
	}
	return nil
}

// ended judges a whole line, and what it announces (RFC 9051 section 4.3: {n} or {n+} at its end).
func (o *outgoing) ended() error {
	line, ok := bytes.CutSuffix(o.line, []byte("\r\n"))
	if !ok || bytes.ContainsAny(line, "\r\n\x00") {
		return fetch.Errorf(fetch.ErrProtocol, "CR, LF or NUL in an IMAP command")
	}
	if !o.within {
		if err := o.begins(string(line)); err != nil {
			return err
		}
	}
	o.line, o.within, o.literal = o.line[:0], false, 0
	if size, ok := literalSize(line); ok {
		o.within, o.literal = true, size
	}
	return nil
}

// begins judges the beginning of a command.
func (o *outgoing) begins(line string) error {
	tag, rest, _ := strings.Cut(line, " ")
	if _, ok := tagOf([]byte(line)); !ok {
		if o.answers && isBase64(line) {
			return nil
		}
		return fetch.Errorf(fetch.ErrProtocol, "an IMAP command without a tag")
	}
	i := slices.IndexFunc(imapCommands[:], func(c string) bool { return rest == c || strings.HasPrefix(rest, c+" ") })
	if i < 0 {
		return fetch.Errorf(fetch.ErrProtocol, "the IMAP library would send a command that is not planned, as %s", tag)
	}
	o.answers = imapCommands[i] == "AUTHENTICATE"
	return nil
}

// literalSize reads {n} or {n+} at the end of a line.
func literalSize(line []byte) (int64, bool) {
	text, ok := bytes.CutSuffix(line, []byte("}"))
	i := bytes.LastIndexByte(text, '{')
	if !ok || i < 0 {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(string(text[i+1:]), "+"), 10, 63)
	return n, err == nil && n >= 0
}

// isBase64 reports whether line may answer a question of AUTHENTICATE: RFC 9051 section 9, base64, or "*".
func isBase64(line string) bool {
	const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
	return line == "*" || strings.Trim(line, base64) == ""
}
