package urn

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/frames"
	"golang.org/x/net/dns/dnsmessage"
)

// decode puts a DNS message (RFC 1035 section 4) into words. On a connection, its length precedes it (section 4.2.2).
func decode(f fetch.Frame) (string, int) {
	b, n := f.Data, len(f.Data)
	if !f.Datagram {
		if len(b) < 2 {
			return "", 0
		}
		if n = 2 + int(binary.BigEndian.Uint16(b)); n > len(b) {
			return "", n
		}
		b = b[2:n]
	}
	var p dnsmessage.Parser
	h, err := p.Start(b)
	if err != nil {
		return "", -1
	}
	words := fmt.Sprintf("query %d", h.ID)
	if h.Response {
		words = fmt.Sprintf("response %d %s", h.ID, codeWords(int(h.RCode)))
	}
	if h.Truncated {
		words += ", truncated"
	}
	for range 4 {
		q, err := p.Question()
		if err != nil {
			break
		}
		words += " " + typeWords(q.Type) + " " + nameWords(q.Name)
	}
	if p.SkipAllQuestions() != nil {
		return words, n
	}
	return words + answerWords(&p), n
}

// answerWords returns the records of the answer.
func answerWords(p *dnsmessage.Parser) (words string) {
	for len(words) < 1000 {
		h, err := p.AnswerHeader()
		if err != nil {
			return words
		}
		words += "; " + nameWords(h.Name) + " " + typeWords(h.Type)
		switch h.Type {
		case typeNAPTR:
			raw, err := p.UnknownResource()
			if err != nil {
				return words
			}
			if r, ok := ruleOf(raw.Data); ok {
				words += fmt.Sprintf(" %d %d %s %s %s %s", r.order, r.preference, frames.Quote(r.flags), frames.Quote(r.services), frames.Quote(r.regexp),
					frames.Quote(r.domain))
			}
		default:
			if p.SkipAnswer() != nil {
				return words
			}
		}
	}
	return words
}

func nameWords(n dnsmessage.Name) string { return frames.Quote(n.Data[:n.Length]) }

// typeWords returns the name of a type of records. The library's own table would be built at every start of the program.
func typeWords(t dnsmessage.Type) string {
	if t == typeNAPTR {
		return "NAPTR"
	}
	return "TYPE" + strconv.Itoa(int(t)) // RFC 3597 section 5
}

// codeWords returns the name of a response code (RFC 1035 section 4.1.1).
func codeWords(code int) string {
	names := [...]string{"NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"}
	if code < len(names) {
		return names[code]
	}
	return "code " + strconv.Itoa(code)
}
