package fetch

import "crypto/rand"

// Random fills b with random bytes that the peer will see, such as a request ID that the response repeats. They are in the trace, so that a
// recorded conversation can be replayed. Do not use it for secrets such as keys and passwords.
func (e *Env) Random(b []byte) {
	if draw := e.client.Random; draw != nil {
		e.callback(func() { draw(b) })
	} else {
		rand.Read(b)
	}
	if e.trace != nil {
		e.note(0, MarkRandom, "random %x", b)
	}
}
