package secretfile

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io/fs"
	"os"
	"strings"

	"example.org/deref/fetch"
)

// The names of the settings, after the name of the scheme.
const (
	certFile = ".cert"
	keyFile  = ".key"
)

// CertSettings returns the settings of scheme that name the files of a client certificate. It belongs to an identity, so no referral takes it to
// another host.
func CertSettings(scheme string) []fetch.Setting {
	return []fetch.Setting{
		{Key: scheme + certFile, Help: "a file with the client certificate for this host (PEM)", Bound: true},
		{Key: scheme + keyFile, Help: "the file with its key, if that is another; nobody else may read it", Bound: true},
	}
}

// A ClientCert names the files of the certificate by which a user is known to one server. The zero ClientCert means that there is none.
type ClientCert struct{ Cert, Key string }

// ClientCertOf returns the files that the settings of scheme name.
func ClientCertOf(o *fetch.Options, scheme string) ClientCert {
	f := ClientCert{o.Get(scheme + certFile), o.Get(scheme + keyFile)}
	if f.Key == "" {
		f.Key = f.Cert
	}
	return f
}

// Load loads the certificate. It returns nil if f names none. Only the user may have access to the file with the key.
func (f ClientCert) Load() (*tls.Certificate, error) {
	if f.Cert == "" {
		return nil, nil
	}
	if file, _, phrase := strings.Cut(f.Cert, ":"); phrase && isMissing(f.Cert) { // FILE:PHRASE, as in curl; no error may show the phrase
		return nil, &fetch.Error{Kind: fetch.ErrLocal, Text: "no such certificate: " + file + ":...; pass phrases are not supported", Hint: decryptHint}
	}
	secret, err := ReadFile(f.Key)
	if err != nil {
		return nil, err
	}
	public := secret
	if f.Cert != f.Key { // else it may be a pipe, which can be read once
		if public, err = os.ReadFile(f.Cert); err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
	}
	pair, err := tls.X509KeyPair(public, secret)
	if err != nil && bytes.Contains(secret, []byte("ENCRYPTED")) {
		return nil, &fetch.Error{Kind: fetch.ErrLocal, Text: "the key in " + f.Key + " has a pass phrase", Hint: decryptHint}
	}
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "the client certificate in %s cannot be used: %w", f.Cert, err)
	}
	return &pair, nil
}

const decryptHint = "`openssl pkey -in FILE -out KEY` removes the pass phrase; only you may have access to KEY (chmod 600)"

func isMissing(name string) bool {
	_, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist)
}
