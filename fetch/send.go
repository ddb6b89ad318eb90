package fetch

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"example.org/deref/uri"
)

// A Form appends steps to b as the bytes to send. It adds the framing (line ends, a tag, parameters that the server's extensions allow). All
// other values belong in the steps.
type Form func(b []byte, steps []Step) []byte

// Lines is the Form of most text protocols: each step is one line, Step.Line, that ends with CRLF. It ignores Step.Data.
func Lines(b []byte, steps []Step) []byte {
	for i := range steps {
		b = append(steps[i].appendLine(b), "\r\n"...)
	}
	return b
}

// LinesWithData is Lines with Step.Data after its line, for protocols whose line announces its length.
func LinesWithData(b []byte, steps []Step) []byte {
	for i := range steps {
		b = append(append(steps[i].appendLine(b), "\r\n"...), steps[i].Data...)
	}
	return b
}

// Send sends steps as Lines, in one write.
func (c *Conn) Send(steps ...Step) error { return c.SendAs(Lines, steps...) }

// SendAs checks steps, announces them in the trace, and sends them in one write. A handler for a line protocol sends its commands in no other
// way: values that the Plan did not know (the answer to a challenge, a Message-ID from a reply) pass the same check here, directly before the
// socket, and the form must turn the steps into as many lines. If a check fails, no step is sent, and the error is ErrProtocol: values from the
// URI or the user were checked while planning, so the value came from the peer.
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
	c.noteSent(steps)
	_, err := c.write(c.sent)
	return err
}

// Continue sends another line of the last step, such as a response in SASL. It is checked and not announced.
func (c *Conn) Continue(line string) error {
	if hasLineEnd(line) {
		return Errorf(ErrProtocol, "a value from the server cannot be sent back to it: CR, LF or NUL in an answer")
	}
	c.noteContinued()
	c.sent = append(append(c.sent[:0], line...), "\r\n"...)
	_, err := c.write(c.sent)
	return err
}

// SendBody checks and announces s, whose Data is a document of the user (an article, a message), and returns the Writer for its bytes. The caller
// makes sure that nothing in the document looks like its end.
func (c *Conn) SendBody(s Step) (io.Writer, error) {
	r := c.working()
	if r == nil {
		return nil, errEnded
	}
	if err := r.checkSteps([]Step{s}); err != nil {
		return nil, err
	}
	r.announce([]Step{s})
	c.noteSent([]Step{s})
	return c.Unchecked(), nil
}

// Unchecked returns a Writer for a library that writes the lines of a protocol itself. The caller checks the values that it passes to the library,
// announces the steps, and checks the output.
func (c *Conn) Unchecked() io.Writer { return unchecked{c} }

type unchecked struct{ c *Conn }

func (u unchecked) Write(p []byte) (int, error) { return u.c.write(p) }

// errUnannounced is the error of Write on a connection whose lines are recorded.
var errUnannounced = &Error{Kind: ErrLocal, Text: "a line protocol sends by Conn.Send, SendAs or SendBody, which check and announce the steps"}

// areLines reports whether b is one line for each step, without CR, LF or NUL except in line ends, and with nothing after a line but its step's
// Data. An empty line may follow (the end of a header).
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

// Announce checks steps and puts them into the trace. It is for everything that Conn.Send does not send: frames, datagrams, the output of a
// library or program, and reads on this machine. If one step fails the check, none is announced, and none may be sent. A handler announces the
// Plan's steps unchanged, except that values from replies are filled in. A step that a library sends on its own has an If that names the
// library.
func (e *Env) Announce(steps ...Step) error {
	if err := e.checkSteps(steps); err != nil {
		return err
	}
	e.announce(steps)
	return nil
}

// Note adds a remark to the trace, for events that neither steps nor bytes show.
func (e *Env) Note(text string) { e.note(0, "", "%s", text) }

// checkSteps checks steps before they are sent, as checkPlan has done for the Plan's.
func (e *Env) checkSteps(steps []Step) error {
	for i := range steps {
		if err := e.scheme.checkStep(&steps[i]); err != nil {
			return Errorf(ErrProtocol, "a value from the server cannot be sent back to it: %w", err)
		}
	}
	return nil
}

func (e *Env) announce(steps []Step) {
	if len(steps) > 0 {
		e.mu.Lock()
		e.announced = steps[len(steps)-1].Verb
		e.mu.Unlock()
	}
	if e.trace == nil {
		return
	}
	for i := range steps {
		s := &steps[i]
		shown := *s
		shown.Get = shown.Get.WithoutPassword()
		if shown.Secret {
			shown.Args, shown.Data, shown.Tail = nil, "", nil
		}
		if !e.planned(s) { // some of it is from replies
			shown.Args, shown.Data = e.secrets.MaskAll(shown.Args), e.secrets.MaskText(shown.Data)
		}
		e.trace(Event{Time: now(), Dir: InWords, Step: &shown})
	}
}

// checkStep returns an error for bytes that would end their line and begin a second command, header or filter. Then it applies the scheme's
// Grammar. The error has no Kind: while planning it becomes ErrRefusedURL, before sending ErrProtocol.
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

// checkUserOnly returns an error for a link or referral to a URI that only the user may use.
func (s *Scheme) checkUserOnly(u uri.URI) error {
	if s.UserOnly == nil || !s.UserOnly(u) {
		return nil
	}
	return &Error{Kind: ErrRedirect, Text: "a link or referral to lines that only the user may send", Hint: "they are sent if the user requests the URI directly"}
}

// hasLineEnd is called twice for each value that is sent. It takes 0.6 of the time of strings.ContainsAny.
func hasLineEnd(s string) bool {
	for i := range len(s) {
		if c := s[i]; c == '\r' || c == '\n' || c == 0 {
			return true
		}
	}
	return false
}

func (s *Step) name() string {
	if s.Verb == "" {
		return "the request"
	}
	return s.Verb
}
