package mailtest

import (
	"crypto/x509"
	"io"
	"log"
	"net"
	"strings"
	"sync"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"example.org/deref/schemes/internal/loopback"
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
	server    *smtp.Server
	listener  net.Listener
	said      transcript
	done      chan struct{}

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
	cfg, roots, err := loopback.SelfSigned()
	if err != nil {
		return nil, err
	}
	l, err := listen(o, cfg)
	if err != nil {
		return nil, err
	}
	b := &Outbox{Addr: l.Addr().String(), URL: "smtp://" + l.Addr().String(), Roots: roots, listener: l, done: make(chan struct{})}
	if o.TLS {
		b.URL = "smtps://" + b.Addr
	}
	b.server = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &taking{b: b, locked: o.PasswordsTLS}, nil }))
	b.server.Domain, b.server.ErrorLog = "site.example", log.New(io.Discard, "", 0)
	b.server.Debug, b.server.MaxMessageBytes, b.server.EnableSMTPUTF8, b.server.EnableDSN = &b.said, 10<<20, true, true
	b.server.AllowInsecureAuth = !o.PasswordsTLS
	if o.StartTLS {
		b.server.TLSConfig = cfg
	}
	go func() {
		defer close(b.done)
		b.server.Serve(l)
	}()
	return b, nil
}

// Letters are those taken so far.
func (b *Outbox) Letters() []Letter {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Letter(nil), b.letters...)
}

// Said is all that was said by both sides.
func (b *Outbox) Said() string { return b.said.String() }

// Close ends the server and its connections.
func (b *Outbox) Close() {
	b.server.Close()
	b.listener.Close() // the server knows it only once its goroutine has begun
	<-b.done
}

// taking is one session.
type taking struct {
	b      *Outbox
	locked bool
	letter Letter
}

func (t *taking) Reset()        { t.letter = Letter{} }
func (t *taking) Logout() error { return nil }

func (t *taking) Mail(from string, _ *smtp.MailOptions) error {
	if t.locked {
		return &smtp.SMTPError{Code: 530, Message: "who are you?"}
	}
	t.letter.From = from
	return nil
}

func (t *taking) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody@") {
		return &smtp.SMTPError{Code: 550, Message: "no such user"}
	}
	t.letter.To = append(t.letter.To, to)
	return nil
}

func (t *taking) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	t.letter.Text = string(text)
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if len(t.b.letters) < maxLetters {
		t.b.letters = append(t.b.letters, t.letter)
	}
	return nil
}

func (t *taking) AuthMechanisms() []string { return []string{sasl.Plain} }

func (t *taking) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != User || password != Password {
			return smtp.ErrAuthFailed
		}
		t.locked = false
		return nil
	}), nil
}
