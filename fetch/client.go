package fetch

import (
	"context"
	"crypto/tls"
	"io"
	"iter"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"example.org/deref/fetch/internal/resolve"
	"example.org/deref/fetch/internal/socket"
	"example.org/deref/uri"
)

// A Client dereferences URIs of the schemes that it was made with. Its fields are set before its first use and not changed
// after; the zero value of each is the documented default. A Client is safe for concurrent use.
type Client struct {
	Schemes  Registry
	Policy   Policy
	Limits   Limits
	Timeouts Timeouts
	TLS      *tls.Config // roots, client certificates; nil is the system's roots and TLS 1.2 at least

	// FirstUse is asked, for the schemes whose servers sign their own certificates (Scheme.FirstUse), about one that does not
	// verify: addr is the host and port that were wanted, err what is wrong. nil trusts it. Package fetch/tofu has one.
	FirstUse func(addr string, s tls.ConnectionState, err error) error

	// Dialer replaces the system's, for proxies and tests. It is given the host name as it stands in the URI, so the address
	// policy can be applied to literal addresses only; the rest is the Dialer's duty. Where it returns neither a connection nor an error,
	// the Client dials itself.
	Dialer func(ctx context.Context, network, addr string) (net.Conn, error)

	// Datagrams replaces the system's UDP sockets likewise: a socket, and the address that stands for addr on it. Where it returns neither a
	// socket nor an error, the Client opens its own.
	Datagrams func(ctx context.Context, addr string) (net.PacketConn, netip.AddrPort, error)

	// Listener replaces the system's listening sockets likewise: on what Env.Accept waits for the peer of near. Its Addr is a *net.TCPAddr.
	Listener func(near net.Conn) (net.Listener, error)

	// Random replaces crypto/rand likewise for octets that the peer will see: what Env.Random returns.
	Random func(b []byte)

	// Logins is asked for the user's identity when neither URI nor Options name one (netrc, a prompt). Its answer is used for
	// u's scheme, host and port and for nothing else.
	Logins func(ctx context.Context, u uri.URI) (Login, error)

	// Recorder, if there is one, sees every retrieval down to the octets. It costs the ways of moving octets without copying them.
	Recorder Recorder

	// Repeated, if there is one, is called once for a request of u whose trace or Recorder has a document in which the server repeats a secret of
	// the request. Documents are never changed, so what is recorded has the secret in it.
	Repeated func(u uri.URI)

	// Settings is asked for the user's settings for u's scheme, host and port. They go before none of Options.Set, and with no referral.
	Settings func(u uri.URI) map[string][]string

	once     sync.Once
	limits   Limits
	timeouts Timeouts
	pool     pool
	peers    peerCache
	names    resolve.Names
	numbers  atomic.Int64
	running  atomic.Int64 // requests
	buffers  socket.Buffers
}

// A Getter dereferences URIs: a *Client, or something that wraps one, such as package retry or throttle.
type Getter interface {
	Get(ctx context.Context, u uri.URI, o *Options) (*Document, error)
	Plan(u uri.URI, o *Options) (*Plan, error)
}

// New returns a Client for the given schemes. It panics on two of one name, and on one without a name or handler.
func New(r ...Scheme) *Client {
	Registry(r).check()
	return &Client{Schemes: r}
}

func (c *Client) start() {
	c.once.Do(func() {
		c.limits, c.timeouts = c.Limits.withDefaults(), c.Timeouts.withDefaults()
		c.names.Timeout = c.timeouts.Connect
	})
}

// Close closes the idle connections: all that outlives a Document. The Client may still be used, without keeping connections.
func (c *Client) Close() error {
	c.pool.close()
	return nil
}

// Get dereferences u and follows referrals as the Policy allows. The caller closes the Document's Body, also when there is an
// error beside a Document: that is one whose Referrals were not followed, and the error is ErrRedirect.
//
// ctx governs the Document until its Body is closed.
func (c *Client) Get(ctx context.Context, u uri.URI, o *Options) (*Document, error) {
	c.start()
	if c.timeouts.Total <= 0 { // each request within it has a context of its own
		return c.walk(ctx, u, o.clone())
	}
	ctx, cancel := withTimeout(ctx, c.timeouts.Total)
	d, err := c.walk(ctx, u, o.clone())
	if d == nil {
		cancel()
		return nil, err
	}
	d.Body = &ending{d.Body, cancel}
	d.Deadline, _ = ctx.Deadline()
	return d, err
}

