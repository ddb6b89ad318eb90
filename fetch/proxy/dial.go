package proxy

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"time"

	"golang.org/x/net/proxy"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
)

// Dial is a Dialer for a fetch.Client. It returns nil for connections that need no proxy, which the Client then makes itself.
func (t *Table) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if q := t.relayAt(addr); q != nil { // the http scheme sends its requests to the proxy itself
		return t.connectTo(ctx, q)
	}
	p := t.proxyFor(fetch.SchemeOf(ctx), addr)
	if p == nil {
		return nil, nil
	}
	if strings.Contains(addr, "%") { // RFC 6874 section 1: a zone names an interface of this machine
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "an address with a zone identifier cannot be reached through a proxy")
	}
	c, err := t.connectTo(ctx, p)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { c.SetDeadline(time.Unix(1, 0)) })
	l := fetch.ProxyLogin(ctx, p.uri)
	if p.scheme == "socks5" {
		err = p.socksConnect(ctx, c, addr, l)
	} else {
		err = p.httpConnect(ctx, c, addr, l)
	}
	if !stop() {
		err = context.Cause(ctx) // takes precedence over the resulting connection error
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Datagrams is the Datagrams function for a fetch.Client. It refuses datagrams that would have to pass a proxy, instead of sending them
// around it, and leaves others to the Client.
func (t *Table) Datagrams(ctx context.Context, addr string) (net.PacketConn, netip.AddrPort, error) {
	if p := t.proxyFor(fetch.SchemeOf(ctx), addr); p == nil {
		return nil, netip.AddrPort{}, nil
	}
	host, _, _ := net.SplitHostPort(addr)
	return nil, netip.AddrPort{}, &fetch.Error{Kind: fetch.ErrDenied, Text: "the proxy does not carry datagrams (UDP)",
		Hint: hint.Bypass + " " + host}
}

// relayAt returns the HTTP proxy with this address, or nil.
func (t *Table) relayAt(addr string) *Proxy {
	if p := t.All; p != nil && p.relays() && p.Addr() == addr {
		return p
	}
	for _, p := range t.Schemes {
		if p != nil && p.relays() && p.Addr() == addr {
			return p
		}
	}
	return nil
}

// connectTo connects to the proxy.
func (t *Table) connectTo(ctx context.Context, p *Proxy) (net.Conn, error) {
	if err := fetch.CheckDialByName(ctx); err != nil {
		return nil, err
	}
	dial := t.Connect
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	c, err := dial(ctx, "tcp", p.Addr())
	if err != nil {
		return nil, fmt.Errorf("the proxy: %w", err) // the Client sets the kind, as for other connections
	}
	if p.scheme != "https" {
		return c, nil
	}
	s := tls.Client(c, &tls.Config{MinVersion: tls.VersionTLS12, ServerName: p.uri.Hostname()})
	if err := s.HandshakeContext(ctx); err != nil {
		c.Close()
		return nil, fetch.Errorf(fetch.ErrTLS, "TLS with the proxy %s: %w", p.Addr(), err)
	}
	return s, nil
}

// socksConnect requests a SOCKS 5 connection on c.
func (p *Proxy) socksConnect(ctx context.Context, c net.Conn, addr string, l fetch.Login) error {
	var auth *proxy.Auth
	if l.Set {
		auth = &proxy.Auth{User: l.User, Password: l.Password}
	}
	d, _ := proxy.SOCKS5("tcp", p.Addr(), auth, nil) // it does not fail
	s := d.(interface {
		DialWithConn(ctx context.Context, c net.Conn, network, addr string) (net.Addr, error)
	})
	fetch.NoteProxy(ctx, fmt.Sprintf("to the proxy %s: SOCKS 5 CONNECT %s%s", p.Addr(), addr, withLogin(l)))
	if _, err := s.DialWithConn(ctx, c, "tcp", addr); err != nil {
		kind := kindOf(err)
		if op, ok := errors.AsType[*net.OpError](err); ok { // it repeats both addresses
			err = op.Err
		}
		if reply, ok := strings.CutPrefix(err.Error(), "unknown error "); ok { // the library's words for every reply (RFC 1928 section 6)
			err = errors.New(reply)
		}
		fetch.NoteProxy(ctx, fmt.Sprintf("from the proxy %s: %v", p.Addr(), err))
		e := fetch.Errorf(kind, "proxy %s cannot connect to %s: %w", p.Addr(), addr, err)
		if kind == fetch.ErrAuth && (!l.Set || !strings.Contains(e.Text, "no acceptable")) { // of it and of others, or with this password
			e.Hint, e.Err = hint.ProxyLogin, &fetch.ProxyLoginError{Proxy: p.uri}
		}
		return e
	}
	fetch.NoteProxy(ctx, fmt.Sprintf("from the proxy %s: succeeded", p.Addr())) // RFC 1928 section 6
	return nil
}

// withLogin describes the credentials in the trace.
func withLogin(l fetch.Login) string {
	if l.Set {
		return ", with user and password"
	}
	return ""
}

func kindOf(err error) fetch.Kind {
	if errors.Is(err, os.ErrDeadlineExceeded) { // the library sets the context's deadline itself
		return fetch.ErrTimeout
	}
	if strings.Contains(err.Error(), "authentication") {
		return fetch.ErrAuth
	}
	return fetch.ErrConnect
}

// httpConnect requests a tunnel.
func (p *Proxy) httpConnect(ctx context.Context, c net.Conn, addr string, l fetch.Login) error {
	request := "CONNECT " + addr + " HTTP/1.1\r\nHost: " + addr + "\r\n"
	if err := p.checkLogin(l.User, l.Password); err != nil {
		return err
	}
	if l.Set {
		request += "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(l.User+":"+l.Password)) + "\r\n"
	}
	fetch.NoteProxy(ctx, fmt.Sprintf("to the proxy %s: CONNECT %s HTTP/1.1%s", p.Addr(), addr, withLogin(l)))
	if _, err := c.Write([]byte(request + "\r\n")); err != nil {
		return fetch.Errorf(fetch.ErrConnect, "the proxy %s: %w", p.Addr(), err)
	}
	status, head, err := p.readResponse(c)
	for strings.HasPrefix(status, "1") { // not final: RFC 9110 section 15.2
		status, head, err = p.readResponse(c)
	}
	if err == nil {
		fetch.NoteProxy(ctx, fmt.Sprintf("from the proxy %s: %.80s", p.Addr(), status))
	}
	switch {
	case err != nil:
		return err
	case strings.HasPrefix(status, "2"):
		return nil
	case strings.HasPrefix(status, "407"):
		e := &fetch.Error{Kind: fetch.ErrAuth, Text: "the proxy " + p.Addr() + " requires a password", Hint: hint.ProxyLogin}
		if realm, basic := basicRealm(head); basic {
			e.Err = &fetch.ProxyLoginError{Proxy: p.uri, Realm: realm}
		}
		return e
	}
	return fetch.Errorf(fetch.ErrConnect, "proxy %s cannot connect to %s: %.80q", p.Addr(), addr, status)
}

// maxResponse bounds the head of the proxy's response.
const maxResponse = 16 << 10

// readResponse reads the head of the proxy's response byte by byte, since the following bytes belong to the server.
func (p *Proxy) readResponse(c net.Conn) (status string, head []byte, err error) {
	one := make([]byte, 1)
	for !strings.HasSuffix(string(head[max(0, len(head)-4):]), "\r\n\r\n") && !strings.HasSuffix(string(head[max(0, len(head)-2):]), "\n\n") {
		if len(head) == maxResponse {
			return "", nil, fetch.Errorf(fetch.ErrLimit, "response of proxy %s longer than %d bytes", p.Addr(), maxResponse)
		}
		if _, err := c.Read(one); err != nil {
			return "", nil, fetch.Errorf(fetch.ErrConnect, "response of proxy %s: %w", p.Addr(), err)
		}
		head = append(head, one[0])
	}
	line, _, _ := strings.Cut(string(head), "\n")
	version, status, ok := strings.Cut(strings.TrimRight(line, "\r"), " ")
	if !ok || !strings.HasPrefix(version, "HTTP/1.") {
		return "", nil, fetch.Errorf(fetch.ErrProtocol, "response of proxy %s is not HTTP", p.Addr())
	}
	return strings.TrimLeft(status, " "), head, nil
}

// basicRealm returns the realm of a 407 that asks for Basic credentials (RFC 7617), the only ones that this package sends. Without any
// challenge, which RFC 9110 section 15.5.8 requires, Basic is assumed.
func basicRealm(head []byte) (realm string, basic bool) {
	challenges := regexp.MustCompile(`(?im)^proxy-authenticate:.*`).FindAll(head, -1)
	for _, c := range challenges {
		if m := regexp.MustCompile(`(?i)[:,]\s*basic\b(?:\s+realm="((?:[^"\\]|\\.)*)")?`).FindSubmatch(c); m != nil {
			return regexp.MustCompile(`\\(.)`).ReplaceAllString(string(m[1]), "$1"), true
		}
	}
	return "", len(challenges) == 0
}
