package ftp

import (
	"errors"
	"time"

	"example.org/deref/fetch"
)

// mostPorts is how often another port is requested in the place of one that the server could not open (425). Sessions of one server race
// for its ports: proftpd's "425 EPSV: Address already in use" says nothing about the next one.
const mostPorts = 3

// portPatience is how long the replies to what was sent behind a refused EPSV or PASV may take. They come with the refusal or, from
// proftpd, not before its own timeout.
const portPatience = 500 * time.Millisecond

// anotherPort reports whether a port may be requested once more, and counts.
func (r *run) anotherPort() bool {
	if r.ports == mostPorts {
		return false
	}
	r.ports++
	return true
}

// busyPort says that the connection is of no use after a 425: the server still waits for what was sent behind the refused step.
type busyPort struct{ error }

// Unwrap returns the refusal.
func (b busyPort) Unwrap() error { return b.error }

// onceMore puts the set-up that was answered 425 before what is still to be said.
func (c *control) onceMore(no *refusal) error {
	again, err := c.drain(portPatience)
	if err != nil {
		if _, dislikes := errors.AsType[dislike](err); dislikes {
			c.broken = busyPort{fail(no)}
			return c.broken
		}
		return err
	}
	c.planned = append(append([]fetch.Step{no.step}, again...), c.planned...)
	return nil
}

// isBusyPort reports whether a transfer, not its set-up, was answered 425 over a conversation that can go on.
func (r *run) isBusyPort(err error) bool {
	no := refused(err)
	return no != nil && no.reply.code == 425 && transfers(no.step.Verb) && r.s.ctl.atRest()
}
