package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
	"sync"
)

// tlsState is the TLS of a Conn.
type tlsState struct {
	conn    *tls.Conn
	session *sessionCache
}

// StartTLS begins TLS on a connection that has been in clear, verified for its host. If unencrypted bytes have arrived after the server
// agreed to TLS, they may be injected: StartTLS returns ErrProtocol. A connection dialed Near another offers the other's session.
func (e *Env) StartTLS(ctx context.Context, c *Conn) error {
	if c.tls != nil || c.isPlayback() {
		return nil
	}
	if c.reader.buffered() > 0 {
		return Errorf(ErrProtocol, "the server sent more without TLS after it agreed to TLS")
	}
	return e.handshake(ctx, c, &DialOptions{Near: c.near})
}

// TLS returns the state of the connection's TLS; ok is false in clear.
func (c *Conn) TLS() (s tls.ConnectionState, ok bool) {
	if c.tls == nil {
		return s, false
	}
	return c.tls.conn.ConnectionState(), true
}

func (e *Env) handshake(ctx context.Context, c *Conn, o *DialOptions) error {
	cfg, cache := e.client.tlsConfig(c.host, o)
	e.firstUse(c, cfg)
	t := tls.Client(c.raw, cfg)
	c.BeginPart()
	defer c.BeginBody()
	ctx, cancel := withTimeout(ctx, c.timeouts.Idle)
	defer cancel()
	if err := t.HandshakeContext(ctx); err != nil {
		return e.tlsError(ctx, c.host, err)
	}
	if err := e.client.Policy.checkPin(c.host, t.ConnectionState()); err != nil {
		return err
	}
	e.mark(&e.times.TLS)
	c.mu.Lock() // the request may end, and abort, at this moment; the deadline that it sets on either holds for both
	c.net, c.tls = t, &tlsState{t, cache}
	c.mu.Unlock()
	s := t.ConnectionState()
	e.note(c.id, MarkTLS, "%s, %s", tls.VersionName(s.Version), tls.CipherSuiteName(s.CipherSuite))
	return nil
}

// tlsConfig returns the configuration of one connection. A control connection caches sessions for its data connections only: nothing is shared
// between hosts, and nothing about the user is remembered between requests.
func (c *Client) tlsConfig(host string, o *DialOptions) (*tls.Config, *sessionCache) {
	cfg := c.TLS.Clone()
	if cfg == nil {
		cfg = &tls.Config{}
	}
	if cfg.ServerName == "" {
		host, _, _ = strings.Cut(host, "%") // a zone identifier is local to this machine (RFC 6874 section 4)
		cfg.ServerName = strings.TrimSuffix(host, ".")
	}
	if cfg.MinVersion == 0 {
		cfg.MinVersion = tls.VersionTLS12
	}
	cfg.NextProtos = o.ALPN
	if o.Certificate != nil {
		cfg.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return o.Certificate, nil }
	}
	cache := &sessionCache{}
	if o.Near != nil && o.Near.tls != nil {
		cache = o.Near.tls.session
	}
	cfg.ClientSessionCache = cache
	return cfg, cache
}

// sessionCache holds the first session of a control connection for its data connections.
//
// QUIRK: vsftpd with require_ssl_reuse accepts only that session, and no later one, on every data connection.
type sessionCache struct {
	mu    sync.Mutex
	first *tls.ClientSessionState
}

func (s *sessionCache) Get(string) (*tls.ClientSessionState, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first, s.first != nil
}

func (s *sessionCache) Put(_ string, cs *tls.ClientSessionState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == nil {
		s.first = cs
	}
}

// tlsError describes what is wrong with the certificate or handshake.
func (e *Env) tlsError(ctx context.Context, host string, err error) error {
	if KindOf(err) != "" {
		return err
	}
	if ctx.Err() != nil || isTimeout(err) {
		if errors.Is(context.Cause(ctx), context.Canceled) {
			return context.Canceled
		}
		late := Errorf(ErrTimeout, "the TLS handshake was not finished in time: %w", err)
		late.Pending = Pending{Phase: PendingTLS}
		return late
	}
	if x, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return &Error{Kind: ErrTLS, Text: "the certificate of " + host + " is signed by an unknown authority", Hint: e.trustHint(), Err: x}
	}
	if x, ok := errors.AsType[x509.HostnameError](err); ok {
		return &Error{Kind: ErrTLS, Text: "the certificate is not for " + host + ": " + x.Error(), Err: x}
	}
	if x, ok := errors.AsType[x509.CertificateInvalidError](err); ok && x.Reason == x509.Expired {
		return &Error{Kind: ErrTLS, Text: "the certificate of " + host + " is expired or not yet valid", Err: x}
	}
	return Errorf(ErrTLS, "TLS with %s: %w", host, err)
}

func (e *Env) trustHint() string {
	if e.scheme.FirstUse {
		return HintFirstUse
	}
	return HintTLS
}

// isTLSError reports whether err is an alert or a broken record, not a broken socket. crypto/tls does not export the type of alerts.
func isTLSError(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "remote error" || op.Op == "local error") {
		return true
	}
	_, ok := errors.AsType[tls.RecordHeaderError](err)
	return ok
}
