package news

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/schemes/internal/replies"
)

// A reply is the first line of a response (RFC 3977 section 3.2).
type reply struct {
	code int
	text string
}

func (r reply) class() int { return r.code / 100 }

// hasText reports whether lines follow the reply. That depends on the code, and for 211 on the command (RFC 3977 section 3.2).
func (r reply) hasText(verb string) bool {
	switch r.code {
	case 101, 215, 220, 221, 222, 224, 225, 230:
		return true
	case 211:
		return verb == "LISTGROUP"
	}
	return false
}

// successes are the positive codes of the replies to each command.
const successes = `
CAPABILITIES 101
MODE READER 200 201
STARTTLS 382
AUTHINFO USER 281 381
AUTHINFO PASS 281
AUTHINFO SASL PLAIN 281
GROUP 211
LISTGROUP 211
ARTICLE 220
HEAD 221
BODY 222
STAT 223
OVER 224
XOVER 224
HDR 225 221
XHDR 221 225
LIST ACTIVE 215
LIST COUNTS 215
LIST NEWSGROUPS 215
NEWNEWS 230
POST 340
the article 240
`

// isReplyTo reports whether a code can answer the command. The success of another command means that replies and commands are out of
// step, so that later replies cannot be trusted.
func isReplyTo(verb string, code int) bool {
	_, rest, _ := strings.Cut(successes, "\n"+verb+" ")
	codes, _, _ := strings.Cut(rest, "\n")
	return code >= 400 || strings.Contains(codes, strconv.Itoa(code))
}

// article stands for the verb of the article that follows 340.
const article = "the article"

// fail returns the error for the refusal of a command, with the Kind in the table of the package comment.
func fail(s fetch.Step, r reply) error {
	command := s.Verb
	if !s.Secret && len(s.Args) > 0 {
		command = clip(s.Line())
	}
	e := fetch.Errorf(kindOf(s.Verb, r.code), "%s: %d %s", command, r.code, clip(r.text))
	if r.code == 502 && strings.Contains(strings.ToLower(r.text), "too many") { // QUIRK: providers limit connections by 502 (from their help pages, not observed)
		e.Kind = fetch.ErrUnavailable
	}
	e.Busy = e.Kind == fetch.ErrUnavailable && r.code != 403 // 400 concerns the service (RFC 3977 section 3.2.1), 403 the command
	e.Asks = e.Kind == fetch.ErrAuth
	switch r.code {
	case 480, 481:
		e.Hint = hint.Login
	case 483:
		e.Hint = hint.Set + " news.ssl=require"
	}
	return e
}

// codes is the table of reply codes (RFC 3977 section 3.2 and appendix C, RFC 4642, RFC 4643).
const codes replies.Table = `2xx                           the document
400, 403                      unavailable
411, 420, 421, 422, 423, 430  notfound: or, after 423 and 430, a referral to a configured archive
401, 440, 441, 502            refused
480, 481, 482                 auth
483, any refusal of STARTTLS  tls
503                           unsupported
anything else                 protocol
no reply after an article     transfer: unknown whether accepted
`

func kindOf(verb string, code int) fetch.Kind {
	kind := codes.Fault(code)
	switch {
	case kind == fetch.ErrUnavailable, kind == fetch.ErrTLS:
		return kind
	case verb == "STARTTLS":
		return fetch.ErrTLS
	case strings.HasPrefix(verb, "AUTHINFO"):
		return fetch.ErrAuth
	}
	return kind
}

// unknown reports whether the server does not support the command.
func unknown(code int) bool { return code == 500 || code == 501 || code == 502 || code == 503 }

// clip shortens a server's text for an error.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "..."
	}
	return s
}

// readReply reads one reply, with one deadline and one limit.
func (s *session) readReply() (reply, error) {
	if a := s.peeked; a != nil {
		s.peeked = nil
		return *a, nil
	}
	if len(s.buffered()) > 0 { // it may have arrived with the previous one
		s.conn.BeginPart()
	} else {
		s.conn.BeginReply()
	}
	line, err := s.conn.ReadLine()
	if err != nil {
		return reply{}, err
	}
	code, more, text, ok := lineproto.CutReply(string(line))
	if !ok || more {
		return reply{}, fetch.Errorf(fetch.ErrProtocol, "not an NNTP reply: %q", clip(string(line)))
	}
	return reply{code, text}, nil
}

// readText reads the lines of a short text, with the deadline and limit of the reply before it.
func (s *session) readText(visit func(line string)) error {
	for {
		line, err := s.conn.ReadLine()
		if err != nil {
			return broken(err)
		}
		if len(line) == 1 && line[0] == '.' {
			return nil
		}
		if len(line) > 0 && line[0] == '.' {
			if line = line[1:]; line[0] != '.' {
				s.notStuffed()
			}
		}
		visit(string(line))
	}
}
