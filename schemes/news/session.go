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

// session is a connection that has been greeted: what is kept between requests.
type session struct {
	*wire
	caps   []string // of CAPABILITIES, nil where they are not known
	ready  bool     // the opening is over
	reader bool     // MODE READER was said
	secure bool     // inside TLS
	kept   bool     // an earlier request has left it

	queue     []fetch.Step // to be said next
	sent      []fetch.Step // said, not yet answered
	pipelined bool         // more than one was said at once
	replies   int          // replies since then
	broken    error        // the conversation is over
}

// Facts about servers.
const (
	noPipelining = "no pipelining"
	needsReader  = "MODE READER first"
)

// open connects and reads the greeting (RFC 3977 section 5.1). A server that is known to begin in another mode is told its own at
// once: what is said before its answer is lost.
//
// QUIRK: INN's innd hands the connection over to nnrpd at MODE READER, and what was sent behind it stays with innd.
func (r *run) open(ctx context.Context) (*session, error) {
	c, err := r.env.Dial(ctx, "tcp", r.plan.Addr, &fetch.DialOptions{TLS: r.tls == fetch.ImplicitTLS, Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	s := &session{wire: newWire(c, r.env.Limits().Line), secure: r.tls == fetch.ImplicitTLS}
	greeting, err := s.readReply()
	if err != nil {
		return nil, err
	}
	if greeting.code != 200 && greeting.code != 201 {
		if greeting.class() < 4 {
			return nil, fetch.Errorf(fetch.ErrProtocol, "%d %s is no greeting", greeting.code, clip(greeting.text))
		}
		return nil, fail(fetch.Step{Verb: "connecting"}, greeting)
	}
	return s, nil
}

// Close ends the connection.
func (s *session) Close() error { return s.conn.Close() }

// atRest reports whether every command has its reply, and every reply was read.
func (s *session) atRest() bool {
	return s.broken == nil && len(s.sent) == 0 && len(s.queue) == 0 && len(s.buffered()) == 0
}

// offers reports whether CAPABILITIES lists a capability, with an argument if one is named.
func (s *session) offers(name, arg string) bool {
	for _, line := range s.caps {
		f := strings.Fields(strings.ToUpper(line))
		if len(f) > 0 && f[0] == name && (arg == "" || slices.Contains(f[1:], arg)) {
			return true
		}
	}
	return false
}

// say puts steps behind those that are to be said.
func (s *session) enqueue(steps ...fetch.Step) { s.queue = append(s.queue, steps...) }

// dislike says that the server cannot cope with a flight; the request is made again, one command at a time.
type pipelineError struct{ error }

// Unwrap returns what the server did.
func (d pipelineError) Unwrap() error { return d.error }

// Bounds of a flight. Its commands must fit into what a server that does not read takes in, and the replies to all but the last one
// come soon; who drops what comes before its turn never sends them.
const (
	maxPipeline  = 8 << 10
	maxCommands  = 64
	shortTimeout = 3 * time.Second
	longTimeout  = 15 * time.Second // an article may have to be fetched from somewhere
)

// send says what is queued: all at once, or the first where one waits for the other.
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
	return r.end(s.wire.send(now))
}

// hear returns the reply to the next step, which it says if that has not been done.
func (r *run) nextReply() (fetch.Step, reply, error) {
	s := r.s
	if len(s.sent) == 0 {
		if len(s.queue) == 0 {
			return fetch.Step{}, reply{}, r.end(errors.New("news: nothing was asked"))
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
		return step, a, r.end(r.blamePipeline(fetch.Errorf(fetch.ErrProtocol, "%d %s is no reply to %s", a.code, clip(a.text), step.Verb)))
	}
	s.sent = s.sent[1:]
	s.replies++
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

// judge blames the flight for what went wrong in it, if something was heard at all.
func (r *run) blamePipeline(err error) error {
	if !r.s.pipelined || r.s.replies == 0 || r.ctx.Err() != nil || fetch.KindOf(err) == fetch.ErrLimit {
		return err
	}
	return pipelineError{err}
}

// end notes that the conversation is over.
func (r *run) end(err error) error {
	if err != nil && r.s.broken == nil {
		r.s.broken = err
	}
	return err
}

// drain reads the replies to all that was said.
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

// skip passes over the text of a reply.
func (r *run) skip(s fetch.Step, a reply) error {
	if !a.hasText(s.Verb) {
		return nil
	}
	t := newText(r.s.wire, nil)
	for left := r.env.Limits().Reply; ; {
		p, err := t.next()
		left -= len(p)
		switch {
		case err == nil && left >= 0:
		case err == nil:
			return r.end(fetch.Errorf(fetch.ErrLimit, "a text that nobody wants is longer than %d octets", r.env.Limits().Reply))
		case err == io.EOF:
			return nil
		default:
			return r.end(err)
		}
	}
}
