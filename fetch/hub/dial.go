//go:build unix || windows

package hub

import (
	"cmp"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"example.org/deref/fetch"
)

// Dial connects to a server: to the URL that Server.URL returns, or to those of NATS, separated by commas. The connection is restored whenever
// it breaks; requests fail in the meantime. Errors contain neither the token nor the password of a URL.
func Dial(address string, o ...nats.Option) (*nats.Conn, error) {
	servers, err := parseServers(address)
	if err != nil {
		return nil, err
	}
	p, err := pinOf(servers)
	if err != nil {
		return nil, err
	}
	if p != nil {
		o = append([]nats.Option{nats.Secure(p.config())}, o...)
	}
	var texts, hosts []string
	for _, u := range servers {
		texts, hosts = append(texts, u.String()), append(hosts, u.Host)
	}
	c, err := dial(strings.Join(texts, ","), o...)
	if err != nil && p != nil && p.refused.Load() { // package nats keeps only the text of the error
		return nil, fetch.Errorf(fetch.ErrTLS, "%w", errOtherCertificate)
	}
	return c, dialError(err, strings.Join(hosts, ", "))
}

// parseServers parses a list of URLs. An address without a scheme is one of nats:, as for the tools of NATS.
func parseServers(list string) (servers []*url.URL, err error) {
	for text := range strings.SplitSeq(list, ",") {
		if text = strings.TrimSpace(text); !strings.Contains(text, "://") {
			text = "nats://" + text
		}
		u, err := url.Parse(text)
		if err != nil || u.Hostname() == "" {
			return nil, fetch.Errorf(fetch.ErrRefusedURL, "the hub's URL is invalid: it must be nats://HOST:PORT or tls://HOST:PORT")
		}
		if !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) {
			return nil, fetch.Errorf(fetch.ErrRefusedURL, "the hub's URL must begin with nats:// or tls://, got %s://", u.Scheme)
		}
		servers = append(servers, u)
	}
	return servers, nil
}

// dial connects to servers. Its error is that of package nats, which dialError explains.
func dial(servers string, o ...nats.Option) (*nats.Conn, error) {
	// Without a buffer: a message that was written after its request has failed would be a surprise.
	o = append([]nats.Option{nats.Name("derefd"), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.ReconnectBufSize(-1),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}, o...)
	return nats.Connect(servers, o...)
}

func isRefusedLogin(err error) bool {
	return isAny(err, nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired, nats.ErrNkeysNotSupported)
}

// dialError adds a Kind to the error of a connection to hosts.
func dialError(err error, hosts string) error {
	unknown, isUnknown := errors.AsType[*net.DNSError](err)
	_, badCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case err == nil:
		return nil
	case isRefusedLogin(err):
		return fetch.Errorf(fetch.ErrAuth, "the hub at %s refuses the login: %w", hosts, err)
	case isAny(err, nats.ErrNoServers):
		return fetch.Errorf(fetch.ErrConnect, "the hub at %s does not accept connections", hosts)
	case isAny(err, nats.ErrTimeout):
		return fetch.Errorf(fetch.ErrTimeout, "the hub at %s does not respond", hosts)
	case isUnknown:
		return fetch.Errorf(fetch.ErrDNS, "the hub: no such host: %s", cmp.Or(unknown.Name, hosts))
	case isAny(err, nats.ErrSecureConnRequired, nats.ErrSecureConnWanted) || badCertificate:
		return fetch.Errorf(fetch.ErrTLS, "the hub at %s: %w", hosts, err)
	case isAny(err, fs.ErrNotExist, fs.ErrPermission):
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return fetch.Errorf(fetch.ErrConnect, "the hub at %s: %w", hosts, err)
}
