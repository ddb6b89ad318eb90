package ftp

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/jlaffaye/ftp"

	"example.org/deref/fetch"
)

// control is the control connection: it sends steps of the Plan, one after the other or in a pipeline, and matches the replies to them.
type control struct {
	*fetch.Conn
	ctx       context.Context // of the request that it works for
	env       *fetch.Env      // likewise
	features  string          // the reply to FEAT, in strict mode
	anonymous bool            // the server need not check the password
	queue     []fetch.Step    // not sent yet
	sent      []fetch.Step    // sent in a pipeline, not answered yet
	pipelined bool            // the step in hand was sent in a pipeline
	replies   int             // since the request began
	last      reply           // the latest one
	step      fetch.Step      // to which last is the reply
	broken    error           // why the conversation is over
}

// pipelineError means that the server cannot cope with a pipeline. The request is made again, one command at a time.
type pipelineError struct{ error }

// Unwrap returns the cause.
func (e pipelineError) Unwrap() error { return e.error }

// How long the reply to the next command of a pipeline may take. A server that drops pipelined input never sends it. A server that is
// merely slow loses nothing but the pipeline.
const (
	replyPatience    = 3 * time.Second
	passwordPatience = 30 * time.Second // QUIRK: pure-ftpd takes 3 to 11 s to check a password, and a second try could lock the user out
)

func (c *control) patience(verb string) time.Duration {
	if verb == "PASS" && !c.anonymous {
		return passwordPatience
	}
	return replyPatience
}

// next returns the first step that has no reply yet, sent or not.
func (c *control) next() (s fetch.Step, ok bool) {
	switch {
	case len(c.sent) > 0:
		return c.sent[0], true
	case len(c.queue) > 0:
		return c.queue[0], true
	}
	return s, false
}

// exchange sends the next step, unless it was sent in the pipeline, and returns its reply.
func (c *control) exchange() (reply, error) {
	if len(c.sent) > 0 {
		s := c.sent[0]
		c.sent = c.sent[1:]
		return c.receive(s)
	}
	s := c.queue[0]
	c.queue, c.pipelined = c.queue[1:], false
	if err := c.end(c.SendAs(telnetLines, s)); err != nil {
		return reply{}, err
	}
	return c.receive(s)
}

// maxPipeline bounds the bytes of a pipeline: a server that does not read while it cannot write must be able to buffer all of it.
const maxPipeline = 16 << 10

// start makes steps the next ones and, if pipelining, sends them at once. The replies of a pipeline come in order (RFC 959 §5.4 pairs
// each command with its replies).
func (c *control) start(steps []fetch.Step, pipelining bool) error {
	c.queue, c.pipelined = steps, false
	n := 0
	for i := range steps {
		n += len(steps[i].Line()) + 2
	}
	if !pipelining || len(steps) < 2 || n >= maxPipeline {
		return nil
	}
	c.sent, c.queue, c.pipelined = steps, nil, true
	return c.end(c.SendAs(telnetLines, steps...))
}

// telnetLines is the Form fetch.Lines with 0xFF doubled, which is IAC on a Telnet connection (RFC 959 §4.1.3, RFC 854).
func telnetLines(b []byte, steps []fetch.Step) []byte {
	from := len(b)
	b = fetch.Lines(b, steps)
	if bytes.IndexByte(b[from:], 0xff) >= 0 {
		b = append(b[:from:from], bytes.ReplaceAll(b[from:], []byte{0xff}, []byte{0xff, 0xff})...)
	}
	return b
}

// end ends the conversation if err is not nil, and returns err.
func (c *control) end(err error) error {
	if err != nil && c.broken == nil {
		c.broken = err
	}
	return err
}

// idle reports whether every command has its reply.
func (c *control) idle() bool { return c.broken == nil && len(c.sent) == 0 }

// receive reads the reply to s.
func (c *control) receive(s fetch.Step) (reply, error) {
	impatient := c.pipelined && c.replies > 0 && c.Buffered() == 0 && !transfers(s.Verb) && s.Verb != atEnd
	if impatient {
		c.SetReadDeadline(time.Now().Add(c.patience(s.Verb)))
	}
	if s.Verb == atEnd {
		c.BeginPart() // the reply that ends a transfer continues its reply 150
	} else {
		c.BeginReply()
	}
	r, err := readLines(c.Conn)
	if impatient {
		c.SetReadDeadline(time.Time{})
	}
	if err != nil {
		return r, c.end(c.judge(s, err))
	}
	c.step, c.last = s, r
	c.strict(s.Verb, r)
	switch {
	case r.code == ftp.StatusNotAvailable && s.Verb != atEnd: // the server is closing the connection, whatever the command was
		return r, c.end(fail(&refusal{s, r}))
	case !fits(s.Verb, r.code):
		return r, c.end(c.judge(s, fetch.Errorf(fetch.ErrProtocol, "unexpected reply to %s: %d %s", s.Verb, r.code, clip(r.first()))))
	case c.pipelined && s.Verb != atEnd && (r.code == ftp.StatusBadSequence || r.code == ftp.StatusBadCommand && basic(s)):
		return r, c.end(c.judge(s, fail(&refusal{s, r})))
	}
	c.replies++
	return r, nil
}

