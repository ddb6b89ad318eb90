package batch

import (
	"errors"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/socket"
	"example.org/deref/uri"
)

// A limiter bounds the requests at a time to a server that has refused one: "421 too many connections", 429, 503, or a connection that it
// does not accept. The first refusal while other requests run lowers the limit to the number of those, since that many were served;
// responses raise it again, by one each time. A refused request is repeated, which does not count as a try of the retry policy. A server
// that refuses nothing has no limiter.
type limiter struct {
	limit    int           // requests at a time
	high     int           // the limit without refusals that may concern single documents
	active   int           // running requests
	good     int           // responses since the limit changed
	step     int           // responses after which it rises
	rose     bool          // it rose since the last refusal
	wait     time.Duration // pause after the next refusal
	last     time.Time     // time of the latest response
	since    time.Time     // time of the first refusal of a lone request since then; zero if none
	alone    int64         // number of the item of that refusal
	several  bool          // refusals of other lone requests since then
	answered bool
	refused  int // refusals since the latest response
}

// isDown reports whether there were so many refusals that the server is considered down, or refusing every request.
func (x *limiter) isDown(patience int) (down, refusing bool) {
	switch {
	case x == nil:
		return false, false
	case !x.since.IsZero() && time.Since(x.since) >= longestRefusal:
		return true, true
	}
	return !x.answered && x.refused >= patience, false
}

const (
	firstStep   = 8
	longestStep = 1024
	firstWait   = 100 * time.Millisecond
	longestWait = 8 * time.Second

	// longestRefusal is how long a server may refuse every request before its items fail.
	longestRefusal = time.Minute
	// mostRefusals is how often an item may be refused while other requests run; then it is requested alone.
	mostRefusals = 2
	// mostAlone is how often an item may be refused while nothing else was requested. After that, the refusal counts as an error of the
	// document, not as a limit of the server.
	mostAlone = 3
)

// isRefusal reports whether err may mean that the server limits our requests, rather than that it is down. A long Retry-After means
// something else.
func isRefusal(err error) bool {
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || isCircuitOpen(err) || e.After > longestRefusal {
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

// isAnswer reports whether err, or its absence, shows that the server serves us.
func (c *circuits) isAnswer(err error) bool {
	return err == nil || fetch.KindOf(err) != "" && !c.isOutage(err) && !isOurs(err) && !isRefusal(err)
}

// refused puts an item back if the server refused it temporarily, if it needs a connection of its own, or if there was no file descriptor for
// it, and reports whether it did.
func (q *queue) refused(it *Item, err error) bool {
	q.mu.Lock() // until the item is put back: a refusal at the same moment must not count it as a request that is served
	defer q.mu.Unlock()
	if it.Final {
		return false
	}
	wait, again := time.Duration(0), false
	switch {
	case it.joined && it.own:
		again = true
	case socket.IsExhausted(err):
		wait, again = q.narrow(it)
	case isRefusal(err) && it.server.host != "":
		wait, again = q.repeat(it, err)
	}
	if again {
		q.coming++
		q.circuits.clearProbe(it)
		q.pauseAfter(it, err)
		q.remove(it)
		q.retryLater(it, wait)
	}
	return again
}

// narrow lowers the number of running items to those that have their descriptors. If there are none, the item is repeated a few times, since the
// process and its system use descriptors for moments.
func (q *queue) narrow(it *Item) (wait time.Duration, again bool) {
	if others := len(q.doing) - 1; others > 0 {
		q.most = min(q.most, others)
		return 0, true
	}
	it.alone++
	return firstWait, it.alone < mostAlone
}

// repeat reports whether a refused item must be repeated, and after what time. It lowers the limit. The caller holds q.mu.
func (q *queue) repeat(it *Item, err error) (wait time.Duration, again bool) {
	x, others := it.limiter, q.concurrent(it)
	if x == nil {
		if others == 0 && !(isAnyRequest(err) && it.server.answered && sameServer(it.server.good, it.URI)) || len(q.limiters) >= maxCircuits {
			return 0, false
		}
		x = q.newLimiter(it)
	}
	now := time.Now()
	answeredSince := !it.refusedAt.IsZero() && x.last.After(it.refusedAt)
	if it.refusedAt.IsZero() {
		it.refusedAt = now
	}
	x.refused++
	if x.good = 0; x.rose {
		x.rose, x.step = false, min(2*x.step, longestStep)
	}
	if isAnyRequest(err) {
		x.high = max(1, others)
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
	case !x.answered && fetch.KindOf(err) != fetch.ErrUnavailable: // as if the server were down
	case !isAnyRequest(err) && (answeredSince || x.answered && !x.several &&
		it.alone >= mostAlone): // the server serves others, so the refusals were about the document
		x.limit, x.step, x.since = x.high, firstStep, time.Time{}
		it.atFault = true
	case now.Sub(x.since) >= longestRefusal:
	default:
		wait = x.wait
		x.wait = min(2*x.wait, longestWait)
		it.server.pauseFor(wait)
		return 2 * wait, true // another document is requested first, which shows whether the server refuses that, too
	}
	return 0, false
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

// newLimiter creates the limiter of an item's server.
func (q *queue) newLimiter(it *Item) *limiter {
	x := &limiter{limit: q.options.PerHost, high: q.options.PerHost, step: firstStep, wait: firstWait}
	x.answered = it.server.answered && sameServer(it.server.good, it.URI)
	if q.limiters == nil {
		q.limiters = map[string]*limiter{}
	}
	q.limiters[serverName(it.URI)] = x
	for _, other := range q.doing {
		if sameServer(other.URI, it.URI) {
			other.limiter = x
			x.active++
		}
	}
	return x
}

// begin and remove maintain the list of running items. The caller holds q.mu.
func (q *queue) begin(it *Item) {
	q.doing = append(q.doing, it)
	it.server.active++
	q.busy++
	if len(q.limiters) > 0 {
		if it.limiter = q.limiters[serverName(it.URI)]; it.limiter != nil {
			it.limiter.active++
		}
	}
}

func (q *queue) remove(it *Item) {
	for i, other := range q.doing {
		if other == it {
			last := len(q.doing) - 1
			q.doing[i], q.doing[last] = q.doing[last], nil
			q.doing = q.doing[:last]
			break
		}
	}
	it.server.active--
	q.busy--
	q.leave(it)
	if it.limiter != nil {
		it.limiter.active--
		it.limiter = nil
	}
}

// recordAnswer notes that an item's server serves us.
func (q *queue) recordAnswer(it *Item) {
	s := it.server
	s.answered, s.good = true, it.URI
	x := it.limiter
	if x == nil {
		return
	}
	x.refused = 0
	x.answered, x.last, x.since, x.wait = true, time.Now(), time.Time{}, firstWait
	if x.good++; x.good >= x.step && x.limit < q.options.PerHost {
		x.limit, x.good, x.rose = x.limit+1, 0, true
		x.high = max(x.high, x.limit)
	}
}

func sameServer(a, b uri.URI) bool {
	return a.Scheme() == b.Scheme() && string(a.Host()) == string(b.Host()) && a.Port() == b.Port()
}
