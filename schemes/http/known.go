package http

import (
	"strings"
	"sync/atomic"

	"example.org/deref/fetch"
)

// An answered challenge is one of Digest whose answer was right: what comes next is logged in without being asked, with the count that
// tells a server answers said again from new ones (RFC 7616 section 3.4).
type answered struct {
	challenge challenge
	count     atomic.Uint32
}

// What is remembered of a server for the Client's life. A Digest challenge stands for all of it, since the password is in no answer
// (RFC 7616 section 3.3, "domain"); Basic for the folders that asked for it (RFC 7617 section 2.2).
const (
	keptDigest = "digest"
	factBasic  = "basic in "
)

// foreseen are the lines that log in before the server asks, where it is known that it will; else none.
func (x *exchange) foreseen() []fetch.Step {
	if !isNamed(x.plan.Options.Login) {
		return nil
	}
	if lines := x.plan.When(ifDigest); len(lines) > 0 {
		if a, ok := x.env.Peer().Get(keptDigest).(*answered); ok {
			x.challenge = a
			return x.digested(a, lines)
		}
	}
	if lines := x.plan.When(ifBasic); len(lines) > 0 && x.asksBasic() {
		return lines
	}
	return nil
}

// asksBasic reports whether the document is in a folder, at any depth, that was behind Basic before.
func (x *exchange) asksBasic() bool {
	path := string(x.plan.URI.Path())
	for i := range len(path) {
		if path[i] == '/' && x.env.Peer().Get(factBasic+path[:i+1]) != nil {
			return true
		}
	}
	return false
}

// loggedIn remembers how, once the answer to the lines said was not another challenge. A server may name the nonce that it wants next
// (RFC 7616 section 3.5).
func (x *exchange) loggedIn(said []fetch.Step) {
	if len(said) == 0 || x.head.status == 401 {
		return
	}
	if said[0].If == ifBasic {
		path := string(x.plan.URI.Path())
		x.env.Peer().Set(factBasic+path[:strings.LastIndexByte(path, '/')+1], true)
		return
	}
	a := x.challenge
	if next := nextNonce(x.head.header["Authentication-Info"]); next != "" {
		c := challenge{a.challenge.scheme, map[string]string{}}
		for name, value := range a.challenge.params {
			c.params[name] = value
		}
		c.params["nonce"] = next
		a = &answered{challenge: c}
	}
	x.env.Peer().Set(keptDigest, a)
}

func nextNonce(lines []string) string {
	for _, line := range lines {
		for _, c := range challenges([]string{"digest " + line}) {
			if next := c.params["nextnonce"]; next != "" {
				return next
			}
		}
	}
	return ""
}
