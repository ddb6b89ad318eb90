package batch

import (
	"errors"
	"fmt"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/retry"
	"example.org/deref/uri"
)

// A server is the state of one server, by scheme, host and port as written, that has refused requests or failed. Others have no state, so a list of
// working hosts costs nothing.
//
// A server refuses requests (isRefusal) if it accepts only so many at a time or in a time: "421 too many connections", 429, 503, or a connection
// that it does not accept. The first refusal while other requests run lowers the limit to the number of those, since that many were served. If a
// lone request is refused, a pause begins, and each further refusal doubles it. Responses undo that: some halve the pause, and, when there is none,
// some raise the limit by one, more of them each time that this was too early. A refused request is repeated, which does not count as a try of
// the retry policy.
//
// It holds:
//
//   - limit is 0 (none) until a request is refused, and then 1 to PerHost. pause is 0 while limit is above 1.
//   - sure is never slower than pace.
//   - failures is 0 after each response. until is zero, and the server gets requests, as long as failures has not reached Patience.
//   - It outlives a response only if it has a limit.
type server struct {
	pace
	sure pace // the pace without refusals that may concern single documents
	good int  // responses since the pace changed
	step int  // responses after which it rises
	rose bool // it rose since the last refusal
	outage

	last    time.Time // time of the latest response; zero if there was none
	since   time.Time // time of the first refusal of a lone request since then; zero if none
	alone   int64     // number of the item of that refusal
	several bool      // refusals of other lone requests since then
}

// A pace is how many requests a server gets.
type pace struct {
	limit int           // at a time
	pause time.Duration // after each response
}

// An outage is the failures of a server since its latest response.
type outage struct {
	failures int       // in a row, and refusals, if there was never a response
	until    time.Time // it gets no request until then, and then one; zero if it gets all
	rests    int       // times in a row that until was set
	probing  bool      // one request is probing whether the server is back
	err      error     // of the latest failure
	refusing bool      // the server is up, but refuses every request
	first    time.Time // when until was set first
}

const (
	firstStep    = 8
	longestStep  = 1024
	firstPause   = 100 * time.Millisecond
	longestPause = 8 * time.Second

	// longestRefusal is how long a server may refuse every request before its items fail.
	longestRefusal = time.Minute
	// mostRefusals is how often an item may be refused while other requests run; then it is requested alone.
	mostRefusals = 2
	// mostAlone is how often an item may be refused while nothing else was requested. After that, the refusal counts as an error of the
	// document, not as a limit of the server.
	mostAlone = 3

	firstRest   = 30 * time.Second
	longestRest = 10 * time.Minute
	probeTime   = time.Second // how soon to check again while the probe is running
	maxServers  = 4096
)

// serverOf returns the state of an item's server, or nil.
func (q *queue) serverOf(it *Item) *server {
	if len(q.servers) == 0 {
		return nil
	}
	return q.servers[serverName(it.URI)]
}

// newServer is serverOf for a server that has refused a request or failed. It returns nil if there are too many.
func (q *queue) newServer(it *Item) *server {
	x := q.serverOf(it)
	if x == nil && len(q.servers) < maxServers {
		x = &server{}
		if sameServer(it.host.good, it.URI) {
			x.last = time.Now()
		}
		q.servers[serverName(it.URI)] = x
	}
	return x
}

// mayStart reports whether an item can be started now. If not, the end of another item offers its host again.
func (q *queue) mayStart(it *Item) bool {
	if it.Postponed && it.Number != q.turn {
		return false
	}
	x := q.serverOf(it)
	return x == nil || x.limit == 0 || q.concurrent(it) < x.limit
}

// concurrent counts the other running requests to an item's server.
func (q *queue) concurrent(it *Item) (n int) {
	for _, other := range q.doing {
		if other != it && sameServer(other.URI, it.URI) {
			n++
		}
	}
	return n
}

