package ftp

import (
	"context"
	"errors"

	"example.org/deref/fetch"
)

// retrieval is one run of a plan.
type retrieval struct {
	ctx  context.Context
	plan *fetch.Plan
	env  *fetch.Env
	req  *request

	visited         bool // an earlier request went to the server
	serial, noREST  bool // learned in this request
	noEPSV, noPASV  bool
	epsv            epsvWait
	portRetries     int // of ports that the Policy refuses
	busyPortRetries int // of ports that the server could not open

	s    *session
	done func(bool)
	dataConnection
	mediaType, typeReason string

	facts
}

// Facts about servers.
const (
	noPipelining = "no pipelining"
	noEPSV       = "EPSV is refused, or its ports are unreachable"
	withUTF8     = "FEAT lists UTF8"
	withMLSD     = "FEAT lists MLST"
	withoutMLSD  = "FEAT does not list MLST"
	noMLSD       = "MLSD is refused"
	visited      = "visited"
	visitedAgain = "visited again"
)

// run carries the plan out.
func (q *request) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r := &retrieval{ctx: ctx, plan: p, env: env, req: q, mediaType: q.mediaType, typeReason: q.typeReason}
	r.serial = q.serial || q.account != "" || env.Peer().Get(noPipelining) != nil // ACCT may be needed in the middle
	r.noEPSV = env.Peer().Get(noEPSV) != nil
	r.visit()
	for {
		d, err := r.attempt()
		if err == nil || !r.mayRetry(err) {
			return d, err
		}
	}
}

// visit records that the Client uses the server for the first time, or again. A Client that uses it again probably has more requests.
func (r *retrieval) visit() {
	r.visited = r.env.Peer().Get(visited) != nil
	fact := visited
	if r.visited {
		fact = visitedAgain
	}
	r.env.Peer().Set(fact, true)
}

// finish ends a request. The session is kept if the conversation is in order and the Client has sent earlier requests to the same
// server. A single document ends with QUIT, whose reply nobody needs.
func (r *retrieval) finish() {
	r.done(r.s.loggedIn && r.s.ctl.idle() && r.env.Peer().Get(visitedAgain) != nil)
}

// attempt carries the plan out over one control connection.
func (r *retrieval) attempt() (*fetch.Document, error) {
	r.facts = r.req.listed
	s, done, err := fetch.Lease(r.ctx, r.env, r.req.sessionKind(), r.open)
	if err != nil {
		return nil, err
	}
	r.s, r.done = s, done
	s.ctl.ctx, s.ctl.env, s.ctl.replies, s.ctl.pipelined = r.ctx, r.env, 0, false
	kept := s.loggedIn
	d, err := r.converse()
	if err == nil {
		return d, nil
	}
	r.closeData()
	r.stopWatch()
	if _, stale := errors.AsType[staleSession](err); stale || kept && r.isStale(err) {
		done(false)
		return nil, staleSession{err}
	}
	r.finish()
	return nil, err
}

// converse carries out the steps and makes the document.
func (r *retrieval) converse() (*fetch.Document, error) {
	steps, ok := r.mainSteps()
	if !ok {
		return nil, staleSession{errElsewhere}
	}
	prepare, transfer := split(steps)
	switch {
	case r.req.op == fetch.Metadata:
		return r.metadata(prepare)
	case r.req.conditional():
		if err := r.carryOut(prepare); err != nil {
			return nil, err
		}
		if r.unmodified() {
			return r.notModified(), nil
		}
		r.offset = r.startOffset()
		if r.offset < 0 {
			return nil, fetch.Errorf(fetch.ErrRange, "cannot fetch the last bytes: the server does not report the size")
		}
		prepare, transfer = nil, r.withRestart(transfer)
	default:
		r.offset = max(0, r.req.rng.From)
	}
	if r.req.digest && !r.req.isDirectory() {
		if err := r.requestHash(prepare); err != nil {
			return nil, err
		}
		prepare = nil
	}
	if r.req.isDirectory() {
		return r.list(prepare, transfer)
	}
	return r.file(prepare, transfer)
}

// mainSteps returns the unconditional steps of the plan that the session needs: all on a new one, those after the login on a kept one.
// It reports false if a kept session cannot return to the login directory.
func (r *retrieval) mainSteps() (steps []fetch.Step, ok bool) {
	var login, options, cwds []fetch.Step
	var rest []fetch.Step // TYPE, SIZE, MDTM, EPSV, REST, RETR
	for _, s := range r.plan.When("") {
		switch s.Verb {
		case "AUTH", "QUIT":
		case "USER", "PASS", "PBSZ", "PROT":
			login = append(login, s)
		case "OPTS":
			if s.Args[0] == "HASH" {
				rest = append(rest, s)
			} else if !r.s.utf8 {
				options = append(options, s)
			}
		case "CWD":
			cwds = append(cwds, s)
		case "TYPE":
			if r.s.typ != s.Args[0] {
				rest = append(rest, s)
			}
		default:
			rest = append(rest, s)
		}
	}
	if r.s.loggedIn {
		if cwds, ok = r.s.route(cwds, r.plan.When(ifElsewhere)); len(cwds)+len(options) == 0 {
			return rest, ok
		}
		return append(append(options, cwds...), rest...), ok
	}
	if r.s.tls && r.req.ssl == "try" {
		login = append(login, r.plan.When(ifTLS)...)
	}
	if r.visited {
		login = append(login, r.plan.When(ifVisited)...)
	}
	return append(append(append(login, options...), cwds...), rest...), true
}

// split separates the steps before a transfer from those of the transfer, which begin with its data connection.
func split(steps []fetch.Step) (prepare, transfer []fetch.Step) {
	for i, s := range steps {
		if arranges(s.Verb) {
			return steps[:i:i], steps[i:]
		}
	}
	return steps, nil
}

// carryOut sends steps, in a pipeline if that is allowed, and handles their replies.
func (r *retrieval) carryOut(steps []fetch.Step) error {
	c := r.s.ctl
	err := c.start(steps, !r.serial)
	for s, ok := c.next(); ok && err == nil; s, ok = c.next() {
		err = r.carryOutStep(s)
	}
	if err != nil {
		r.closeData()
	}
	return err
}

func (r *retrieval) carryOutStep(s fetch.Step) error {
	if arranges(s.Verb) {
		return r.connectData()
	}
	c := r.s.ctl
	a, err := c.exchange()
	if err == nil && (s.Verb == "USER" || s.Verb == "PASS") {
		a, err = r.loggingIn(a)
	}
	switch {
	case err != nil:
		return err
	case isQuestion(s.Verb):
		return r.learn(s, a)
	case a.class() >= 4 && transfers(s.Verb):
		return r.transferRefused(&refusal{s, a})
	case a.class() >= 4:
		return fail(&refusal{c.step, a}) // ACCT after PASS
	}
	switch s.Verb {
	case "CWD":
		r.s.entered(s.Args[0])
	case "TYPE":
		r.s.typ = s.Args[0]
	case "RETR", "MLSD", "LIST":
		return r.transferBegun()
	}
	if n, ok := c.next(); isLogin(s.Verb) && !(ok && isLogin(n.Verb)) {
		r.s.loggedIn = true
	}
	return nil
}
