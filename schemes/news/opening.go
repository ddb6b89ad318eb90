package news

import (
	"io"

	"example.org/deref/fetch"
)

// maxCapabilities bounds what is kept of CAPABILITIES.
const maxCapabilities = 200

// begin says the opening, if the session is new, and the steps of the request behind it. Where nothing but reading is to be arranged,
// all goes in one flight: the first reply to the request is the next to be heard.
func (r *run) begin(main []fetch.Step) error {
	s := r.s
	switch {
	case s.ready:
		s.enqueue(main...)
		return nil
	case r.env.Peer().Get(needsReader) != nil:
		if err := r.modeReader(); err != nil {
			return err
		}
	}
	if r.needsSetup(r.plan.Options) {
		if err := r.setUp(); err != nil {
			return err
		}
		s.enqueue(main...)
		return nil
	}
	return r.pipeline(main)
}

// fly says CAPABILITIES and the request. A server that is no reader yet has refused all of it, and is told all of it again.
func (r *run) pipeline(main []fetch.Step) error {
	s := r.s
	s.enqueue(r.plan.When("")[0])
	s.enqueue(main...)
	if err := r.capabilities(); err != nil {
		return err
	}
	switch {
	case s.wantsModeReader():
	case s.caps == nil && !s.reader && r.serial:
		s.queue = nil
		if err := r.modeReader(); err != nil {
			return err
		}
		s.enqueue(main...)
		s.ready = true
		return nil
	case s.caps == nil && !s.reader && len(s.sent) > 0:
		refused, err := r.refusesReader()
		if err != nil || !refused {
			s.ready = err == nil
			return err
		}
	default:
		s.ready = true
		return nil
	}
	if err := r.drain(); err != nil {
		return err
	}
	if err := r.modeReader(); err != nil {
		return err
	}
	return r.pipeline(main)
}

// mustSwitch reports whether the server says that it serves readers in another mode (RFC 3977 section 5.3).
func (s *session) wantsModeReader() bool {
	return !s.reader && s.offers("MODE-READER", "") && !s.offers("READER", "")
}

// doubtful looks at the reply that comes next, without taking it: a server of before RFC 3977 that wants MODE READER refuses the request.
func (r *run) refusesReader() (bool, error) {
	r.s.begin()
	line, err := r.s.peekLine()
	if err != nil {
		return false, nil // it is met again by hear
	}
	a, ok := parseReply(string(line))
	return ok && (a.code == 401 || a.code == 480 || unknown(a.code)), nil
}

// arrange brings about what goes beyond reading, in the order that the RFCs ask for: the mode first, TLS before passwords, and
// compression last. Each waits for its reply: none of these may be part of a flight.
func (r *run) setUp() error {
	for _, step := range []func() error{r.firstCapabilities, r.startTLS, r.login, r.recordTexts, r.startCompression} {
		if err := step(); err != nil {
			return err
		}
	}
	r.s.ready = true
	return nil
}

// texts ends the part of the conversation that has credentials in it: articles come together with the replies before them.
func (r *run) recordTexts() error {
	r.s.conn.Record(fetch.RecordTexts)
	return nil
}

func (r *run) firstCapabilities() error {
	r.s.enqueue(r.plan.When("")[0])
	if err := r.capabilities(); err != nil {
		return err
	}
	old := r.s.caps == nil && !r.s.reader
	if !old && !r.s.wantsModeReader() {
		return nil
	}
	if err := r.modeReader(); err != nil || old {
		return err
	}
	r.s.enqueue(r.plan.When(ifReader)[1:]...)
	return r.capabilities()
}

