package fetch

import (
	"context"
	"io"

	"example.org/deref/uri"
)

// A Handler dereferences the URIs of one scheme. It is the algorithm that the drafts ask of every naming scheme: it takes the
// URI and produces either the object or URIs that lead to it.
//
// A Handler is immutable: it is used concurrently, and by several Clients. What must outlive one Run goes through Lease (open
// connections) or Env.Peer (what is known about a server).
type Handler interface {
	// Plan turns u into the protocol's command sequence. It is pure: no I/O, no clock, no environment, and equal arguments give
	// equal plans. o is never nil, and o.Login holds the identity to use; u is absolute and has neither fragment nor password.
	//
	// Plan must put every decoded octet that goes into a line into Step.Verb or Step.Args, where the Client checks it. It
	// returns ErrRefusedURL for what the scheme's grammar forbids, ErrRange where the protocol has no parts, ErrUnsupported
	// for an Op that it cannot do. The Client fills p.URI and p.Options where Plan leaves them empty.
	Plan(u uri.URI, o *Options) (*Plan, error)

	// Run says p, which the Client has checked, and returns as soon as Body or Entries can be read. It must say p.When("") in
	// order and p.When(c) once c has come true, say each step by Conn.Send (or announce it by env.Announce where no Conn says lines), and
	// build no command elsewhere.
	//
	// It must reach the network only through env, must not follow referrals, must not retry what the peer may have acted on,
	// and must leave nothing running when the Document is closed. ctx governs the Document until Close; env is valid as long.
	// An error that Run returns has a Kind; errors of env's connections have one already and are passed on as they are.
	Run(ctx context.Context, p *Plan, env *Env) (*Document, error)
}

// A Stateful is a Handler whose requests differ by more than their Plan: State returns what it would add to p now, such as the cookies of
// a jar. A referral back to a URI is a circle only if the state is the same, too.
type Stateful interface {
	State(p *Plan) string
}

// A Sender is a Handler that can hand a message over. p was planned with Op Send; a nil msg means that the message is made from
// the URI alone. When the final reply is lost, the error is ErrTransfer and says "unknown whether accepted"; nobody retries.
type Sender interface {
	Send(ctx context.Context, p *Plan, env *Env, msg io.Reader) (*Receipt, error)
}

// A Receipt is what a server said of a message that it was handed.
type Receipt struct {
	Accepted []string          // recipients or groups
	Refused  map[string]string // recipient: the server's words
	Reply    string            // the final reply
}

// An Attacher is a Handler that can attach a terminal. p was planned with Op Attach. It returns when the session ends, the
// context ends, or the terminal's input ends; it closes t.In, so that no goroutine is left in Read.
type Attacher interface {
	Attach(ctx context.Context, p *Plan, env *Env, t *Terminal) error
}

// A Terminal is one end of a session. In must return from Read when it is closed.
type Terminal struct {
	In      io.ReadCloser
	Out     io.Writer
	Type    string                  // as in TERM
	Size    func() (cols, rows int) // nil when unknown
	Resized <-chan struct{}         // nil when it never is
}
