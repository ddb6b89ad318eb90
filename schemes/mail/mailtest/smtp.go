package mailtest

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"sync"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// A Message is a message that an Outbox has accepted.
type Message struct {
	From string
	To   []string
	Text string // with CRLF line ends and without dot-stuffing
}

// An Outbox is an SMTP server that stores what it accepts. It refuses recipients whose local part is "nobody".
type Outbox struct {
	Addr, URL  string
	Roots      *x509.CertPool
	server     *loopback.Listener
	o          Options
	tls        *tls.Config
	transcript transcript

	mu       sync.Mutex
	messages []Message
}

// maxMessages bounds the memory of a server that runs for days.
const maxMessages = 100

// ListenSMTP starts a server. It requires passwords only with PasswordsTLS.
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
	if b.server, err = loopback.ListenOn(o.Network, o.Addr, b.serve); err != nil {
		return nil, err
	}
	b.Addr = b.server.Addr()
	b.URL = "smtp://" + b.Addr
	if o.TLS {
		b.URL = "smtps://" + b.Addr
	}
	return b, nil
}

// Watch makes w learn what the server and its clients send from now on.
func (b *Outbox) Watch(w loopback.Watcher) { b.server.Watch(w) }

// Messages returns the messages accepted so far.
func (b *Outbox) Messages() []Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Message(nil), b.messages...)
}

func (b *Outbox) keep(m Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.messages) < maxMessages {
		b.messages = append(b.messages, m)
	}
}

// Transcript returns what both sides have sent.
func (b *Outbox) Transcript() string { return b.transcript.String() }

// Close stops the server and closes its connections.
func (b *Outbox) Close() { b.server.Close() }

// serve handles one client.
func (b *Outbox) serve(c net.Conn) {
	s := &smtpSession{b: b, locked: b.o.PasswordsTLS}
	s.use(c)
	if b.o.TLS {
		s.use(tls.Server(c, b.tls))
	}
	s.say("220 site.example ESMTP")
	for s.err == nil {
		s.command(s.line())
	}
}
