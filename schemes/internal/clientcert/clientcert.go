// Package clientcert is the certificate by which a user is known to one server: the settings that name its files, and their loading.
package clientcert

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io/fs"
	"os"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/secretfile"
)

// The settings' names behind that of the scheme.
const (
	certFile = ".cert"
	keyFile  = ".key"
)

// Settings are those of a scheme. A client certificate belongs to an identity, so no referral takes it to another host.
func Settings(scheme string) []fetch.Setting {
	return []fetch.Setting{
		{Key: scheme + certFile, Help: "a file with the client certificate for this host (PEM)", Bound: true},
		{Key: scheme + keyFile, Help: "the file with its key, if that is another; nobody else may read it", Bound: true},
	}
}

// Load loads the certificate that the request names, nil if it names none. The file with the key must be the user's alone.
func Load(o *fetch.Options, scheme string) (*tls.Certificate, error) {
	cert, key := o.Get(scheme+certFile), o.Get(scheme+keyFile)
	if cert == "" {
		return nil, nil
	}
	if key == "" {
		key = cert
	}
	if file, _, phrase := strings.Cut(cert, ":"); phrase && isMissing(cert) { // FILE:PHRASE, as curl has it, which no error may show
		return nil, &fetch.Error{Kind: fetch.ErrLocal, Text: "there is no certificate " + file + ":...; a pass phrase is not taken", Hint: inClear}
	}
	secret, err := secretfile.ReadFile(key)
	if err != nil {
		return nil, err
	}
	shown, err := os.ReadFile(cert)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	pair, err := tls.X509KeyPair(shown, secret)
	if err != nil && bytes.Contains(secret, []byte("ENCRYPTED")) {
		return nil, &fetch.Error{Kind: fetch.ErrLocal, Text: "the key in " + key + " has a pass phrase", Hint: inClear}
	}
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "the client certificate in %s cannot be used: %w", cert, err)
	}
	return &pair, nil
}

// inClear is what to do with a key that has a pass phrase.
const inClear = "`openssl pkey -in FILE -out KEY` takes it off; KEY must be yours alone (chmod 600)"

func isMissing(name string) bool {
	_, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist)
}
