package http

import (
	"maps"
	"strings"
	"sync/atomic"

	"example.org/deref/fetch"
)

// A digestSession is a Digest challenge that was answered correctly (RFC 7616 section 3.3). Later requests use it without waiting for a
// challenge. The count tells the server new answers from replayed ones (section 3.4).
type digestSession struct {
	challenge challenge
	count     atomic.Uint32
}

// The Client remembers these facts about a server. A Digest challenge holds for the whole server, because no answer contains the password
// (RFC 7616 section 3.3, "domain"); Basic only for the directories whose documents required it (RFC 7617 section 2.2).
const (
	peerDigest = "digest"
	peerBasic  = "basic in "
)

// preemptiveAuth returns the lines of a request with credentials if the server is known to require them. Otherwise it returns nil.
func (x *exchange) preemptiveAuth() []fetch.Step {
	if !isNamed(x.plan.Options.Login) {
		return nil
	}
	if lines := x.plan.When(ifDigest); len(lines) > 0 {
		if d, ok := x.env.Peer().Get(peerDigest).(*digestSession); ok {
			x.digest = d
			return x.withDigest(d, lines)
		}
	}
	if lines := x.plan.When(ifBasic); len(lines) > 0 && x.knowsBasic() {
		return lines
	}
	return nil
}

// knowsBasic reports whether a directory above the document is known to require Basic.
func (x *exchange) knowsBasic() bool {
	path := string(x.plan.URI.Path())
	for i := range len(path) {
		if path[i] == '/' && x.env.Peer().Get(peerBasic+path[:i+1]) != nil {
			return true
		}
	}
	return false
}

// rememberAuth remembers the credentials of the lines sent, unless the server challenged those too. A server may name the nonce for the
// next request (RFC 7616 section 3.5).
func (x *exchange) rememberAuth(sent []fetch.Step) {
	if len(sent) == 0 || x.head.status == 401 {
		return
	}
	if sent[0].If == ifBasic {
		x.rememberBasic()
		return
	}
	d := x.digest
	if next := nextNonce(x.head.header["Authentication-Info"]); next != "" {
		c := challenge{d.challenge.scheme, maps.Clone(d.challenge.params)}
		c.params["nonce"] = next
		d = &digestSession{challenge: c}
	}
	x.env.Peer().Set(peerDigest, d)
}

// rememberChallenge remembers what the server has asked for, as if it had been answered.
func (x *exchange) rememberChallenge() {
	if d := strongest(challenges(x.head.header["Www-Authenticate"])); d != nil {
		x.env.Peer().Set(peerDigest, d)
		return
	}
	x.rememberBasic()
}

// rememberBasic remembers that the directory of the document requires Basic.
func (x *exchange) rememberBasic() {
	path := string(x.plan.URI.Path())
	x.env.Peer().Set(peerBasic+path[:strings.LastIndexByte(path, '/')+1], true)
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
