package http

import (
	"cmp"
	"fmt"
	nethttp "net/http"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/internal/replies"
)

// statuses is the table of status codes. Codes from 600 on count as 5xx: RFC 9110 section 15. 305 names a proxy and 306 is unused:
// sections 15.4.6 and 15.4.7.
const statuses replies.Table = `2xx                       the document; of 206 the requested part
304                       not modified, if the request was conditional
305, 306                  protocol
other 3xx                 the referrals
401, 407                  auth
404, 410                  notfound
408, 421, 425, 429        unavailable
412                       changed
416                       range
other 4xx, 501, 505       refused
other 5xx, 600 and above  unavailable
not an HTTP response      protocol
`

// statusError returns the error that the status stands for. The body that comes with it is not the document.
func (x *exchange) statusError() error {
	k, found := statuses.Kind(strconv.Itoa(x.head.status))
	if !found {
		k = fetch.ErrUnavailable
	}
	who := "the server"
	if x.head.status == 407 && x.proxy.addr != "" {
		who = "the proxy " + x.proxy.addr
	}
	e := &fetch.Error{Kind: k, Status: x.head.status, Text: fmt.Sprintf("%s returned %d %s", who, x.head.status, x.head.reason),
		Gone: k == fetch.ErrNotFound && !x.isStored(), // a stored response may be out of date
		Busy: x.head.status == 429 && !x.isStored()}
	if x.isStored() {
		e.Text += " (stored in the cache)"
		e.Hint = hint.Set + " http.header=Cache-Control: no-cache"
	}
	switch k {
	case fetch.ErrAuth:
		x.explainAuth(e)
	case fetch.ErrUnavailable:
		if after := x.head.header.Get("Retry-After"); after != "" {
			e.Text += fmt.Sprintf(" (Retry-After: %.40q)", after)
			e.After = retryAfter(after, x.head.header.Get("Date"))
		} else if q := quotaOf(x.head.header); q.Remaining == 0 {
			e.After = q.Reset
		}
	}
	return e
}

// explainAuth sets what the error of a 401 or 407 asks for, and the hint. If no credentials were sent, it remembers the challenge, so that the
// request with them is the next one.
func (x *exchange) explainAuth(e *fetch.Error) {
	if x.head.status == 407 {
		e.Hint = hint.ProxyLogin
		return
	}
	var others []string
	for _, c := range challenges(x.head.header["Www-Authenticate"]) {
		if c.scheme != "basic" && c.scheme != "digest" {
			others = append(others, c.scheme)
			continue
		}
		e.Asks, e.Realm = true, cmp.Or(e.Realm, c.params["realm"])
	}
	switch {
	case e.Asks && isNamed(x.plan.Options.Login):
	case e.Asks:
		e.Hint = hint.Login
		x.rememberChallenge()
	case len(others) == 0:
		e.Hint = hint.Set + " http.credential-header=Authorization: ..."
	default:
		e.Hint = fmt.Sprintf("%s http.credential-header=Authorization: %.80s ...", hint.Set, strings.Join(others, "|"))
	}
}

// retryAfter parses Retry-After: seconds, or a date (RFC 9110 section 10.2.3), which it compares with the server's own clock.
func retryAfter(value, date string) time.Duration {
	if n, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	then, err := nethttp.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := nethttp.ParseTime(date)
	if err != nil {
		now = time.Now()
	}
	return max(0, then.Sub(now))
}
