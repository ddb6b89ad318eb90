package news

import (
	"slices"

	"example.org/deref/fetch"
)

// maxCapabilities bounds how many lines of CAPABILITIES are kept.
const maxCapabilities = 200

// begin sends the opening, if the session is new, and then the steps of the request. If the session only reads, all are one pipeline; else the mode
// comes first, and TLS before passwords, and each waits for its reply. The next reply to read is the first one to the request.
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
	if !r.serial && !r.needsSetup(r.plan.Options) {
		return r.pipeline(main)
	}
	for _, step := range []func() error{r.firstCapabilities, r.startTLS, r.login} {
		if err := step(); err != nil {
			return err
		}
	}
	s.ready = true
	s.enqueue(main...)
	return nil
}

// pipeline sends CAPABILITIES and the request. A server that does not serve readers yet refuses all of it, and gets all of it again.
func (r *run) pipeline(main []fetch.Step) error {
	s := r.s
	s.enqueue(r.plan.When("")[0])
	s.enqueue(main...)
	if err := r.capabilities(); err != nil {
		return err
	}
	switch {
	case s.wantsModeReader():
	case s.caps == nil && !s.reader:
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

// wantsModeReader reports whether the server announces that it serves readers in another mode (RFC 3977 section 5.3).
func (s *session) wantsModeReader() bool {
	return !s.reader && s.offers("MODE-READER", "") && !s.offers("READER", "")
}

// refusesReader looks at the next reply without consuming it. A server older than RFC 3977 that needs MODE READER refuses the request.
func (r *run) refusesReader() (bool, error) {
	a, err := r.s.readReply()
	if err != nil {
		return false, r.end(r.blamePipeline(err))
	}
	r.s.peeked = &a
	return a.code == 401 || a.code == 480 || unknown(a.code), nil
}

// firstCapabilities requests the capabilities, those of the mode for readers if the setup depends on them.
func (r *run) firstCapabilities() error {
	r.s.enqueue(r.plan.When("")[0])
	if err := r.capabilities(); err != nil {
		return err
	}
	old := r.s.caps == nil && !r.s.reader
	if !old && !r.s.wantsModeReader() {
		return nil
	}
	if err := r.modeReader(); err != nil || old || !r.needsSetup(r.plan.Options) {
		return err
	}
	r.s.enqueue(r.plan.When(ifReader)[1:]...)
	return r.capabilities()
}

// capabilities reads the reply to CAPABILITIES. Servers older than RFC 3977 do not know it.
func (r *run) capabilities() error {
	step, a, err := r.nextReply()
	if err != nil {
		return err
	}
	r.s.caps = nil
	if a.code != 101 {
		r.env.Deviates("RFC 3977 section 5.2", "the reply to CAPABILITIES", "%d instead of 101", a.code)
		if a.code == 480 && r.plan.Options.Login.Set {
			return nil // QUIRK: some servers require a login first, against RFC 3977 section 5.2 (observed in Python's test_nntplib)
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

// modeReader sends MODE READER alone, and lets later connections know that it is needed.
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

// startTLS sends STARTTLS (RFC 4642) if it is required, or if it is offered and a password is to be sent. If a server offers it and then
// refuses, the password is not sent.
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
	}
	if err := r.env.StartTLS(r.ctx, r.s.conn); err != nil {
		return r.end(err)
	}
	r.s.secure = true
	r.s.enqueue(steps[1])
	return r.capabilities()
}

// tlsSteps returns the steps that require TLS.
func tlsSteps(steps []fetch.Step) []fetch.Step {
	for i, s := range steps {
		if s.Verb == "STARTTLS" {
			return steps[i : i+2]
		}
	}
	return nil
}

// login authenticates the user (RFC 4643).
func (r *run) login() error {
	if !r.plan.Options.Login.Set {
		return nil
	}
	defer r.s.conn.Record(fetch.RecordTexts) // articles arrive together with the replies before them
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

// do sends one step and accepts only replies with some codes.
func (r *run) do(s fetch.Step, codes ...int) (reply, error) {
	r.s.enqueue(s)
	_, a, err := r.nextReply()
	if err != nil {
		return a, err
	}
	if !slices.Contains(codes, a.code) {
		return a, fail(s, a)
	}
	return a, nil
}