// repeat reports whether a refused item must be repeated, and after what time. It slows the pace. The caller holds q.mu.
func (q *queue) repeat(it *Item, err error) (wait time.Duration, again bool) {
	x, others := q.serverOf(it), q.concurrent(it)
	if x == nil || x.limit == 0 {
		if others == 0 && (!sameServer(it.host.good, it.URI) || fetch.KindOf(err) == fetch.ErrConnection) {
			return 0, false
		}
		if x = q.newServer(it); x == nil {
			return 0, false
		}
		x.limit, x.sure.limit, x.step = q.options.PerHost, q.options.PerHost, firstStep
	}
	if wait, again = x.refuse(it, err, others); again && x.last.IsZero() {
		x.failures++
	}
	return wait, again
}

// refuse slows the pace after a refusal, while a number of others were running. It reports whether the item must be repeated, and after what time.
func (x *server) refuse(it *Item, err error, others int) (wait time.Duration, again bool) {
	now := time.Now()
	answeredSince := !it.refusedAt.IsZero() && x.last.After(it.refusedAt)
	if it.refusedAt.IsZero() {
		it.refusedAt = now
	}
	if x.good = 0; x.rose {
		x.rose, x.step = false, min(2*x.step, longestStep)
	}
	if isAnyRequest(err) {
		x.sure.limit = max(1, others)
	}
	if others > 0 {
		x.limit = min(x.limit, others)
		if it.refusals++; it.refusals >= mostRefusals {
			x.limit = 1
		}
		return 0, true
	}
	x.limit = 1
	switch {
	case x.since.IsZero():
		x.since, x.alone, x.several = now, it.Number, false
	case x.alone != it.Number:
		x.several = true
	}
	it.alone++
	switch {
	case x.last.IsZero() && fetch.KindOf(err) != fetch.ErrUnavailable: // as if the server were down
		return 0, false
	case !isAnyRequest(err) && (answeredSince && it.alone > 1 || !x.last.IsZero() && !x.several &&
		it.alone >= mostAlone): // the server serves others, so the refusals were about the document
		x.pace, x.step, x.since = x.sure, firstStep, time.Time{}
		it.atFault = true
		return 0, false
	case x.isRefusing():
		return 0, false
	}
	x.pause = min(max(2*x.pause, firstPause), longestPause)
	if isAnyRequest(err) {
		x.sure.pause = x.pause
	}
	return 2 * x.pause, true // another document is requested first, which shows whether the server refuses that, too
}

// isRefusing reports whether the server has refused every request for so long that its items fail.
func (x *server) isRefusing() bool { return !x.since.IsZero() && time.Since(x.since) >= longestRefusal }

// answer quickens the pace after a response, up to most requests at a time.
func (x *server) answer(most int) {
	x.last, x.since = time.Now(), time.Time{}
	if x.good++; x.pause > 0 { // there are few responses
		x.good++
	}
	if x.good < x.step || x.pause == 0 && x.limit >= most {
		return
	}
	if x.good, x.rose = 0, true; x.pause == 0 {
		x.limit++
		x.sure.limit = max(x.sure.limit, x.limit)
		return
	}
	if x.pause /= 2; x.pause < firstPause {
		x.pause = 0
	}
	x.sure.pause = min(x.sure.pause, x.pause)
}

// record records the result of a request.
func (q *queue) record(it *Item, err error) {
	x := q.serverOf(it)
	switch {
	case isOurs(err), err != nil && it.atFault: // it shows nothing about the server
		q.clearProbe(it)
	case q.options.IsOutage(err):
		if q.options.Patience < 0 {
			return
		}
		if x = q.newServer(it); x != nil {
			x.fail(err, q.options.Patience)
		}
	default:
		isAnswer := !isRefusal(err)
		if isAnswer {
			it.host.good = it.URI
		}
		if x == nil {
			return
		}
		if x.outage = (outage{}); x.limit == 0 {
			delete(q.servers, serverName(it.URI))
		} else if isAnswer {
			x.answer(q.options.PerHost)
		}
	}
}

