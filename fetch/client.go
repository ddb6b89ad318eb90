package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"iter"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.org/deref/fetch/internal/resolve"
	"example.org/deref/fetch/internal/socket"
	"example.org/deref/fetch/policy"
	"example.org/deref/uri"
)

// A Client dereferences URIs of the schemes that it was made with. Set its fields before its first use and do not change them after it; the
// zero value of each is the documented default. A Client is safe for concurrent use.
type Client struct {
	Schemes  Registry
	Policy   Policy
	Limits   Limits
	Timeouts Timeouts
	TLS      *tls.Config // roots, client certificates; nil means the system's roots and at least TLS 1.2

	// RootsFile is a file with certificates in PEM that the system's roots include. A server whose chain ends in one of them is verified without
	// the others, which need not be read. "" means that crypto/x509 reads all of the system's. It has no effect if TLS has RootCAs.
	RootsFile string

	// FirstUse decides, for the schemes whose servers sign their own certificates (Scheme.FirstUse), about a certificate that does not
	// verify: addr is the requested host and port, err the reason. It returns nil to trust the certificate. Package fetch/tofu has one.
	FirstUse func(addr string, s tls.ConnectionState, err error) error

	// Dialer replaces the system's dialer, for proxies and tests. It receives the host name from the URI. If the Policy has rules about
	// addresses, a Dialer that resolves a name itself must call CheckDial, or the connection is not used, unless Policy.TrustDialer is set.
	// If the Dialer returns neither a connection nor an error, the Client dials itself.
	Dialer func(ctx context.Context, network, addr string) (net.Conn, error)

	// Datagrams replaces the system's UDP sockets. It returns a socket, and the address that represents addr on it. If it returns neither a
	// socket nor an error, the Client opens its own.
	Datagrams func(ctx context.Context, addr string) (net.PacketConn, netip.AddrPort, error)

	// Listener replaces the system's listening sockets, on which Env.Accept waits for the peer of near. Its Addr must be a *net.TCPAddr.
	Listener func(near net.Conn) (net.Listener, error)

	// Random replaces crypto/rand in Env.Random, for bytes that the peer will see.
	Random func(b []byte)

	// Logins returns the user's identity at a server (netrc, a prompt), or the zero Login if it knows none. It is called only if neither the
	// URI nor Options nor the scheme's configuration has one with a password, and only when the server has asked for it: then the request is
	// made again with the answer, until that is accepted, or Logins has no other. For protocols in which the client names a user first, and
	// for Send and Attach, it is called before. An answer that the server has accepted is used for later requests to the same scheme, host
	// and port, and for no other. Proxies, mail sources and the submission server ask in the same way. It may be called concurrently. Its error
	// ends the request.
	Logins func(ctx context.Context, r LoginRequest) (Login, error)

	// Recorder, if not nil, records every request and every byte. With it, bytes are always copied through this process.
	Recorder Recorder

	// Repeated, if not nil, is called once for a request of u if a document in its trace or recording contains a secret of the request.
	// Documents are never changed, so the recording contains the secret.
	Repeated func(u uri.URI)

	// Settings returns the user's settings for u's scheme, host and port. Options.Set takes precedence over them. They do not apply to
	// referrals to other servers.
	Settings func(u uri.URI) map[string][]string

	once     sync.Once
	limits   Limits
	timeouts Timeouts
	pool     pool
	peers    peerCache
	names    resolve.Names
	numbers  atomic.Int64
	running  atomic.Int64 // requests
	waiting  atomic.Int64 // those of them that wait for a descriptor
	buffers  socket.Buffers
	roots    rootsFile
	answers  sync.Map    // of Logins: answerKey to Login
	answered atomic.Bool // there was an answer; without one, no key is made to look for it
}

// A Getter dereferences URIs: a *Client, or a wrapper of one, such as those of package retry and batch.Throttle.
type Getter interface {
	Get(ctx context.Context, u uri.URI, o *Options) (*Document, error)
	Plan(u uri.URI, o *Options) (*Plan, error)
}

// New returns a Client for the given schemes. It panics if two have the same name, or one has no name or Plan.
func New(r ...Scheme) *Client {
	Registry(r).check()
	return &Client{Schemes: r}
}

func (c *Client) start() {
	c.once.Do(func() {
		c.limits, c.timeouts = c.Limits.withDefaults(), c.Timeouts.withDefaults()
		c.names.Timeout = c.timeouts.Connect
		if len(c.Policy.Resolve) > 0 {
			c.names.Fixed = func(host, port string) []netip.Addr { return policy.Addresses(c.Policy.Resolve, host, port) }
		}
		if c.Policy.Family != "" {
			c.names.Wants, c.names.Wanted = c.Policy.Family.Has, string(c.Policy.Family)
		}
	})
}

// Close closes the idle connections, the only thing that outlives a Document. The Client may still be used; it then pools no connections.
func (c *Client) Close() error {
	c.pool.close()
	return nil
}

// Get dereferences u and follows referrals as the Policy allows. The caller closes the Document's Body, also if Get returns both a Document and
// an error: then the Document's Referrals were not followed, and the error is ErrRedirect.
//
// ctx applies to the Document until its Body is closed.
func (c *Client) Get(ctx context.Context, u uri.URI, o *Options) (*Document, error) {
	c.start()
	if c.timeouts.Total <= 0 { // each request within it has a context of its own
		return c.walk(ctx, u, o.Clone())
	}
	ctx, cancel := withTimeout(ctx, c.timeouts.Total)
	d, err := c.walk(ctx, u, o.Clone())
	if d == nil {
		cancel()
		return nil, err
	}
	d.Body = &ending{d.Body, cancel}
	d.Deadline, _ = ctx.Deadline()
	return d, err
}

