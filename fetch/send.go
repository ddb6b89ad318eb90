package fetch

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"example.org/deref/uri"
)

// A Form appends steps to b as the octets that say them. It adds what frames them (line ends, a tag, parameters that the server's
// extensions allow); a value that it adds otherwise belongs into the steps.
type Form func(b []byte, steps []Step) []byte

// Lines is the Form of most text protocols: each step is one line, Step.Line, and ends with CRLF. Step.Data is no part of it.
func Lines(b []byte, steps []Step) []byte {
	for i := range steps {
		b = append(steps[i].AppendLine(b), "\r\n"...)
	}
	return b
}

// LinesWithData is Lines with Step.Data after its line, for protocols whose line counts or announces it.
func LinesWithData(b []byte, steps []Step) []byte {
	for i := range steps {
		b = append(append(steps[i].AppendLine(b), "\r\n"...), steps[i].Data...)
	}
	return b
}

// Send says steps as Lines, in one write.
func (c *Conn) Send(steps ...Step) error { return c.SendAs(Lines, steps...) }

// SendAs checks steps, announces them in the trace, and says them in one write. It is the only way in which a protocol of lines writes
// its commands: values that were not known to the Plan (the answer to a challenge, a Message-ID from a reply) pass the same check here,
// directly before the socket, and what the form makes of the steps must be as many lines. If a check fails, none of the steps is said,
// and the error is ErrProtocol: what was known before came from the URI or the user and was refused while planning, so the value came
// from the peer.
func (c *Conn) SendAs(form Form, steps ...Step) error {
	r := c.working()
	if r == nil {
		return errEnded
	}
	if err := r.checkSteps(steps); err != nil {
		return err
	}
	c.sent = form(c.sent[:0], steps)
	if m := c.recordMode(); m != RecordOctets && m != RecordFrames && !areLines(c.sent, steps) {
		return Errorf(ErrProtocol, "a value from the server cannot be sent back to it: %s would be another number of lines", verbs(steps))
	}
	r.announce(steps)
	_, err := c.write(c.sent)
	return err
}

// Continue says one more line of the step that was said last, such as the answer to a question of SASL. It is checked and not announced.
func (c *Conn) Continue(line string) error {
	if hasLineEnd(line) {
		return Errorf(ErrProtocol, "a value from the server cannot be sent back to it: CR, LF or NUL in an answer")
	}
	c.sent = append(append(c.sent[:0], line...), "\r\n"...)
	_, err := c.write(c.sent)
	return err
}

// SendBody checks and announces s, whose Data is a document of the user's (an article, a message), and returns the Writer for its octets.
// Whoever writes to it makes sure that nothing in the document looks like its end.
func (c *Conn) SendBody(s Step) (io.Writer, error) {
	r := c.working()
	if r == nil {
		return nil, errEnded
	}
	if err := r.checkSteps([]Step{s}); err != nil {
		return nil, err
	}
	r.announce([]Step{s})
	return c.Unchecked(), nil
}

// Unchecked returns a Writer for a library that writes the lines of a protocol itself. Whoever uses it checks the values that the library
// is given, announces the steps, and looks at what comes out.
func (c *Conn) Unchecked() io.Writer { return unchecked{c} }

type unchecked struct{ c *Conn }

func (u unchecked) Write(p []byte) (int, error) { return u.c.write(p) }

// errUnannounced is what Write returns where Send is meant.
var errUnannounced = &Error{Kind: ErrLocal, Text: "a protocol of lines writes by Conn.Send, SendAs or SendBody, which check and announce what is said"}

// areLines reports whether b is one line for each step, with no CR, LF or NUL but in the line ends, and after a line nothing but its
// step's Data. An empty line may end all (the end of a header).
func areLines(b []byte, steps []Step) bool {
	for i := range steps {
		line, rest, ok := bytes.Cut(b, []byte("\r\n"))
		if !ok || bytes.ContainsAny(line, "\r\n\x00") {
			return false
		}
		b = bytes.TrimPrefix(rest, []byte(steps[i].Data))
	}
	return len(b) == 0 || string(b) == "\r\n"
}

func verbs(steps []Step) string {
	list := make([]string, len(steps))
	for i := range steps {
		list[i] = steps[i].name()
	}
	return strings.Join(list, ", ")
}

// Announce checks steps and puts them into the trace, for what no Conn.Send says: frames, datagrams, what a library or a program says, and
// what is read from this machine. If one step fails the check, none is announced, and none may be said. A handler announces the Plan's
// steps unchanged, with the values that replies supply filled in; a step that a library says on its own has an If that names the library.
func (e *Env) Announce(steps ...Step) error {
	if err := e.checkSteps(steps); err != nil {
		return err
	}
	e.announce(steps)
	return nil
}

// Note puts a remark into the trace, for what no step and no byte shows.
func (e *Env) Note(text string) { e.note(0, "", "%s", text) }

// checkSteps is the second check, after the Plan's.
func (e *Env) checkSteps(steps []Step) error {
	for i := range steps {
		if err := e.scheme.checkStep(&steps[i]); err != nil {
			return Errorf(ErrProtocol, "a value from the server cannot be sent back to it: %w", err)
		}
	}
	return nil
}

func (e *Env) announce(steps []Step) {
	if e.trace == nil {
		return
	}
	for i := range steps {
		s := &steps[i]
		said := *s
		if said.Secret {
			said.Args, said.Data, said.Tail = nil, "", nil
		}
		if !e.planned(s) { // replies supply some of it
			said.Args, said.Data = e.secrets.MaskAll(said.Args), e.secrets.MaskText(said.Data)
		}
		e.trace(Event{Time: now(), Dir: InWords, Step: &said})
	}
}

// checkStep refuses octets that would end the line which carries them: a second command, header or filter. Then the scheme's own grammar
// is asked. The error has no Kind: while planning it is ErrRefusedURL, before sending ErrProtocol.
func (s *Scheme) checkStep(st *Step) error {
	if hasLineEnd(st.Verb) {
		return errors.New("CR, LF or NUL in a command")
	}
	if slices.ContainsFunc(st.Args, hasLineEnd) || slices.ContainsFunc(st.Tail, hasLineEnd) {
		return errors.New("CR, LF or NUL in an argument of " + st.name())
	}
	if s.Grammar == nil {
		return nil
	}
	return s.Grammar(st)
}

// checkUserOnly refuses what somebody else's words have the user say.
func (s *Scheme) checkUserOnly(u uri.URI) error {
	if s.UserOnly == nil || !s.UserOnly(u) {
		return nil
	}
	return &Error{Kind: ErrRedirect, Text: "a link or referral to lines that only the user may send", Hint: "a user who wants to send them gives the URI"}
}

func hasLineEnd(s string) bool { return strings.ContainsAny(s, "\r\n\x00") }

func (s *Step) name() string {
	if s.Verb == "" {
		return "the request"
	}
	return s.Verb
}