// fail counts a failure. Requests that were running when until was set change nothing.
func (x *server) fail(err error, patience int) {
	if x.isRefusing() {
		x.refusing, x.failures = true, max(x.failures, patience-1)
	}
	x.failures++
	x.err = err
	if x.until.IsZero() && x.failures < patience || !x.until.IsZero() && !x.probing {
		return
	}
	if x.first.IsZero() {
		x.first = time.Now()
	}
	x.until = time.Now().Add(min(firstRest<<min(x.rests, 8), longestRest))
	x.probing = false
	x.rests++
}

// clearProbe records that the probe was inconclusive.
func (q *queue) clearProbe(it *Item) {
	if x := q.serverOf(it); x != nil {
		x.probing = false
	}
}

// serverDown is the error of an item for which no request was sent.
type serverDown struct {
	err     *fetch.Error
	givenUp bool // it has failed for too long to wait any longer
}

func (l serverDown) Error() string { return l.err.Error() }

// Unwrap returns the error with the kind of the earlier failures.
func (l serverDown) Unwrap() error { return l.err }

func isServerDown(err error) bool {
	_, ok := errors.AsType[serverDown](err)
	return ok
}

// isDown reports whether the item's server gets no request now.
func (q *queue) isDown(it *Item) bool {
	x := q.serverOf(it)
	return x != nil && !x.until.IsZero() && (x.probing || time.Until(x.until) > 0)
}

// check returns an error if the item's server gets no request now.
func (q *queue) check(it *Item) error {
	x := q.serverOf(it)
	if it.probe = false; x == nil || x.until.IsZero() {
		return nil
	}
	if !q.isDown(it) {
		x.probing, it.probe = true, true
		return nil
	}
	why := fmt.Sprintf("failed %d times in a row", x.failures)
	if x.refusing {
		why = "refused every request for a minute"
	}
	return serverDown{&fetch.Error{Kind: fetch.KindOf(x.err), After: max(time.Until(x.until), probeTime), Err: x.err,
		Text: fmt.Sprintf("not requested, since the server has %s: %v", why, x.err)}, x.until.Sub(x.first) > q.options.Outage}
}

// isRefusal reports whether err may mean that the server limits our requests, rather than that it is down. A long Retry-After means
// something else.
func isRefusal(err error) bool {
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || isServerDown(err) || e.After > longestRefusal {
		return false
	}
	switch e.Kind {
	case fetch.ErrConnect, fetch.ErrConnection:
		return true
	case fetch.ErrUnavailable: // FTP's 450, for example, is about one file or directory
		return e.Busy || e.Status == 503
	}
	return false
}

// isAnyRequest reports whether a refusal is independent of the requested document.
func isAnyRequest(err error) bool {
	e, ok := errors.AsType[*fetch.Error](err)
	return ok && (e.Busy || e.Kind == fetch.ErrConnect)
}

// isOutage reports whether err is caused by the server, whatever the document. A server that sends Retry-After gets that pause instead.
func isOutage(err error) bool {
	switch fetch.KindOf(err) {
	case fetch.ErrDNS, fetch.ErrConnect, fetch.ErrConnection, fetch.ErrTimeout:
		return true
	case fetch.ErrUnavailable:
		return retry.After(err) == 0
	}
	return false
}

// isOurs reports whether err is independent of the server.
func isOurs(err error) bool {
	switch fetch.KindOf(err) {
	case "":
		return err != nil
	case fetch.ErrRefusedURL, fetch.ErrRefusedPort, fetch.ErrDenied, fetch.ErrUnsupported, fetch.ErrLocal, fetch.ErrDisk:
		return true
	}
	return false
}

func serverName(u uri.URI) string {
	return u.Scheme() + "://" + string(u.Host()) + ":" + u.Port()
}

func sameServer(a, b uri.URI) bool {
	return a.Scheme() == b.Scheme() && string(a.Host()) == string(b.Host()) && a.Port() == b.Port()
}
