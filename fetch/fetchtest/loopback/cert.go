package loopback

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// SelfSigned makes a certificate for the names of the loopback interface. It returns the server's configuration and the roots that verify
// the certificate.
func SelfSigned() (*tls.Config, *x509.CertPool, error) {
	cert, err := Certificate(nil, "localhost", "127.0.0.1", "::1")
	if err != nil {
		return nil, nil, err
	}
	roots := x509.NewCertPool()
	roots.AddCert(cert.Leaf)
	return &tls.Config{Certificates: []tls.Certificate{*cert}}, roots, nil
}

// Certificate makes a certificate for names and addresses. It is signed by an authority, or, as one that can sign others, by itself.
func Certificate(authority *tls.Certificate, hosts ...string) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(now.UnixNano()),
		Subject:               pkix.Name{CommonName: hosts[0]},
		NotBefore:             now.Add(-30 * 24 * time.Hour), // simulated clocks differ
		NotAfter:              now.Add(30 * 24 * time.Hour),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	issuer, signer := template, any(key)
	if authority != nil {
		issuer, signer = authority.Leaf, authority.PrivateKey
	} else {
		template.IsCA = true
		template.KeyUsage |= x509.KeyUsageCertSign
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, key.Public(), signer)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, err
}

// PEM returns the first certificate of cfg and its key in PEM form.
func PEM(cfg *tls.Config) ([]byte, error) {
	key, err := x509.MarshalPKCS8PrivateKey(cfg.Certificates[0].PrivateKey)
	if err != nil {
		return nil, err
	}
	b := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cfg.Certificates[0].Certificate[0]})
	return append(b, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...), nil
}

// handshakeTime is how long a client may take to negotiate TLS.
const handshakeTime = 10 * time.Second

// AcceptTLS begins TLS on a connection of the server. It returns nil if the handshake fails or takes longer than ten seconds.
func (s *Listener) AcceptTLS(c net.Conn, cfg *tls.Config) *tls.Conn {
	o := observedIn(c)
	if o != nil {
		o.wire.secure.Store(true)
	}
	t := tls.Server(c, cfg)
	t.SetDeadline(time.Now().Add(handshakeTime))
	if t.HandshakeContext(s.ctx) != nil {
		return nil
	}
	t.SetDeadline(time.Time{})
	if o != nil {
		o.wire.w.TLS(tls.VersionName(t.ConnectionState().Version))
	}
	return t
}
