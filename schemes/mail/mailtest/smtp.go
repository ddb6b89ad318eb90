package mailtest

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"sync"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// A Letter is a message that an Outbox was given.
type Letter struct {
	From string
	To   []string
	Text string // with the dots and line ends as they were meant
}

// An Outbox is an SMTP server that keeps what it is given. It refuses recipients whose local part is "nobody".
type Outbox struct {
	Addr, URL string
	Roots     *x509.CertPool
	server    *loopback.Listener
	o         Options
	tls       *tls.Config
	said      transcript

	mu      sync.Mutex
	letters []Letter
}

// maxLetters bounds what is kept of a server that is left running.
const maxLetters = 100

// ListenSMTP begins to take messages. Passwords are asked for with PasswordsTLS alone.
func ListenSMTP(o *Options) (*Outbox, error) {
	if o == nil {
		o = &Options{}
	}
	b := &Outbox{o: *o}
	loopback.Default(&b.o.Idle, time.Minute)
	var err error
	if b.tls, b.Roots, err = loopback.SelfSigned(); err != nil {
		return nil, err
	}
	if b.server, err = loopback.Listen(o.Addr, b.serve); err != nil {
		return nil, err
	}
	b.Addr = b.server.Addr()
	b.URL = "smtp://" + b.Addr
	if o.TLS {
		b.URL = "smtps://" + b.Addr
	}
	return b, nil
}

// Letters are those taken so far.
func (b *Outbox) Letters() []Letter {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Letter(nil), b.letters...)
}

func (b *Outbox) take(l Letter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.letters) < maxLetters {
		b.letters = append(b.letters, l)
	}
}

// Said is all that was said by both sides.
func (b *Outbox) Said() string { return b.said.String() }

// Close ends the server and its connections.
func (b *Outbox) Close() { b.server.Close() }

// serve speaks with one client.
func (b *Outbox) serve(c net.Conn) {
	s := &taking{b: b, locked: b.o.PasswordsTLS}
	s.on(c)
	if b.o.TLS {
		s.on(tls.Server(c, b.tls))
	}
	s.say("220 site.example ESMTP")
	for s.err == nil {
		s.command(s.line())
	}
}
