package wais

import (
	"context"
	"errors"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/schemes/wais/internal/z3950"
)

// frameSize is what all programs agree upon. Longer frames are read all the same, up to maxFrame.
const (
	frameSize = 100000
	maxFrame  = 512 << 10
)

// A session is a connection. The server answers one request at a time and keeps the connection for an hour.
type session struct {
	conn   *fetch.Conn
	frames *z3950.Reader
	most   int  // octets of a frame, as Init has agreed; 0 nothing was said
	used   bool // an earlier request had it
}

// Close closes the connection.
func (s *session) Close() error { return s.conn.Close() }

// errVoid is the answer of a server that could not produce one, mostly because it would be longer than its buffer.
var errVoid = &fetch.Error{Kind: fetch.ErrProtocol, Text: "empty response: the server could not produce an answer", Hint: "a smaller wais.max or wais.chunk asks for less"}

// ask sends a step and returns the APDU of the response, which is valid until the next call. An empty APDU is errVoid.
func (s *session) ask(step fetch.Step) ([]byte, error) {
	s.conn.BeginReply()
	if err := s.conn.SendAs(frames, step); err != nil {
		return nil, err
	}
	_, answer, err := s.frames.Next()
	switch {
	case err != nil:
		return nil, broken(err)
	case len(answer) == 0:
		return nil, errVoid
	}
	return answer, nil
}

// frames writes each step as its APDU.
func frames(b []byte, steps []fetch.Step) []byte {
	for _, s := range steps {
		b = append(b, z3950.Frame(request(s))...)
	}
	return b
}

// query asks and reads the answer.
func (s *session) query(step fetch.Step) (*z3950.Response, error) {
	answer, err := s.ask(step)
	if err != nil {
		return nil, err
	}
	r, err := z3950.ParseResponse(answer)
	return r, broken(err)
}

// broken gives an error of the codec, or of a connection that ended, its kind.
func broken(err error) error {
	var malformed z3950.Malformed
	var long z3950.TooLong
	switch {
	case errors.As(err, &malformed):
		return fetch.Errorf(fetch.ErrProtocol, "the server sent %s", string(malformed))
	case errors.As(err, &long):
		return fetch.Errorf(fetch.ErrLimit, "the server announced %w", err)
	case err == io.EOF:
		return &fetch.Error{Kind: fetch.ErrConnection, Text: "the server closed the connection without an answer",
			Hint: "servers do so when they crash, for instance over a document of a database that they do not have"}
	case err == io.ErrUnexpectedEOF:
		return fetch.Errorf(fetch.ErrTruncated, "the connection ended within an answer")
	}
	return err
}

// open returns a session on which the Plan's init, if it has one, was said.
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
		s := &session{conn: c, frames: z3950.NewReader(c, maxFrame)}
		for _, step := range first {
			if err := s.init(step); err != nil {
				return nil, err
			}
		}
		return s, nil
	})
}

// init agrees upon the size of frames. A server that refuses says so, and nothing more is asked of it.
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
		return &fetch.Error{Kind: fetch.ErrRefused, Text: "the server refuses to begin", Hint: "most servers need no init: leave " + setInit + " out"}
	}
	wanted, _ := reading.Digits(step.Args[0])
	for _, n := range [...]int{m.PreferredSize, m.MaximumSize} {
		if n > 0 && n < wanted {
			s.most, wanted = n, n
		}
	}
	return nil
}

// overhead is what a frame holds besides the text of a document: headers, and the DocID.
func overhead(docID string) int { return 200 + len(docID) }

// chunk returns how many bytes of a wanted chunk one response can hold.
func (s *session) chunk(wanted int64, docID string) int64 {
	most := frameSize
	if s.most > 0 {
		most = min(most, s.most)
	}
	return min(wanted, int64(max(100, most-overhead(docID))))
}
