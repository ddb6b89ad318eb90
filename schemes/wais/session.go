package wais

import (
	"context"
	"errors"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/wais/internal/z3950"
)

// frameSize is the size that all programs use. Longer frames are also read, up to maxFrame.
const (
	frameSize = 100000
	maxFrame  = 512 << 10
)

// A session is a connection. The server answers one request at a time and keeps the connection for an hour.
type session struct {
	conn   *fetch.Conn
	frames *z3950.Reader
	most   int  // bytes of a frame
	used   bool // by an earlier request
}

// Close closes the connection.
func (s *session) Close() error { return s.conn.Close() }

// errEmpty is the response of a server that could not produce one, usually because it would be longer than its buffer.
var errEmpty = &fetch.Error{Kind: fetch.ErrProtocol, Text: "empty response: the server could not produce an answer", Hint: "a smaller wais.max or wais.chunk requests less"}

// ask sends a step and returns the APDU of the response, which is valid until the next call. If it is empty, the error is errEmpty.
func (s *session) ask(step fetch.Step) ([]byte, error) {
	s.conn.BeginReply()
	if err := s.conn.SendAs(frames, step); err != nil {
		return nil, err
	}
	s.conn.AckAtOnce() // freeWAIS sends a frame in two parts, and waits for this before the second
	_, answer, err := s.frames.Next()
	switch {
	case err != nil:
		return nil, broken(err)
	case len(answer) == 0:
		return nil, errEmpty
	}
	return answer, nil
}

// frames writes each step as its APDU.
func frames(b []byte, steps []fetch.Step) []byte {
	for _, s := range steps {
		b = append(b, z3950.Frame(encode(s))...)
	}
	return b
}

// query sends a step and parses the response.
func (s *session) query(step fetch.Step) (*z3950.Response, error) {
	answer, err := s.ask(step)
	if err != nil {
		return nil, err
	}
	r, err := z3950.ParseResponse(answer)
	return r, broken(err)
}

// broken sets the kind of an error of the codec, or of a connection that ended.
func broken(err error) error {
	var malformed z3950.Malformed
	var long z3950.TooLong
	switch {
	case errors.As(err, &malformed):
		return fetch.Errorf(fetch.ErrProtocol, "the server sent %s", string(malformed))
	case errors.As(err, &long):
		return fetch.Errorf(fetch.ErrLimit, "the server announced %w", err)
	case err == io.EOF:
		return &fetch.Error{Kind: fetch.ErrConnection, Text: "the server closed the connection without a response",
			Hint: "servers do so when they crash, for example if the document's database does not exist"}
	case err == io.ErrUnexpectedEOF:
		return fetch.Errorf(fetch.ErrTruncated, "the connection ended within a response")
	}
	return err
}

// open returns a session on which the Plan's init, if any, is done.
func open(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*session, func(reuse bool), error) {
	var first []fetch.Step
	if s := p.When(""); s[0].Verb == verbInit {
		first = s[:1]
	}
	return fetch.Lease(ctx, env, strings.Repeat(verbInit, len(first)), func(ctx context.Context) (*session, error) {
		c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{Record: fetch.RecordOctets})
		if err != nil {
			return nil, err
		}
		s := &session{conn: c, frames: z3950.NewReader(c, maxFrame), most: frameSize}
		for _, step := range first {
			if err := s.init(step); err != nil {
				return nil, err
			}
		}
		return s, nil
	})
}

// init agrees on the size of frames.
func (s *session) init(step fetch.Step) error {
	answer, err := s.ask(step)
	if err != nil {
		return err
	}
	m, err := z3950.ParseInitResponse(answer)
	if err != nil {
		return broken(err)
	}
	if !m.Accepted {
		return &fetch.Error{Kind: fetch.ErrRefused, Text: "the server refused init", Hint: "most servers need no init: omit " + setInit}
	}
	for _, n := range [...]int{m.PreferredSize, m.MaximumSize} {
		if n > 0 {
			s.most = min(s.most, n)
		}
	}
	return nil
}

// fit returns how many bytes of a wanted chunk one response can hold.
func (s *session) fit(wanted int64, docID string) int64 {
	return min(wanted, int64(max(100, s.most-200-len(docID)))) // headers and the DocID are not text
}
