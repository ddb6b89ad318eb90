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
	loopback.Server
	o   Options
	tls *tls.Config

	mu       sync.Mutex
	messages []Message
}

// maxMessages bounds the memory of a server that runs for days.
const maxMessages = 100

// ListenSMTP starts a server. It requires passwords only with PasswordsTLS.
func ListenSMTP(o *Options) (*Outbox, error) {
	b := &Outbox{o: loopback.Given(o)}
	b.Network = b.o.Network
	loopback.Default(&b.o.Idle, time.Minute)
	var err error
	if b.tls, err = loopback.Certify(b); err != nil {
		return nil, err
	}
	scheme := "smtp"
	if b.o.TLS {
		scheme = "smtps"
	}
	_, err = loopback.Start(b, scheme, b.o.Addr, b.serve)
	return b, err
}

// Close stops the server and closes its connections.
func (b *Outbox) Close() { b.Server.Close() }

// Transcript returns all lines received so far: see [loopback.Server.Transcript].
func (b *Outbox) Transcript() []string { return b.Server.Transcript() }

// Roots returns the roots that verify the server's own certificate.
func (b *Outbox) Roots() *x509.CertPool { return b.Server.Roots() }

// Wait waits until all clients have left: see [loopback.Server.Wait].
func (b *Outbox) Wait(d time.Duration) bool { return b.Server.Wait(d) }

// Sessions returns the number of connections accepted so far.
func (b *Outbox) Sessions() int { return b.Server.Sessions() }

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
