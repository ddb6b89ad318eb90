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
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(now.UnixNano()),
		Subject:               pkix.Name{CommonName: "localhost"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(30 * 24 * time.Hour),
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true, // so that it can be its own root
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, err
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	cert := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
	return &tls.Config{Certificates: []tls.Certificate{cert}}, roots, nil
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
