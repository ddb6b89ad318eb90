package ftp

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/jlaffaye/ftp"

	"example.org/deref/fetch"
)

// run is one request.
type run struct {
	h    *handler
	ctx  context.Context
	plan *fetch.Plan
	env  *fetch.Env
	w    *wish

	known          bool // the server was asked for something before
	serial, noREST bool // learned in this request
	noEPSV, noPASV bool
	s              *session
	done           func(bool)
	listener       *fetch.Listener
	setupVerb      string // of the port that was granted last
	unlucky        int    // refused ports that the server has happened on
	ports          int    // ports that were requested again after a 425
	hurry          hurry
	data           *data
	ignored        netip.Addr  // named by 227, not connected to
	watch          *time.Timer // of the control connection during a transfer
	resp           *ftp.Response

	facts
}

// Facts about servers.
const (
	noPipelining = "no pipelining"
	withMLSD     = "FEAT lists MLST"
	withoutMLSD  = "FEAT does not list MLST"
	noMLSD       = "MLSD is refused"
	visited      = "visited"
	visitedAgain = "visited again"
)

// Run carries the plan out.
func (h *handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	w, err := h.wishOf(p.URI, p.Options)
	if err != nil {
		return nil, err
	}
	r := &run{h: h, ctx: ctx, plan: p, env: env, w: w}
	r.serial = w.serial || w.account != "" || env.Knows(noPipelining) // an account may be asked for in the middle
	r.noEPSV = env.Knows("EPSV" + unreachableFact)
	r.visit()
	for {
		d, err := r.attempt()
		if err == nil || !r.again(err) {
			return d, err
		}
	}
}

// visit notes that the server is asked for something: once by most, again by those who may ask for more.
func (r *run) visit() {
	r.known = r.env.Knows(visited)
	fact := visited
	if r.known {
		fact = visitedAgain
	}
	r.env.Learn(fact)
}

// finish ends a request whose conversation is in order. The connection is kept if others have asked the same server since this
// Client began; a single document ends with QUIT, whose reply nobody needs.
func (r *run) finish() {
	s := r.s
	switch {
	case !s.in || !s.ctl.atRest():
		r.done(false)
		return
	case r.env.Knows(visitedAgain):
		r.done(true)
		return
	}
	for _, q := range r.plan.When("") {
		if q.Verb == "QUIT" {
			s.ctl.quit = q
			s.lib.Quit()
			s.left = true
		}
	}
	r.done(false)
}

const unreachableFact = " leads nowhere"

// stale says that a kept connection is of no use, and another may be.
type stale struct{ error }

// Unwrap returns why.
func (s stale) Unwrap() error { return s.error }

// again reports whether the request may be made once more, in another way: everything here only reads.
func (r *run) again(err error) bool {
	if r.ctx.Err() != nil {
		return false
	}
	if _, ok := errors.AsType[stale](err); ok {
		return true // there are only so many kept connections
	}
	if _, ok := errors.AsType[dislike](err); ok && !r.serial {
		r.serial = true
		r.env.Learn(noPipelining)
		return true
	}
	if _, ok := errors.AsType[busyPort](err); ok { // setup has counted
		r.serial = true
		return true
	}
	if no := refused(err); no != nil && no.step.Verb == "REST" && !r.w.same.IsZero() && !r.noREST {
		r.noREST = true
		return true
	}
	if u, ok := errors.AsType[unreachable](err); ok {
		return r.around(u)
	}
	if no := refused(err); no != nil && no.step.Verb == "PASV" && r.hurry == leftEPSV {
		r.hurry, r.noEPSV = patient, false
		return true
	}
	return r.elsewhere(err)
}

// elsewhere reports whether the server should be asked for another port: it has happened on one that the Policy refuses. In twenty
// thousand files a server that takes its ports from 20000 to 29999 comes upon 27017 twice.
func (r *run) elsewhere(err error) bool {
	if fetch.KindOf(err) != fetch.ErrRefusedPort || r.s == nil || r.s.ctl.port < 1024 || r.unlucky == maxUnlucky {
		return false
	}
	r.unlucky++
	return true
}

// maxUnlucky is how often: nobody hits upon the few refused ones of so many ports that often by chance.
const maxUnlucky = 2

