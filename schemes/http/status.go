package http

import (
	"fmt"
	nethttp "net/http"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
)

// refusal is what an error status means. The body that comes with it is not the document.
func (x *exchange) refusal() error {
	k := kindOf(x.head.status)
	who := "the server"
	if s := x.plan.Steps; x.head.status == 407 && len(s) > 0 && s[0].At != "" {
		who = "the proxy " + s[0].At
	}
	e := &fetch.Error{Kind: k, Status: x.head.status, Text: fmt.Sprintf("%s answers %d %s", who, x.head.status, x.head.reason),
		Gone: k == fetch.ErrNotFound && !x.isStored(), // the server may have it by now
		Busy: x.head.status == 429 && !x.isStored()}
	if x.isStored() {
		e.Text += " (stored in the cache)"
		e.Hint = "-H 'Cache-Control: no-cache' sends the request again"
	}
	switch k {
	case fetch.ErrAuth:
		e.Hint = x.loginHint()
	case fetch.ErrUnavailable:
		if after := x.head.header.Get("Retry-After"); after != "" {
			e.Text += fmt.Sprintf(" (Retry-After: %.40q)", after)
			e.After = retryAfter(after, x.head.header.Get("Date"))
		}
	}
	return e
}

// loginHint says what would let the user in.
func (x *exchange) loginHint() string {
	if x.head.status == 407 {
		return "-x http://USER:PASSWORD@HOST:PORT says to the proxy who asks"
	}
	var ways []string
	for _, c := range challenges(x.head.header["Www-Authenticate"]) {
		if c.scheme == "basic" || c.scheme == "digest" {
			if isNamed(x.plan.Options.Login) {
				return ""
			}
			return "-u USER gives a name and asks for the password"
		}
		ways = append(ways, c.scheme)
	}
	if len(ways) == 0 {
		return "-H 'Authorization: ...' says what the server wants"
	}
	return fmt.Sprintf("the server wants %.80q, which -H 'Authorization: ...' may say", strings.Join(ways, ", "))
}

// retryAfter reads Retry-After: seconds, or a date (RFC 9110 section 10.2.3), which is compared with the server's own clock.
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

func kindOf(status int) fetch.Kind {
	switch status {
	case 401, 407:
		return fetch.ErrAuth
	case 404, 410:
		return fetch.ErrNotFound
	case 412:
		return fetch.ErrChanged
	case 416:
		return fetch.ErrRange
	case 408, 421, 425, 429:
		return fetch.ErrUnavailable
	case 501, 505:
		return fetch.ErrRefused
	}
	switch status / 100 {
	case 4:
		return fetch.ErrRefused
	case 2, 3:
		return fetch.ErrProtocol
	}
	return fetch.ErrUnavailable // also a status above 599: RFC 9110 section 15
}
