package ftp

import (
	"errors"

	"github.com/jlaffaye/ftp"

	"example.org/deref/fetch"
)

// staleSession means that a kept session cannot carry out the request. A new one may.
type staleSession struct{ error }

// Unwrap returns why.
func (s staleSession) Unwrap() error { return s.error }

var errElsewhere = errors.New("the reused session is in another directory")

// isStale reports whether it was the kept session that failed, and not the request: the server had closed it, closes it now, or does
// not let it return to the login directory.
func (r *retrieval) isStale(err error) bool {
	if r.ctx.Err() != nil || fetch.KindOf(err) == fetch.ErrTimeout {
		return false
	}
	if no := refused(err); no != nil {
		return no.reply.code == ftp.StatusNotAvailable || no.step.If == ifElsewhere
	}
	return r.s.ctl.replies == 0 && r.s.ctl.broken != nil
}

// mayRetry reports whether the request may be made once more, in another way. All requests only read.
func (r *retrieval) mayRetry(err error) bool {
	if r.ctx.Err() != nil {
		return false
	}
	if _, ok := errors.AsType[staleSession](err); ok {
		return true // the number of kept sessions is finite
	}
	if _, ok := errors.AsType[pipelineError](err); ok && !r.serial {
		r.serial = true
		r.env.Peer().Set(noPipelining, true)
		return true
	}
	if _, ok := errors.AsType[busyPortError](err); ok { // was counted by mayRetryBusyPort
		r.serial = true
		return true
	}
	if u, ok := errors.AsType[unreachablePort](err); ok {
		return r.tryOtherMode(u)
	}
	no := refused(err)
	switch {
	case no != nil && no.step.Verb == "REST" && !r.req.same.IsZero() && !r.noREST:
		r.noREST = true
		return true
	case no != nil && no.step.Verb == "PASV" && r.epsv == epsvAbandoned:
		r.epsv, r.noEPSV = epsvFully, false
		return true
	}
	return r.mayRetryPort(err)
}

// maxPortRetries is how often a server may happen on a refused port. The Policy refuses so few ports that it rarely happens twice.
const maxPortRetries = 2

// mayRetryPort reports whether the server should be asked for another port, because the Policy refuses the one that it chose. A server that
// takes its ports from 20000 to 29999 chooses 27017 twice in twenty thousand files.
func (r *retrieval) mayRetryPort(err error) bool {
	if fetch.KindOf(err) != fetch.ErrRefusedPort || r.s == nil || r.port < 1024 || r.portRetries == maxPortRetries {
		return false
	}
	r.portRetries++
	return true
}

// unreachablePort means that a connection to a granted port failed.
type unreachablePort struct {
	error
	verb string // that was granted
}

// Unwrap returns why.
func (u unreachablePort) Unwrap() error { return u.error }

// tryOtherMode chooses another way to a data connection after an unreachable port. It reports false if there is none.
func (r *retrieval) tryOtherMode(u unreachablePort) bool {
	switch {
	case r.mayAbandonEPSV() && fetch.KindOf(u) == fetch.ErrTimeout:
		r.epsv, r.noEPSV = epsvAbandoned, true
		return true
	case r.epsv == epsvAbandoned:
		r.epsv, r.noEPSV = epsvFully, false
		return true
	case r.epsv == epsvFully && u.verb == "EPSV": // and PASV was tried before
		if r.noPASV || len(r.plan.When(ifNoPASV)) == 0 {
			return false
		}
		r.noEPSV, r.noPASV = true, true
		return true
	case u.verb == "EPSV" && !r.noEPSV && len(r.plan.When(ifNoEPSV)) > 0:
		r.avoidEPSV()
		return true
	case u.verb == "PASV" && !r.noPASV && len(r.plan.When(ifNoPASV)) > 0:
		r.noPASV = true
		return true
	}
	return false
}

// avoidEPSV makes PASV the first way to a data connection, in this request and later ones: the server refuses EPSV, or its ports cannot be reached.
func (r *retrieval) avoidEPSV() {
	r.noEPSV = true
	r.env.Peer().Set(noEPSV, true)
}
