package request

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/config"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/secretfile"
	"example.org/deref/fetch/tofu"
	"example.org/deref/schemes/http/jar"
)

// trust are the flags of who asks, and of whom we trust.
type trust struct {
	user      string
	userFile  string
	netrc     bool
	netrcFile string
	Notes     []string // about that file, for -v
	cookies   []string
	cookieJar string
	jar       *jar.Jar
	cacert    string
	insecure  bool
	tofu      bool
}

func (f *trust) add(fs *pflag.FlagSet) {
	fs.VarP((*flags.NonEmpty)(&f.user), "user", "u", "credentials `USER[:PASSWORD]`, for this scheme, host and port only")
	fs.Var((*flags.NonEmpty)(&f.userFile), "user-file", "credentials USER:PASSWORD from the first line of `FILE`, likewise")
	fs.BoolVarP(&f.netrc, "netrc", "n", false, "look credentials up in ~/.netrc")
	fs.Var((*flags.NonEmpty)(&f.netrcFile), "netrc-file", "look credentials up in `FILE`")
	fs.VarP((*flags.List)(&f.cookies), "cookie", "b", "http: send the cookies of `FILE` ('' is an empty jar), or NAME=VALUE")
	fs.VarP((*flags.NonEmpty)(&f.cookieJar), "cookie-jar", "c", "http: write the cookies to `FILE` (or -); they are for all ports of a host")
	fs.Var((*flags.NonEmpty)(&f.cacert), "cacert", "trust the certificate authorities in `FILE` only")
	fs.BoolVarP(&f.insecure, "insecure", "k", false, "do not verify TLS certificates")
	fs.BoolVar(&f.tofu, "tofu", false, "gemini, gophers: trust the certificate shown first, and keep to it")
}

// login takes -u and --user-file; a user without a password is asked for it.
func (f *trust) login(a *app.App, o *fetch.Options) error {
	said := f.user
	if f.userFile != "" {
		b, err := secretfile.ReadFile(f.userFile)
		if err != nil {
			return err
		}
		line, _, _ := strings.Cut(string(b), "\n")
		if said = strings.TrimSuffix(line, "\r"); said == "" {
			return fetch.Errorf(fetch.ErrLocal, "%s: USER:PASSWORD is wanted", f.userFile)
		}
	}
	if said == "" {
		return nil
	}
	user, password, given := strings.Cut(said, ":")
	if !given {
		var err error
		if password, err = terminal.Ask("Password for " + user + ": "); err != nil {
			return err
		}
	}
	o.Login = fetch.Login{User: user, Password: password, Set: true}
	return nil
}

// setTrust tells the Client whose certificates are believed.
func (f *trust) setTrust(a *app.App, c *fetch.Client) (err error) {
	if f.tofu {
		if c.FirstUse, err = firstUse(a); err != nil {
			return err
		}
	}
	if f.insecure {
		fmt.Fprintln(a.Stderr, "deref: warning: --insecure: TLS certificates are not verified, anybody on the way can read and change what is sent")
		c.TLS = &tls.Config{InsecureSkipVerify: true}
	}
	if f.cacert == "" {
		return nil
	}
	pem, err := os.ReadFile(f.cacert)
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return fetch.Errorf(fetch.ErrLocal, "%s holds no certificate", f.cacert)
	}
	if c.TLS == nil {
		c.TLS = &tls.Config{}
	}
	c.TLS.RootCAs = roots
	return nil
}

// firstUse remembers servers in the user's configuration folder.
func firstUse(a *app.App) (func(string, tls.ConnectionState, error) error, error) {
	dir, err := config.MakeDir(a.Getenv)
	if err != nil {
		return nil, err
	}
	known, err := tofu.Open(filepath.Join(dir, "known-hosts"))
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return known.Check, nil
}
