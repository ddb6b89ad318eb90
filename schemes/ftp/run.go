package ftp

import (
	"context"
	"errors"
	"slices"
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
	data           *data
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
			r.env.Say(q)
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
	if no := refused(err); no != nil && no.step.Verb == "REST" && !r.w.same.IsZero() && !r.noREST {
		r.noREST = true
		return true
	}
	if u, ok := errors.AsType[unreachable](err); ok {
		return r.around(u)
	}
	return false
}

// around looks for another way to a data connection than the port that led nowhere.
func (r *run) around(u unreachable) bool {
	switch {
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
	d, err := r.perform()
	if err != nil {
		r.unlisten()
		if kept := s.in && s.ctl.heard == 0 && s.ctl.broken != nil; kept && r.ctx.Err() == nil && !r.timedOut(err) {
			err = stale{err}
		}
		if errors.Is(err, errElsewhere) {
			done(false)
		} else {
			r.finish()
		}
	}
	return d, err
}

func (r *run) timedOut(err error) bool { return fetch.KindOf(err) == fetch.ErrTimeout }

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
	var login, cwds, rest []fetch.Step
	for _, s := range r.plan.When("") {
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
		cwds, ok = r.s.way(cwds, r.plan.When(ifElsewhere))
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

// say says steps, in one flight where that is allowed, and hears their replies.
func (r *run) say(steps []fetch.Step) error {
	c := r.s.ctl
	c.planned, c.flown = steps, false
	if !r.serial && len(steps) > 1 && length(steps) < maxFlight {
		if err := c.fly(); err != nil {
			return err
		}
	}
	for {
		s, _, ok := c.head()
		if !ok {
			return nil
		}
		if err := r.hear(s); err != nil {
			return err
		}
	}
}

// maxFlight bounds a flight: a server that does not read while it cannot write must be able to take all of it in.
const maxFlight = 16 << 10

func length(steps []fetch.Step) (n int) {
	for _, s := range steps {
		n += len(s.Line()) + 2
	}
	return n
}

// hear lets the library, or the part that it does not have, do one step.
func (r *run) hear(s fetch.Step) error {
	c := r.s.ctl
	switch s.Verb {
	case "USER":
		return r.login()
	case "CWD":
		if err := r.called(r.s.lib.ChangeDir(s.Args[0]), s); err != nil {
			return err
		}
		r.s.entered(s.Args[0])
		return nil
	case "TYPE":
		r.s.typ = s.Args[0]
		return r.called(r.s.lib.Type(ftp.TransferType(s.Args[0])), s)
	case "EPSV", "PASV", "PORT", "EPRT":
		return r.transfer()
	}
	a, err := c.exchange("")
	if err != nil {
		return err
	}
	return r.learn(s, a)
}

// entered notes where a CWD has led; one to the login folder is told by its name, which no segment of a URI is taken for.
func (s *session) entered(dir string) {
	if s.home != "" && dir == s.home && len(s.cwd) > 0 {
		s.cwd = nil
		return
	}
	s.cwd = append(s.cwd, dir)
}

// called gives an error of the library its kind: the reply that it did not like, or what the connection did.
func (r *run) called(err error, s fetch.Step) error {
	switch {
	case err == nil:
		return nil
	case fetch.KindOf(err) != "" || r.s.ctl.broken != nil:
		return err
	case r.s.ctl.last.class() >= 4:
		return fail(&refusal{s, r.s.ctl.last})
	}
	return fetch.Errorf(fetch.ErrProtocol, "%s: %w", s.Verb, err)
}

// login says USER and PASS, and PBSZ and PROT inside TLS.
func (r *run) login() error {
	c := r.s.ctl
	c.login = true
	err := r.s.lib.Login(r.w.user, r.w.password)
	c.login = false
	if err == nil {
		r.s.in = true
		return nil
	}
	return r.called(err, c.asked)
}

// transfer arranges a data connection and starts the transfer.
func (r *run) transfer() error {
	c := r.s.ctl
	rest := uint64(0)
	for _, s := range slices.Concat(c.sent, c.planned) {
		if s.Verb == "REST" {
			rest = uint64(r.offset)
		}
	}
	resp, err := r.s.lib.RetrFrom("-", rest)
	if err != nil {
		return r.called(err, c.asked)
	}
	r.resp = resp
	return r.connected()
}

// connected waits for the server's connection in active mode, and begins TLS: servers do so only once they have sent 150.
func (r *run) connected() error {
	if r.listener != nil {
		c, err := r.listener.Wait(r.ctx, nil)
		r.unlisten()
		if err != nil {
			return r.s.ctl.end(err)
		}
		r.data.Conn = c
	}
	if !r.s.tls {
		return nil
	}
	if err := r.env.StartTLS(r.ctx, r.conn()); err != nil {
		return r.s.ctl.end(r.explain(err))
	}
	return nil
}

func (r *run) conn() *fetch.Conn { return r.data.Conn.(*fetch.Conn) }

// explain adds what the server says of a failed TLS on the data connection, if it says something at once.
func (r *run) explain(err error) error {
	if r.ctx.Err() != nil {
		return err
	}
	c := r.s.ctl.Conn
	c.SetReadDeadline(time.Now().Add(time.Second))
	if a, no := readReply(c); no == nil && a.class() >= 4 {
		return fetch.Errorf(fetch.ErrTLS, "%d %s: %w", a.code, a.first(), err)
	}
	return err
}