// judge blames the pipeline for an error in it, if the server has replied at all and no data is under way.
func (c *control) judge(s fetch.Step, err error) error {
	k := fetch.KindOf(err)
	switch {
	case !c.pipelined || s.Verb == atEnd || c.ctx.Err() != nil:
		return err
	case k == fetch.ErrTimeout && (transfers(s.Verb) || c.replies == 0):
		return err
	case k == fetch.ErrLimit:
		return err
	}
	return pipelineError{err}
}

// basic reports whether every server knows the command, so that 500 must mean something else. Many do not know CWD with an empty argument.
func basic(s fetch.Step) bool {
	switch s.Verb {
	case "USER", "PASS", "TYPE", "RETR":
		return true
	case "CWD":
		return s.Args[0] != ""
	}
	return false
}

// skip drops the next step if its verb is verb, and reads its reply if it was sent already.
func (c *control) skip(verb string) error {
	s, ok := c.next()
	switch {
	case !ok || s.Verb != verb:
		return nil
	case len(c.sent) == 0:
		c.queue = c.queue[1:]
		return nil
	}
	c.sent = c.sent[1:]
	_, err := readReply(c.Conn)
	if err != nil {
		err = c.judge(s, err)
	}
	return c.end(err)
}

// drain reads the replies to the steps that were sent after a refused one, and returns those steps, which must be sent again. All of
// them must have been refused too: a success would begin a transfer without a data connection.
//
// QUIRK: proftpd 1.3.8 answers a RETR after a refused EPSV only after a minute, if at all.
func (c *control) drain(patience time.Duration) ([]fetch.Step, error) {
	if len(c.sent) > 0 {
		c.SetReadDeadline(time.Now().Add(patience))
		defer c.SetReadDeadline(time.Time{})
	}
	var again []fetch.Step
	for len(c.sent) > 0 {
		s := c.sent[0]
		c.sent = c.sent[1:]
		r, err := readReply(c.Conn)
		if err != nil {
			return nil, c.end(c.judge(fetch.Step{}, err))
		}
		if r.class() < 3 {
			return nil, c.end(pipelineError{errors.New("a transfer began without a data connection")})
		}
		again = append(again, s)
	}
	return again, nil
}

// refusedTransfer returns the refusal of the transfer in the pipeline if it arrives within patience, otherwise nil. It explains why
// the server does not accept the data connection.
func (c *control) refusedTransfer(patience time.Duration) *refusal {
	c.SetReadDeadline(time.Now().Add(patience))
	defer c.SetReadDeadline(time.Time{})
	for len(c.sent) > 0 {
		s := c.sent[0]
		r, err := readReply(c.Conn)
		if err != nil || !fits(s.Verb, r.code) || r.class() < 3 {
			return nil
		}
		c.sent = c.sent[1:]
		if transfers(s.Verb) {
			c.replies++
			c.step, c.last = s, r
			return &refusal{s, r}
		}
	}
	return nil
}

// completion returns the reply that ends a transfer. It may be the reply to the command itself. Preliminary replies such as 110
// (RFC 959 §5.4) are skipped.
func (c *control) completion() (r reply, err error) {
	if transfers(c.step.Verb) && c.last.class() == 2 {
		return c.last, nil
	}
	for range maxPreliminary {
		if r, err = c.receive(fetch.Step{Verb: atEnd}); err != nil || r.class() != 1 {
			return r, err
		}
	}
	return r, c.end(fetch.Errorf(fetch.ErrProtocol, "more than %d preliminary replies to one command", maxPreliminary))
}

// maxPreliminary bounds how many 1yz replies one command may have.
const maxPreliminary = 10

func transfers(verb string) bool { return verb == "RETR" || verb == "MLSD" || verb == "LIST" }

func arranges(verb string) bool {
	return verb == "EPSV" || verb == "PASV" || verb == "PORT" || verb == "EPRT"
}
