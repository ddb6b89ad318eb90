package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"strconv"
)

// firstUse verifies the certificate in place of crypto/tls, and lets Client.FirstUse decide if that fails.
func (e *Env) firstUse(c *Conn, cfg *tls.Config) {
	ask := e.client.FirstUse
	if ask == nil || !e.scheme.FirstUse || cfg.InsecureSkipVerify {
		return
	}
	further := cfg.VerifyConnection
	cfg.InsecureSkipVerify = true
	cfg.VerifyConnection = func(s tls.ConnectionState) error {
		if err := verify(cfg, cfg.RootCAs, s); err != nil {
			e.callback(func() { err = ask(c.target(), s, err) })
			if err != nil {
				return err
			}
		}
		if further != nil {
			return further(s)
		}
		return nil
	}
}

// target returns the requested host and port.
func (c *Conn) target() string {
	port := 0
	if a, ok := c.addr.(*net.TCPAddr); ok {
		port = a.Port
	}
	return net.JoinHostPort(c.host, strconv.Itoa(port))
}

// verify checks the certificate chain and the host name. Nil roots mean the system's. It repeats what crypto/tls does unless InsecureSkipVerify is
// set.
func verify(cfg *tls.Config, roots *x509.CertPool, s tls.ConnectionState) error {
	o := x509.VerifyOptions{Roots: roots, DNSName: cfg.ServerName, Intermediates: x509.NewCertPool()}
	if cfg.Time != nil {
		o.CurrentTime = cfg.Time()
	}
	for _, c := range s.PeerCertificates[1:] {
		o.Intermediates.AddCert(c)
	}
	_, err := s.PeerCertificates[0].Verify(o)
	return err
}