// Entries dereferences u, which must be a listing, and yields its entries. The Document is closed when the loop ends. An error is yielded last,
// without an Entry.
func (c *Client) Entries(ctx context.Context, u uri.URI, o *Options) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		d, err := c.Get(ctx, u, o)
		if d != nil {
			defer d.Body.Close()
		}
		if err == nil && d.Entries == nil {
			err = Errorf(ErrUnsupported, "%s is a document, not a listing", c.Schemes.Redact(u))
		}
		if err != nil {
			yield(Entry{}, err)
			return
		}
		for e, err := range d.Entries {
			if !yield(e, err) {
				return
			}
		}
	}
}

// ending does something more when a Body is closed.
type ending struct {
	io.ReadCloser
	end func()
}

func (b *ending) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}

// WriteTo keeps the wrapped Body's ability to move bytes without copying them.
func (b *ending) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, b.ReadCloser) }

// Send sends a message to u; a nil msg means that it is made from the URI alone. It is never retried.
func (c *Client) Send(ctx context.Context, u uri.URI, msg io.Reader, o *Options) (*Receipt, error) {
	var r *Receipt
	err := c.perform(ctx, u, o, Send, func(ctx context.Context, p *Plan, e *Env) (err error) {
		if r, err = p.Send(ctx, p, e, msg); r == nil && err == nil {
			err = Errorf(ErrLocal, "the %s handler returned neither a receipt nor an error", u.Scheme())
		}
		return err
	})
	return r, err
}

// Attach attaches a terminal to u until the session, the terminal's input or ctx ends.
func (c *Client) Attach(ctx context.Context, u uri.URI, t *Terminal, o *Options) error {
	return c.perform(ctx, u, o, Attach, func(ctx context.Context, p *Plan, e *Env) error { return p.Attach(ctx, p, e, p.encoded(t)) })
}

// perform plans op and carries it out. Nothing remains open afterwards.
func (c *Client) perform(ctx context.Context, u uri.URI, o *Options, op Op, do func(context.Context, *Plan, *Env) error) error {
	c.start()
	ctx, cancel := withTimeout(ctx, c.timeouts.Total)
	defer cancel()
	o = o.Clone()
	o.Op = op
	p, s, err := c.makePlan(ctx, u, o, outermost)
	if err != nil {
		return err
	}
	e := newEnv(ctx, c, s, p)
	e.adopt(nil)
	e.watch()
	defer e.end()
	return e.finishEnd(e.contain(func() error { return do(&e.ctx, p, e) }))
}

// run makes the planned request and follows nothing.
func (c *Client) run(ctx context.Context, p *Plan, s *Scheme, w *walk) (d *Document, err error) {
	e := newEnv(ctx, c, s, p)
	e.adopt(w)
	e.beginRecording()
	e.watch()
	e.begin(w)
	over := false
	defer func() {
		if !over { // a function of the caller has panicked
			e.end()
		}
	}()
	if len(p.Refers) > 0 {
		d = NewDocument(empty{})
		d.Size, d.Referrals = 0, p.Refers
	} else {
		err = e.finishEnd(e.contain(func() (err error) { d, err = p.Run(&e.ctx, p, e); return err }))
	}
	e.mark(&e.times.Reply)
	if err == nil && d == nil {
		err = Errorf(ErrLocal, "the %s handler returned neither a document nor an error", s.Name())
	}
	if err == nil {
		err = e.check(d)
	}
	if err != nil {
		e.end()
		if d != nil && d.Body != nil {
			e.contain(d.Body.Close)
		}
		over = true
		e.endRecording(err)
		return nil, err
	}
	e.finish(d)
	over = true
	return d, nil
}

// check returns an error for a document that is known to be too long, before any of it is read.
func (e *Env) check(d *Document) error {
	most := e.client.limits.Document
	if len(d.Referrals) > 0 && e.client.mayFollow(e.plan.Options) { // the body of a redirect is not the document
		return nil
	}
	if most >= 0 && d.Size-d.Offset > most && e.plan.Options.Op == Retrieve && e.plan.Options.Range.IsZero() {
		return Errorf(ErrLimit, "the document has %d bytes, which is more than the allowed %d", d.Size, most)
	}
	return nil
}

// finish sets the fields that Run left empty and wraps the Body.
func (e *Env) finish(d *Document) {
	e.mu.Lock()
	d.Connections, d.Times, d.Local, d.Remote = e.opened, e.times, e.local, e.remote
	e.mu.Unlock()
	d.part = e.plan.Options.Part
	if d.URI.IsZero() {
		d.URI = e.plan.URI
	}
	d.URI, d.Base, d.Search = d.URI.ASCII(), d.Base.ASCII(), d.Search.ASCII()
	if d.Base.IsZero() {
		d.Base = d.URI
	}
	if d.Body == nil {
		d.Body = empty{}
	}
	d.Referrals = slices.Clone(d.Referrals) // they may be the Plan's
	for i := range d.Referrals {
		d.Referrals[i].URI = d.Referrals[i].URI.ASCII()
	}
	if d.Refusal != nil {
		d.Refusal, _ = errors.AsType[*Error](e.finishError(d.Refusal))
	}
	e.maskDocument(d)
	e.recordDocument(d)
	d.Charset = e.plan.charset
	b := &e.first.body
	b.in, b.env, b.doc, b.left = d.Body, e, d, e.client.limits.Document
	d.Body = b
	if d.Entries != nil {
		d.Entries = d.decodedEntries(e.bounded(d, b))
	}
}

// empty is the Body of an empty document.
type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, io.EOF }
func (empty) Close() error             { return nil }

func now() time.Time { return time.Now() }
