package http

import (
	"fmt"

	"example.org/deref/fetch"
)

// refusal is what an error status means. The body that comes with it is not the document.
func (x *exchange) refusal() error {
	k := kindOf(x.head.status)
	e := &fetch.Error{Kind: k, Text: fmt.Sprintf("the server answers %d %s", x.head.status, x.head.reason)}
	switch k {
	case fetch.ErrAuth:
		e.Hint = "-u USER gives a name and asks for the password"
		if x.plan.Options.Login.Set {
			e.Hint = ""
		}
	case fetch.ErrUnavailable:
		if after := x.head.header.Get("Retry-After"); after != "" {
			e.Text += fmt.Sprintf(" (Retry-After: %.40q)", after)
		}
	}
	return e
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
	case 5:
		return fetch.ErrUnavailable
	}
	return fetch.ErrProtocol
}
