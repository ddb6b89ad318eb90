package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch/hint"
)

// tlsState is the TLS of a Conn.
type tlsState struct {
	conn    *tls.Conn
	session *sessionCache
	took    time.Duration // the handshake
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

// HandshakeTime returns how long the TLS handshake took: at least a round trip. It is 0 without TLS.
func (c *Conn) HandshakeTime() time.Duration {
	if c.tls == nil {
		return 0
	}
	return c.tls.took
}

func (e *Env) handshake(ctx context.Context, c *Conn, o *DialOptions) error {
	cfg, cache := e.client.tlsConfig(c.host, o)
	e.firstUse(c, cfg)
	e.client.fromRootsFile(cfg)
	t := tls.Client(c.raw, cfg)
	c.BeginPart()
	defer c.BeginBody()
	ctx, cancel := withTimeout(ctx, c.timeouts.Idle)
	defer cancel()
	began := time.Now()
	if err := t.HandshakeContext(ctx); err != nil {
		return e.tlsError(ctx, c.host, cfg, err)
	}
	took := time.Since(began)
	if err := e.client.Policy.checkPin(c.host, t.ConnectionState()); err != nil {
		return err
	}
	e.mark(&e.times.TLS)
	c.mu.Lock() // the request may end, and abort, at this moment; the deadline that it sets on either holds for both
	c.net, c.tls = t, &tlsState{t, cache, took}
	c.mu.Unlock()
	s := t.ConnectionState()
	e.noteChain(c.id, s)
	if e.witness != nil && len(s.PeerCertificates) > 0 {
		e.callback(func() { e.witness.Certificates(c.id, s.PeerCertificates) })
	}
	e.note(c.id, MarkTLS, "%s, %s", tls.VersionName(s.Version), tls.CipherSuiteName(s.CipherSuite))
	return nil
}

// noteChain describes the certificates of the server in the trace.
func (e *Env) noteChain(conn int, s tls.ConnectionState) {
	if e.callerTrace == nil {
		return
	}
	for i, c := range s.PeerCertificates {
		what := fmt.Sprintf("for %s", namesIn(c))
		if i > 0 {
			what = fmt.Sprintf("of %q", oneLine(c.Subject.String()))
		}
		e.callerTrace(Event{Time: now(), Conn: conn, Dir: InWords, Mark: MarkCertificate, Note: oneLine(fmt.Sprintf("certificate %d %s, valid until %s, signed by %q",
			i+1, what, c.NotAfter.UTC().Format(time.DateOnly), c.Issuer))})
	}
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
func (e *Env) tlsError(ctx context.Context, host string, cfg *tls.Config, err error) error {
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
		return &Error{Kind: ErrTLS, Text: "the certificate of " + host + " is signed by " + authority(x.Cert), Hint: e.trustHint(), Err: x}
	}
	if x, ok := errors.AsType[x509.HostnameError](err); ok {
		return &Error{Kind: ErrTLS, Text: "the certificate is not for " + host + ", but for " + namesIn(x.Certificate), Err: x}
	}
	if x, ok := errors.AsType[x509.CertificateInvalidError](err); ok && x.Reason == x509.Expired {
		return &Error{Kind: ErrTLS, Text: "the certificate of " + host + " " + validity(x.Cert, timeOf(cfg)), Err: x}
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return Errorf(ErrTLS, "%s does not use TLS on this port: %w", host, err)
	}
	if alert, ok := errors.AsType[tls.AlertError](err); ok && alert == 70 || strings.Contains(err.Error(), "protocol version not supported") ||
		strings.Contains(err.Error(), "unsupported protocol version") { // RFC 8446 section 6.2: protocol_version
		return Errorf(ErrTLS, "%s has no version of TLS from %s on: %w", host, tls.VersionName(cfg.MinVersion), err)
	}
	return Errorf(ErrTLS, "TLS with %s: %w", host, err)
}

// authority describes who has signed a certificate that no known authority has signed.
func authority(c *x509.Certificate) string {
	switch {
	case c == nil:
		return "an unknown authority"
	case c.Issuer.String() == c.Subject.String():
		return "itself, not by a known authority"
	}
	return fmt.Sprintf("an unknown authority, %q", oneLine(c.Issuer.String()))
}

// namesIn returns the hosts of a certificate, at most five.
func namesIn(c *x509.Certificate) string {
	all := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		all = append(all, ip.String())
	}
	switch {
	case len(all) == 0:
		return "no host"
	case len(all) > 5:
		all = append(all[:5:5], "others")
	}
	for i, name := range all {
		all[i] = strings.Trim(strconv.QuoteToASCII(name), `"`)
	}
	return strings.Join(all, ", ")
}

// validity describes why a certificate is not valid at a time.
func validity(c *x509.Certificate, now time.Time) string {
	const form = "2006-01-02 15:04 UTC"
	if now.Before(c.NotBefore) {
		return "is not valid before " + c.NotBefore.UTC().Format(form) + "; this machine's clock shows " + now.UTC().Format(form)
	}
	return "expired on " + c.NotAfter.UTC().Format(form) + "; this machine's clock shows " + now.UTC().Format(form)
}

// timeOf returns the time at which certificates are verified.
func timeOf(cfg *tls.Config) time.Time {
	if cfg.Time != nil {
		return cfg.Time()
	}
	return time.Now()
}

func (e *Env) trustHint() string {
	if e.scheme.FirstUse {
		return hint.FirstUse
	}
	return hint.TLS
}

// isTLSError reports whether err is an alert or a broken record, not a broken socket. crypto/tls does not export the type of alerts.
func isTLSError(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "remote error" || op.Op == "local error") {
		return true
	}
	_, ok := errors.AsType[tls.RecordHeaderError](err)
	return ok
}