// capabilities hears the reply to CAPABILITIES; servers of before RFC 3977 do not know it.
func (r *run) capabilities() error {
	step, a, err := r.nextReply()
	if err != nil {
		return err
	}
	r.s.caps = nil
	if a.code != 101 {
		if a.code == 480 && r.plan.Options.Login.Set {
			return nil // QUIRK: a server that wants a login first, which RFC 3977 §5.2 does not allow (seen in Python's test_nntplib)
		}
		if a.code == 480 || !unknown(a.code) {
			return fail(step, a)
		}
		return nil
	}
	r.s.caps = []string{}
	return r.end(r.s.readText(func(line string) {
		if len(r.s.caps) < maxCapabilities {
			r.s.caps = append(r.s.caps, line)
		}
	}))
}

// modeReader says MODE READER, alone, and remembers for later connections that it is wanted.
func (r *run) modeReader() error {
	step := r.plan.When(ifReader)[0]
	r.s.enqueue(step)
	_, a, err := r.nextReply()
	switch {
	case err != nil:
		return err
	case a.code == 200 || a.code == 201:
		r.env.Peer().Set(needsReader, true)
	case !unknown(a.code) || a.code == 502:
		return fail(step, a)
	}
	r.s.reader = true
	return nil
}

// protect says STARTTLS (RFC 4642) where it is required, or offered and a password is to be sent. A server that offers it and then
// refuses is not sent the password in clear.
func (r *run) startTLS() error {
	steps := tlsSteps(r.plan.When(""))
	if len(steps) == 0 && r.s.offers("STARTTLS", "") {
		steps = r.plan.When(ifTLS)
	}
	if len(steps) == 0 || r.s.secure {
		return nil
	}
	r.s.enqueue(steps[0])
	step, a, err := r.nextReply()
	switch {
	case err != nil:
		return err
	case a.code != 382:
		return fail(step, a)
	case len(r.s.buffered()) > 0:
		return r.end(fetch.Errorf(fetch.ErrProtocol, "the server sent more in clear behind its consent to TLS"))
	}
	if err := r.env.StartTLS(r.ctx, r.s.conn); err != nil {
		return r.end(err)
	}
	r.s.secure = true
	r.s.enqueue(steps[1])
	return r.capabilities()
}

// startTLS are the steps that require TLS.
func tlsSteps(steps []fetch.Step) []fetch.Step {
	for i, s := range steps {
		if s.Verb == "STARTTLS" {
			return steps[i : i+2]
		}
	}
	return nil
}

// login says who the user is: RFC 4643.
func (r *run) login() error {
	if !r.plan.Options.Login.Set {
		return nil
	}
	if sasl := r.plan.When(ifSASL); r.s.offers("SASL", "PLAIN") && !r.s.offers("AUTHINFO", "USER") {
		for _, a := range sasl[0].Args {
			r.env.Hide(a)
		}
		_, err := r.do(sasl[0], 281)
		return err
	}
	a, err := r.do(r.plan.When(ifUser)[0], 281, 381)
	if err == nil && a.code == 381 {
		_, err = r.do(r.plan.When(ifPassword)[0], 281)
	}
	return err
}

// ask says one step, and takes the replies of some codes only.
func (r *run) do(s fetch.Step, codes ...int) (reply, error) {
	r.s.enqueue(s)
	_, a, err := r.nextReply()
	if err != nil {
		return a, err
	}
	for _, c := range codes {
		if a.code == c {
			return a, nil
		}
	}
	return a, fail(s, a)
}

// compressed says COMPRESS DEFLATE where that is wanted and offered (RFC 8054).
func (r *run) startCompression() error {
	steps := r.plan.When(ifCompress)
	if len(steps) == 0 || !r.s.offers("COMPRESS", "DEFLATE") {
		return nil
	}
	if _, err := r.do(steps[0], 206); err != nil {
		return err
	}
	r.s.compress()
	return nil
}

// peekLine waits for a whole line, and leaves it.
func (w *wire) peekLine() ([]byte, error) {
	line, err := w.readLine()
	if err != nil {
		return nil, err
	}
	end := 1
	if w.r >= 2 && w.buf[w.r-2] == '\r' {
		end = 2
	}
	w.r -= len(line) + end
	return line, nil
}

var _ io.Closer = (*session)(nil)
