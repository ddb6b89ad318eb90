package news

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"example.org/deref/fetch"
)

// A session is a connection after the greeting. It is kept between requests.
type session struct {
	conn   *fetch.Conn
	in     source
	caps   []string // of CAPABILITIES, nil if unknown
	ready  bool     // the setup is complete
	reader bool     // MODE READER was sent
	secure bool     // within TLS
	kept   bool     // left by an earlier request

	queue     []fetch.Step // to be sent next
	sent      []fetch.Step // sent, but not yet answered
	pipelined bool         // several were sent at once
	replies   int          // since then
	peeked    *reply       // which readReply returns next, or nil
	broken    error        // why the session cannot be used any more
	env       *fetch.Env   // of the present request
}

// Facts about servers, for Env.Peer.
const (
	noPipelining = "no pipelining"
	needsReader  = "MODE READER first"
)

// open connects and reads the greeting (RFC 3977 section 5.1). A server that is known to begin in another mode gets MODE READER at once,
// because it would lose commands that are sent before its reply.
//
// QUIRK: INN's innd hands the connection over to nnrpd at MODE READER, and keeps what was sent after it.
func (r *run) open(ctx context.Context) (*session, error) {
	c, err := r.env.Dial(ctx, "tcp", r.plan.Addr, &fetch.DialOptions{TLS: r.tls == fetch.ImplicitTLS, Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	s := &session{conn: c, in: c, secure: r.tls == fetch.ImplicitTLS}
	greeting, err := s.readReply()
	if err != nil {
		return nil, err
	}
	if greeting.code != 200 && greeting.code != 201 {
		if greeting.class() < 4 {
			return nil, fetch.Errorf(fetch.ErrProtocol, "not a greeting: %d %s", greeting.code, clip(greeting.text))
		}
		return nil, fail(fetch.Step{Verb: "connecting"}, greeting)
	}
	return s, nil
}

// Close closes the connection.
func (s *session) Close() error { return s.conn.Close() }

// atRest reports whether every command has its reply, and every reply has been read.
func (s *session) atRest() bool {
	return s.broken == nil && len(s.sent) == 0 && len(s.queue) == 0 && len(s.buffered()) == 0
}

// offers reports whether CAPABILITIES lists a capability, with an argument unless arg is empty.
func (s *session) offers(name, arg string) bool {
	for _, line := range s.caps {
		f := strings.Fields(strings.ToUpper(line))
		if len(f) > 0 && f[0] == name && (arg == "" || slices.Contains(f[1:], arg)) {
			return true
		}
	}
	return false
}

// enqueue appends steps to those that are to be sent.
func (s *session) enqueue(steps ...fetch.Step) { s.queue = append(s.queue, steps...) }

// Bounds of a pipeline. Its commands must fit into the buffers of a server that does not read. The replies to all but the last arrive
// soon; a server that drops early commands never sends them.
const (
	maxPipeline  = 8 << 10
	maxCommands  = 64
	shortTimeout = 3 * time.Second
	longTimeout  = 15 * time.Second // the server may fetch an article from elsewhere
)

// send sends the queue: all at once, or only the first step of a serial session.
func (r *run) send() error {
	s := r.s
	n, size := 0, 0
	for n < len(s.queue) && (n == 0 || !r.serial && n < maxCommands && size < maxPipeline) {
		size += len(s.queue[n].Line()) + len("\r\n")
		n++
	}
	now := s.queue[:n]
	s.sent, s.queue = append(s.sent, now...), s.queue[n:]
	s.pipelined, s.replies = n > 1, 0
	return r.end(s.conn.Send(now...))
}

// nextReply returns the reply to the next step. It sends the queue if nothing is outstanding.
func (r *run) nextReply() (fetch.Step, reply, error) {
	s := r.s
	if len(s.sent) == 0 {
		if len(s.queue) == 0 {
			return fetch.Step{}, reply{}, r.end(errors.New("news: no command is outstanding"))
		}
		if err := r.send(); err != nil {
			return fetch.Step{}, reply{}, err
		}
	}
	step := s.sent[0]
	hurry := s.pipelined && s.replies > 0
	if hurry {
		s.conn.SetReadDeadline(time.Now().Add(pipelineTimeout(step.Verb)))
	}
	a, err := s.readReply()
	if hurry {
		s.conn.SetReadDeadline(time.Time{})
	}
	if err != nil {
		return step, a, r.end(r.blamePipeline(err))
	}
	if !isReplyTo(step.Verb, a.code) {
		return step, a, r.end(r.blamePipeline(fetch.Errorf(fetch.ErrProtocol, "not a reply to %s: %d %s", step.Verb, a.code, clip(a.text))))
	}
	s.sent = s.sent[1:]
	s.replies++
	r.strictReply(step, a)
	if a.code == 400 { // RFC 3977 section 3.2.1: the server closes the connection
		return step, a, r.end(fail(step, a))
	}
	return step, a, nil
}

func pipelineTimeout(verb string) time.Duration {
	if verb == "GROUP" || verb == "CAPABILITIES" {
		return shortTimeout
	}
	return longTimeout
}

// blamePipeline turns an error within a pipeline into a retryError if a reply has arrived at all: the server may not support pipelining.
func (r *run) blamePipeline(err error) error {
	if !r.s.pipelined || r.s.replies == 0 || r.ctx.Err() != nil || fetch.KindOf(err) == fetch.ErrLimit {
		return err
	}
	return retryError{err, true}
}

// end records that the session cannot be used any more. It returns err.
func (r *run) end(err error) error {
	if err != nil && r.s.broken == nil {
		r.s.broken = err
	}
	return err
}

// drain reads the replies to all commands that were sent.
func (r *run) drain() error {
	r.s.queue = nil
	for len(r.s.sent) > 0 {
		step, a, err := r.nextReply()
		if err != nil {
			return err
		}
		if err := r.skip(step, a); err != nil {
			return err
		}
	}
	return nil
}

// skip reads the text of a reply and discards it.
func (r *run) skip(s fetch.Step, a reply) error {
	if !a.hasText(s.Verb) {
		return nil
	}
	t := r.text()
	for left := maxHeld; left >= 0; {
		p, err := t.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		left -= len(p)
	}
	return r.end(fetch.Errorf(fetch.ErrLimit, "a discarded text is longer than %d bytes", maxHeld))
}
