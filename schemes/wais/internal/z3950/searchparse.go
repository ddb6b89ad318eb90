package z3950

import (
	"strconv"
	"strings"
)

// ParseSearch parses a request, for a server.
func ParseSearch(apdu []byte) (*Search, error) {
	body, user, err := split(apdu, PDUSearch, 10)
	if err != nil {
		return nil, err
	}
	s := &Search{}
	if err := each(body[10:], s.element); err != nil { // after the sizes of sets
		return nil, err
	}
	if s.Type == Retrieval {
		var p terms
		if err := userInformation(user, tagQuery, func(v []byte) error { return each(v, p.element) }); err != nil {
			return nil, err
		}
		s.Documents = p.list
		return s, nil
	}
	return s, userInformation(user, tagUserInformation, func(v []byte) error { return each(v, s.word) })
}

func (s *Search) element(tag int, v []byte) error {
	switch tag {
	case tagDatabaseNames:
		s.Databases = strings.Split(string(v), "\x1f")
	case tagQueryType:
		if len(v) != 1 {
			return malformed("bad query type of %d bytes", len(v))
		}
		s.Type = v[0]
	case tagReferenceID:
		s.ReferenceID = string(v)
	}
	return nil
}

// word parses an element of a search for words. Elements after a document belong to it.
func (s *Search) word(tag int, v []byte) (err error) {
	last := &Feedback{}
	if n := len(s.Like); n > 0 {
		last = &s.Like[n-1]
	}
	switch tag {
	case tagSeedWords:
		s.Words = string(v)
	case tagDocumentID, tagDocumentIDChunk:
		s.Like = append(s.Like, Feedback{DocID: string(v)})
	case tagType:
		last.Type = string(v)
	case tagChunkCode:
		var code int
		if code, err = number(tag, v); err == nil && (code < 0 || code > 3) {
			err = malformed("a chunk code %d", code)
		}
		if err == nil {
			last.Unit = "\x00blp"[code]
		}
	case tagChunkStart:
		last.Start, err = number(tag, v)
	case tagChunkEnd:
		last.End, err = number(tag, v)
	default:
		err = s.limits().parse(tag, v)
	}
	return err
}

// terms parses the postfix terms of a retrieval.
type terms struct {
	use, relation string
	list          []Request
}

func (p *terms) element(tag int, v []byte) error {
	switch tag {
	case tagAttributeList:
		f := strings.Fields(string(v))
		if len(f) < 2 {
			return malformed("unknown attribute list %q", v)
		}
		p.use, p.relation = f[0], f[1]
	case tagTerm:
		return p.term(string(v))
	}
	return nil
}

func (p *terms) term(v string) error {
	if p.use == "un" {
		p.list = append(p.list, Request{DocID: v})
		return nil
	}
	if len(p.list) == 0 {
		return Malformed("a term precedes the first DocID")
	}
	d := &p.list[len(p.list)-1]
	switch p.use {
	case "wt":
		d.Type = v
	case "wb", "wl", "wp":
		n, err := strconv.ParseUint(v, 10, 31)
		if err != nil {
			return malformed("bad bound %q", v)
		}
		d.Unit = p.use[1]
		if p.relation == "rl" {
			d.End = int(n)
		} else {
			d.Start = int(n)
		}
	}
	return nil
}