// Entries dereferences u, which must lead to a listing, and yields its entries; the Document is closed when the loop ends, in
// whatever way. An error comes last and alone.
func (c *Client) Entries(ctx context.Context, u uri.URI, o *Options) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		d, err := c.Get(ctx, u, o)
		if d != nil {
			defer d.Body.Close()
		}
		if err == nil && d.Entries == nil {
			err = Errorf(ErrUnsupported, "%s leads to a document, not to a listing", c.Schemes.Redact(u))
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

// WriteTo keeps the wrapped Body's ability to move octets without copying them.
func (b *ending) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, b.ReadCloser) }

// Send hands a message over to u; a nil msg means that it is made from the URI alone. It is never retried.
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
	return c.perform(ctx, u, o, Attach, func(ctx context.Context, p *Plan, e *Env) error { return p.Attach(ctx, p, e, t) })
}

// perform plans op and does it, with nothing of it left afterwards.
func (c *Client) perform(ctx context.Context, u uri.URI, o *Options, op Op, do func(context.Context, *Plan, *Env) error) error {
	c.start()
	ctx, cancel := withTimeout(ctx, c.timeouts.Total)
	defer cancel()
	o = o.clone()
	o.Op = op
	p, s, err := c.plan(ctx, u, o)
	if err != nil {
		return err
	}
	e := newEnv(ctx, c, s, p)
	defer e.watch()()
	defer e.end()
	return e.fixEnd(e.contain(func() error { return do(e.ctx, p, e) }))
}

// run makes the planned request and follows nothing.
func (c *Client) run(ctx context.Context, p *Plan, s Scheme) (d *Document, err error) {
	e := newEnv(ctx, c, s, p)
	e.witness()
	stop := e.watch()
	over := false
	defer func() {
		if !over { // a function of the caller's has panicked
			e.end()
			stop()
		}
	}()
	if len(p.Refers) > 0 {
		d = NewDocument(empty{})
		d.Size, d.Referrals = 0, p.Refers
	} else {
		err = e.fixEnd(e.contain(func() (err error) { d, err = p.Run(e.ctx, p, e); return err }))
	}
	if err == nil && d == nil {
		err = Errorf(ErrLocal, "the %s handler returned neither a document nor an error", s.Name())
	}
	if err == nil {
		err = e.check(d)
	}
	if err != nil {
		e.end()
		stop()
		if d != nil && d.Body != nil {
			e.contain(d.Body.Close)
		}
		over = true
		e.ended(err)
		return nil, err
	}
	e.dress(d, stop)
	over = true
	return d, nil
}

// check refuses a document that is known to be too long before any of it is read.
func (e *Env) check(d *Document) error {
	most := e.client.limits.Document
	if len(d.Referrals) > 0 && e.client.mayFollow(e.plan.Options) { // what comes with a redirect is not the document
		return nil
	}
	if most >= 0 && d.Size-d.Offset > most && e.plan.Options.Op == Retrieve && e.plan.Options.Range.IsZero() {
		return Errorf(ErrLimit, "the document has %d octets, more than the %d allowed", d.Size, most)
	}
	return nil
}

// dress fills in what Run left out and puts the Client's wrapper around the Body.
func (e *Env) dress(d *Document, stop func() bool) {
	e.mu.Lock()
	d.Connections = e.opened
	e.mu.Unlock()
	d.part = e.plan.Options.Part
	if d.URI.IsZero() {
		d.URI = e.plan.URI
	}
	if d.Base.IsZero() {
		d.Base = d.URI
	}
	if d.Body == nil {
		d.Body = empty{}
	}
	e.maskDocument(d)
	e.show(d)
	b := &body{in: d.Body, env: e, doc: d, stop: stop, left: e.client.limits.Document}
	d.Body = b
	if d.Entries != nil {
		d.Entries = e.bounded(d, b)
	}
}

// empty is the Body of a document without octets.
type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, io.EOF }
func (empty) Close() error             { return nil }

func now() time.Time { return time.Now() }