// around looks for another way to a data connection than the port that led nowhere.
func (r *run) around(u unreachable) bool {
	switch {
	case r.mayLeaveEPSV() && fetch.KindOf(u) == fetch.ErrTimeout:
		r.hurry, r.noEPSV = leftEPSV, true
		return true
	case r.hurry == leftEPSV:
		r.hurry, r.noEPSV = patient, false
		return true
	case r.hurry == patient && u.verb == "EPSV": // and PASV was tried before
		if r.noPASV || len(r.plan.When(ifNoPASV)) == 0 {
			return false
		}
		r.noEPSV, r.noPASV = true, true
		return true
	case u.verb == "EPSV" && !r.noEPSV && len(r.plan.When(ifNoEPSV)) > 0:
		r.noEPSV = true
		r.env.Learn("EPSV" + unreachableFact)
		return true
	case u.verb == "PASV" && !r.noPASV && len(r.plan.When(ifNoPASV)) > 0:
		r.noPASV = true
		return true
	}
	return false
}

// attempt makes the request over one control connection.
func (r *run) attempt() (*fetch.Document, error) {
	r.facts = facts{size: -1}
	s, done, err := fetch.Lease(r.ctx, r.env, r.w.ssl+" "+r.w.account, r.open)
	if err != nil {
		return nil, err
	}
	r.s, r.done = s, done
	s.ctl.run, s.ctl.heard, s.ctl.flown = r, 0, false
	kept := s.in
	d, err := r.perform()
	if err == nil {
		return d, nil
	}
	r.unlisten()
	r.watched()
	if _, old := errors.AsType[stale](err); old || kept && r.outworn(err) {
		done(false)
		return nil, stale{err}
	}
	r.finish()
	return nil, err
}

// outworn reports whether it was the kept connection that failed, and not the request: the server had closed it, says goodbye now,
// or does not let it back to the login folder.
func (r *run) outworn(err error) bool {
	if r.ctx.Err() != nil || fetch.KindOf(err) == fetch.ErrTimeout {
		return false
	}
	if no := refused(err); no != nil {
		return no.reply.code == 421 || no.step.If == ifElsewhere
	}
	return r.s.ctl.heard == 0 && r.s.ctl.broken != nil
}

// perform says the steps and makes the document of what comes.
func (r *run) perform() (*fetch.Document, error) {
	main, ok := r.opening()
	if !ok {
		return nil, stale{errElsewhere}
	}
	ask, move := cut(main)
	switch {
	case r.w.op == fetch.Metadata:
		return r.metadata(ask)
	case r.w.conditional():
		if err := r.say(ask); err != nil {
			return nil, err
		}
		if r.unmodified() {
			return r.notModified(), nil
		}
		r.offset = r.from()
		if r.offset < 0 {
			return nil, fetch.Errorf(fetch.ErrRange, "the server does not tell the size, so its last octets cannot be asked for")
		}
		ask = nil
		move = r.restarting(move)
	default:
		r.offset = max(0, r.w.rng.From)
	}
	if r.w.folder() {
		return r.list(ask, move)
	}
	return r.file(ask, move)
}

var errElsewhere = errors.New("the kept connection stands in another folder")

// opening returns the steps of this request over the session that it got: all of them on a new one, the rest on a kept one.
func (r *run) opening() (steps []fetch.Step, ok bool) {
	var login, cwds []fetch.Step
	rest := make([]fetch.Step, 0, 6) // TYPE, SIZE, MDTM, EPSV, REST, RETR
	for i := range r.plan.Steps {    // those of When(""), without a copy of them
		s := r.plan.Steps[i]
		if s.If != "" {
			continue
		}
		switch s.Verb {
		case "AUTH", "QUIT":
		case "USER", "PASS", "PBSZ", "PROT":
			login = append(login, s)
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
	if r.s.in {
		if cwds, ok = r.s.way(cwds, r.plan.When(ifElsewhere)); len(cwds) == 0 {
			return rest, ok
		}
		return append(cwds, rest...), ok
	}
	if r.s.tls && r.w.ssl == "try" {
		login = append(login, r.plan.When(ifTLS)...)
	}
	if r.known {
		login = append(login, r.plan.When(ifVisited)...)
	}
	return append(append(login, cwds...), rest...), true
}

// cut parts the steps on the control connection from those of the transfer.
func cut(steps []fetch.Step) (ask, move []fetch.Step) {
	for i, s := range steps {
		if arranges(s.Verb) {
			return steps[:i:i], steps[i:]
		}
	}
	return steps, nil
}
