//go:build unix || windows

package hub

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"math/big"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/fetch/secretfile"
)

// An identity is the certificate by which clients recognize a server, and the token by which it recognizes them.
type identity struct {
	cert  tls.Certificate
	token string
}

const (
	identityFile = "identity.pem" // in the server's directory
	tokenBlock   = "DEREF HUB TOKEN"
	pinPrefix    = "/sha256-" // begins the path of a URL with the digest of a certificate
)

// openIdentity reads the identity in a directory. If there is none, it creates one, which remains the same from then on.
func openIdentity(dir string) (*identity, error) {
	name := filepath.Join(dir, identityFile)
	text, err := secretfile.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = newIdentity(); err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		_, err = save.Rewrite(name, 0o600, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	id := &identity{}
	if id.cert, err = tls.X509KeyPair(text, text); err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%s: invalid certificate or key", name)
	}
	for b, rest := pem.Decode(text); b != nil; b, rest = pem.Decode(rest) {
		if b.Type == tokenBlock {
			id.token = string(b.Bytes)
		}
	}
	if id.token == "" {
		return nil, fetch.Errorf(fetch.ErrLocal, "%s: token missing", name)
	}
	return id, nil
}

// newIdentity returns a certificate, its key and a token. Clients know the certificate by its digest, so its name does not matter, and it does
// not expire.
func newIdentity() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	cert := &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: "derefd hub"}, DNSNames: []string{"derefd-hub.invalid"},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), // RFC 5280 section 4.1.2.5
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	signed, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...)
	return append(text, pem.EncodeToMemory(&pem.Block{Type: tokenBlock, Bytes: []byte(rand.Text())})...), nil
}

func (id *identity) config() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{id.cert}, MinVersion: tls.VersionTLS13}
}

// inURL adds the identity to a server's URL.
func (id *identity) inURL(u *url.URL) {
	sum := sha256.Sum256(id.cert.Certificate[0])
	u.Scheme, u.User, u.Path = "tls", url.User(id.token), pinPrefix+hex.EncodeToString(sum[:])
}

// A pin is the digest of the only certificate that is accepted.
type pin struct {
	digest  []byte
	refused atomic.Bool // a server had another certificate
}

// pinOf returns the pin of a URL that Server.URL has returned, and removes it from that. It returns nil for other URLs. Errors do not
// contain the URL, since it contains the token.
func pinOf(servers []*url.URL) (*pin, error) {
	at := slices.IndexFunc(servers, func(u *url.URL) bool { return strings.HasPrefix(u.Path, pinPrefix) })
	if at < 0 {
		return nil, nil
	}
	if len(servers) > 1 {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the URL of derefd hub cannot be one of several")
	}
	u := servers[0]
	digest := strings.TrimPrefix(u.Path, pinPrefix)
	want, err := hex.DecodeString(digest)
	if err != nil || len(want) != sha256.Size || u.Scheme != "tls" {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the hub's URL must be tls://...%s and 64 hexadecimal digits", pinPrefix)
	}
	u.Path = ""
	return &pin{digest: want}, nil
}

// config replaces the usual verification by a stricter one: the certificate must be that of the pin, byte for byte.
func (p *pin) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, VerifyConnection: func(s tls.ConnectionState) error {
		sum := sha256.Sum256(s.PeerCertificates[0].Raw)
		if subtle.ConstantTimeCompare(sum[:], p.digest) != 1 {
			p.refused.Store(true)
			return fetch.Errorf(fetch.ErrTLS, "%w", errOtherCertificate)
		}
		return nil
	}}
}

var errOtherCertificate = errors.New("the hub's certificate is not that of its URL")
