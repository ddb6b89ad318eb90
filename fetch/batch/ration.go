package batch

import (
	"errors"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A ration is how many requests at a time a server is sent after it has refused one: "421 too many connections", 429, 503, or a connection
// that it does not accept. The first refusal beside other requests lowers it to the number of those, since that many were served; answers
// raise it again, by one each time. What was refused is requested again, which does not count as a try of the retry policy. A server that
// refuses nothing has no ration.
type ration struct {
	limit    int           // requests at a time
	high     int           // the limit if what may have been about single documents is left out
	active   int           // that are being done
	good     int           // answers since the limit changed
	step     int           // answers after which it rises
	rose     bool          // since the last refusal
	wait     time.Duration // how long the server is left alone after the next refusal
	last     time.Time     // of the latest answer
	since    time.Time     // of the first refusal after it of a request that was alone, zero if there is none
	alone    int64         // the number of its item
	several  bool          // others have been refused alone since
	answered bool
	refused  int // requests, since the latest answer
}

// isDown reports whether the requests that were refused are enough to take the server for one that is down, or serves nobody.
func (x *ration) isDown(patience int) (down, refusing bool) {
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

	// longestRefusal is how long a server may refuse every request before what is wanted from it fails.
	longestRefusal = time.Minute
	// mostRefusals is how often an item is refused beside others until it is done alone.
	mostRefusals = 2
	// mostAlone is how often an item is refused alone until that is about its document, if nothing else was asked for in the meantime.
	mostAlone = 3
)

// isRefusal reports whether err may mean that the server has as many requests of ours as it serves, rather than that it is down. One that says
// to come back much later means something else.
func isRefusal(err error) bool {
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || left(err) || e.After > longestRefusal {
		return false
	}
	switch e.Kind {
	case fetch.ErrConnect, fetch.ErrConnection:
		return true
	case fetch.ErrUnavailable: // FTP's 450, say, is about one file or directory
		return e.Busy || e.Status == 503
	}
	return false
}

// isAnyRequest reports whether a refusal has nothing to do with the document that was wanted.
func isAnyRequest(err error) bool {
	e, ok := errors.AsType[*fetch.Error](err)
	return ok && (e.Busy || e.Kind == fetch.ErrConnect)
}

// isAnswer reports whether err, or its absence, shows that the server serves us.
func isAnswer(err error) bool {
	return err == nil || fetch.KindOf(err) != "" && !isOutage(err) && !isOurs(err) && !isRefusal(err)
}

// refused reports whether an item that failed is to be done again since the server refused it for the moment, and after what time.
func (q *queue) refused(it *Item, err error) (wait time.Duration, again bool) {
	if !isRefusal(err) || it.Final || it.server.host == "" {
		return 0, false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	x, others := it.ration, q.besides(it)
	if x == nil {
		if others == 0 && !(isAnyRequest(err) && it.server.answered && sameServer(it.server.good, it.URI)) || len(q.rations) >= maxCircuits {
			return 0, false
		}
		x = q.ration(it)
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
	case !x.answered && fetch.KindOf(err) != fetch.ErrUnavailable: // as from a server that is down
	case !isAnyRequest(err) && (answeredSince || x.answered && !x.several && it.alone >= mostAlone): // the server serves others, so this was about the document from the beginning
		x.limit, x.step, x.since = x.high, firstStep, time.Time{}
	case now.Sub(x.since) >= longestRefusal:
	default:
		wait = x.wait
		x.wait = min(2*x.wait, longestWait)
		it.server.leave(wait)
		return 2 * wait, true // another document comes first, and shows what is refused
	}
	return 0, false
}

// besides counts the requests to an item's server that are being done besides it.
func (q *queue) besides(it *Item) (n int) {
	for _, other := range q.doing {
		if other != it && sameServer(other.URI, it.URI) {
			n++
		}
	}
	return n
}

// ration returns that of an item's server, which it makes if there is none.
func (q *queue) ration(it *Item) *ration {
	x := &ration{limit: q.options.PerHost, high: q.options.PerHost, step: firstStep, wait: firstWait}
	x.answered = it.server.answered && sameServer(it.server.good, it.URI)
	if q.rations == nil {
		q.rations = map[string]*ration{}
	}
	q.rations[serverName(it.URI)] = x
	for _, other := range q.doing {
		if sameServer(other.URI, it.URI) {
			other.ration = x
			x.active++
		}
	}
	return x
}

// begin and leave keep the list of items that are being done; q.mu is held.
func (q *queue) begin(it *Item) {
	q.doing = append(q.doing, it)
	if len(q.rations) > 0 {
		if it.ration = q.rations[serverName(it.URI)]; it.ration != nil {
			it.ration.active++
		}
	}
}

func (q *queue) leave(it *Item) {
	for i, other := range q.doing {
		if other == it {
			last := len(q.doing) - 1
			q.doing[i], q.doing[last] = q.doing[last], nil
			q.doing = q.doing[:last]
			break
		}
	}
	if it.ration != nil {
		it.ration.active--
		it.ration = nil
	}
}

// answer notes that an item's server serves us.
func (q *queue) answer(it *Item) {
	s := it.server
	s.answered, s.good = true, it.URI
	x := it.ration
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

// putBack ends a try that was refused.
func (q *queue) putBack(it *Item, err error, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.circuits.abstain(it)
	q.rest(it, err)
	q.leave(it)
	q.again(it, wait)
}

func sameServer(a, b uri.URI) bool {
	return a.Scheme() == b.Scheme() && string(a.Host()) == string(b.Host()) && a.Port() == b.Port()
}
