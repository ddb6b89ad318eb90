package request

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/secretfile"
	"example.org/deref/fetch/tofu"
	"example.org/deref/schemes/http/jar"
)

// trust are the flags of credentials and certificates.
type trust struct {
	user      string
	userFile  string
	netrc     bool
	netrcFile string
	Notes     []string // about that file, for -v
	cookies   flags.List
	cookieJar string
	jar       *jar.Jar
	cacert    string
	insecure  bool
	optional  bool // a missing netrc file is not an error
	tls13     bool
	pins      [][][sha256.Size]byte // of each --pinnedpubkey
	tofu      bool
}

func (f *trust) add(fs *pflag.FlagSet) {
	flags.TextVar(fs, &f.user, "user", "u", "credentials `USER[:PASSWORD]`, sent only to this scheme, host and port")
	flags.TextVar(fs, &f.userFile, "user-file", "", "-u, from the first line of `FILE`")
	fs.BoolVarP(&f.netrc, "netrc", "n", false, "look credentials up in ~/.netrc")
	flags.TextVar(fs, &f.netrcFile, "netrc-file", "", "look credentials up in `FILE`")
	fs.BoolVar(&f.optional, "netrc-optional", false, "curl's flag: as --netrc; with --netrc-file the file may be missing")
	fs.MarkHidden("netrc-optional")
	fs.VarP(&f.cookies, "cookie", "b", "http: send the cookies of `FILE` ('' is an empty jar), or NAME=VALUE")
	flags.TextVar(fs, &f.cookieJar, "cookie-jar", "c", "http: write the cookies to `FILE` or -; they apply to all ports of a host")
	flags.TextVar(fs, &f.cacert, "cacert", "", "trust only the certificate authorities in `FILE`")
	fs.BoolVarP(&f.insecure, "insecure", "k", false, "do not verify TLS certificates")
	flags.ParsedVar(fs, &f.pins, "pinnedpubkey", "require one of these public keys: `sha256//BASE64`, with ; between", parsePins)
	fs.BoolVar(&f.tls13, "tlsv1.3", false, "require TLS 1.3; the default is 1.2 or later")
	fs.BoolVar(&f.tofu, "tofu", false, "gemini, gophers: trust a server's first certificate, then require it")
}

// login sets the credentials of -u or --user-file. It asks for the password if -u has none.
func (f *trust) login(ctx context.Context, o *fetch.Options) error {
	login := f.user
	if f.userFile != "" {
		b, err := secretfile.ReadFile(f.userFile)
		if err != nil {
			return err
		}
		line, _, _ := strings.Cut(string(b), "\n")
		if login = strings.TrimSuffix(line, "\r"); login == "" {
			return fetch.Errorf(fetch.ErrLocal, "%s: must contain USER:PASSWORD", f.userFile)
		}
	}
	if login == "" {
		return nil
	}
	user, password, given := strings.Cut(login, ":")
	if !given {
		var err error
		if password, err = terminal.Ask(ctx, "Password for "+user+": "); err != nil {
			return err
		}
	}
	o.Login = fetch.GivenLogin(user, password)
	return nil
}

// setTrust sets the certificates that the Client trusts.
func (f *trust) setTrust(a *app.App, c *fetch.Client) (err error) {
	if f.tofu {
		if c.FirstUse, err = firstUse(a); err != nil {
			return err
		}
	}
	c.Policy.PinnedKeys = slices.Concat(f.pins...)
	if f.tls13 || f.insecure || f.cacert != "" {
		c.TLS = &tls.Config{InsecureSkipVerify: f.insecure}
	}
	if f.tls13 {
		c.TLS.MinVersion = tls.VersionTLS13
	}
	if f.insecure && !a.Quiet {
		fmt.Fprintln(a.Stderr, "deref: warning: --insecure: TLS certificates are not verified; anyone on the path can read and change the data")
	}
	if f.cacert == "" {
		c.RootsFile = systemRoots(a.Getenv)
		return nil
	}
	pem, err := os.ReadFile(f.cacert)
	if err != nil {
		return err
	}
	c.TLS.RootCAs = x509.NewCertPool()
	if !c.TLS.RootCAs.AppendCertsFromPEM(pem) {
		return fetch.Errorf(fetch.ErrLocal, "%s contains no certificate", f.cacert)
	}
	return nil
}

// systemRoots returns the first file of crypto/x509's list for Linux that exists. It returns "" on other systems, some of which do not have their
// roots in files, or distrust some of these.
func systemRoots(getenv func(string) string) string {
	if runtime.GOOS != "linux" {
		return ""
	}
	if name := getenv("SSL_CERT_FILE"); name != "" {
		return name
	}
	for _, name := range [...]string{"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"} {
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return ""
}

// parsePins parses a value of --pinnedpubkey: digests of public keys with semicolons between.
func parsePins(value string) (pins [][sha256.Size]byte, err error) {
	for pin := range strings.SplitSeq(value, ";") {
		text, ok := strings.CutPrefix(pin, "sha256//")
		b, err := base64.StdEncoding.DecodeString(text)
		if !ok || err != nil || len(b) != sha256.Size {
			return nil, &flags.UsageError{Text: pin + ": must be sha256//BASE64, the digest of a public key",
				Hint: "openssl x509 -pubkey -noout -in CERT | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64 prints it"}
		}
		pins = append(pins, [sha256.Size]byte(b))
	}
	return pins, nil
}

// firstUse returns a check that records certificates in the user's configuration directory.
func firstUse(a *app.App) (func(string, tls.ConnectionState, error) error, error) {
	dir, err := app.MakeDir(a.Getenv)
	if err != nil {
		return nil, err
	}
	known, err := tofu.Open(filepath.Join(dir, "known-hosts"))
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return known.Check, nil
}
