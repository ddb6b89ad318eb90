package fetch

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"os"
	"strconv"
	"sync"
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
	o := x509.VerifyOptions{Roots: roots, DNSName: cfg.ServerName, Intermediates: x509.NewCertPool(), CurrentTime: timeOf(cfg)}
	for _, c := range s.PeerCertificates[1:] {
		o.Intermediates.AddCert(c)
	}
	_, err := s.PeerCertificates[0].Verify(o)
	return err
}

// rootsFile is the content of Client.RootsFile.
type rootsFile struct {
	once sync.Once
	all  [][]byte // certificates in DER
}

// maxRootsFile is larger than any real file of roots.
const maxRootsFile = 4 << 20

// fromRootsFile verifies the server's certificate with the roots in Client.RootsFile that can be in its chain, and with all of the system's only
// if that fails. On Debian crypto/x509 parses about 400 certificates in 150 files before the first handshake, half of the processor time of a
// small document (job start-https-roots of testdata/bench).
func (c *Client) fromRootsFile(cfg *tls.Config) {
	if c.RootsFile == "" || cfg.RootCAs != nil || cfg.InsecureSkipVerify || cfg.ServerName == "" {
		return
	}
	further := cfg.VerifyConnection
	cfg.InsecureSkipVerify = true // VerifyConnection verifies
	cfg.VerifyConnection = func(s tls.ConnectionState) error {
		if verify(cfg, c.rootsFor(s.PeerCertificates), s) != nil {
			if err := verify(cfg, nil, s); err != nil {
				return &tls.CertificateVerificationError{UnverifiedCertificates: s.PeerCertificates, Err: err} // as crypto/tls
			}
		}
		if further != nil {
			return further(s)
		}
		return nil
	}
}

// rootsFor returns the certificates of the RootsFile that contain the name of an issuer in the chain. All other bytes of the file are not parsed.
func (c *Client) rootsFor(chain []*x509.Certificate) *x509.CertPool {
	f := &c.roots
	f.once.Do(func() { f.all = readRoots(c.RootsFile) })
	pool := x509.NewCertPool()
	for _, der := range f.all {
		for _, of := range chain {
			if !bytes.Contains(der, of.RawIssuer) {
				continue
			}
			if root, err := x509.ParseCertificate(der); err == nil {
				pool.AddCert(root)
			}
			break
		}
	}
	return pool
}

// readRoots reads the certificates of a file in PEM. It returns none of a file that is not a regular one, or is too long.
func readRoots(name string) (all [][]byte) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRootsFile {
		return nil
	}
	rest, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return all
		}
		if block.Type == "CERTIFICATE" && len(block.Headers) == 0 { // as crypto/x509
			all = append(all, block.Bytes)
		}
	}
}
