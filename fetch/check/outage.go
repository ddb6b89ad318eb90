package check

import (
	"errors"

	"example.org/deref/fetch"
)

// isOutage reports whether err means that the host is down, whatever the document: it does not connect, or it accepts no requests for now without
// saying until when. Anything else, such as a 500 or a page that takes too long, concerns that document only.
func isOutage(err error) bool {
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok {
		return false
	}
	switch e.Kind {
	case fetch.ErrDNS, fetch.ErrConnect, fetch.ErrConnection:
		return true
	case fetch.ErrTimeout:
		return e.Pending.Phase == fetch.PendingConnection || e.Pending.Phase == fetch.PendingTLS || e.Pending.Phase == fetch.PendingGreeting
	case fetch.ErrUnavailable:
		return e.After == 0 && (e.Busy || e.Status == 503)
	}
	return false
}
