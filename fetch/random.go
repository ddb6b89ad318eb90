package fetch

import "crypto/rand"

// Random fills b with random octets that the peer will see: an identifier of a request, which comes back in the response. The trace has them,
// so that a recorded conversation can be played again. What must stay unknown (a key, a password) is not drawn here.
func (e *Env) Random(b []byte) {
	if draw := e.client.Random; draw != nil {
		e.outside(func() { draw(b) })
	} else {
		rand.Read(b)
	}
	if e.trace != nil {
		e.note(0, MarkRandom, "random %x", b)
	}
}
