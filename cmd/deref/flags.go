package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
	"example.org/deref/fetch/private"
	"example.org/deref/fetch/tofu"
	"example.org/deref/schemes"
	"example.org/deref/schemes/http/jar"
	"example.org/deref/uri"
)

// requestFlags are the flags of everything that dereferences: they make the Client, and the Options of each request.
type requestFlags struct {
	maxRedirs      int
	noFollow       bool
	followTo       []string
	allowX         bool
	gateway        []string
	wanted         []string // the schemes that the command line names
	planning       bool     // nothing will be sent, so nobody is asked for a password
	connectTimeout seconds
	idleTimeout    seconds
	maxTime        seconds
	maxFilesize    size
	deny, allow    prefixes
	denyPrivate    bool
	allowPort      ports
	user           string
	userFile       string
	netrc          bool
	netrcFile      string
	mail           []string
	cookies        []string
	cookieJar      string
	cache          string
	jar            *jar.Jar
	proxy          string
	noProxy        string
	as, accept     []string
	changed        string
	cacert         string
	insecure       bool
	tofu           bool
	search         string
	base           string
	mode           string
	set            []string
	special        []func(set map[string][]string) // flags that are spellings of settings
}

func (f *requestFlags) add(fs *pflag.FlagSet) { addSections(fs, f.sections()) }

// sections are the flags as help shows them.
func (f *requestFlags) sections() []section {
	return []section{
		{"What is asked for", f.addWish},
		{"Where it may lead", f.addWays},
		{"How long and how much", f.addBounds},
		{"Who asks, and whom we trust", f.addTrust},
		{"Words of single schemes (--set has all)", f.addSpellings},
		{"Whence the defaults", addConfig},
		{"", addHabits},
	}
}

func (f *requestFlags) addWish(fs *pflag.FlagSet) {
	fs.StringVar(&f.search, "search", "", "`WORDS` to search a searchable object for")
	fs.VarP((*given)(&f.changed), "time-cond", "z", "only what has changed since `DATE`, or since the file of that name")
	fs.Var((*textList)(&f.as), "as", "which of several forms of one object: the media `TYPE`")
	fs.Var((*textList)(&f.accept), "accept-type", "ask for the media `TYPE`, best first")
	fs.Var((*given)(&f.cache), "cache", "http: keep answers in the folder `DIR`, and take them from there while they are fresh")
	fs.Var((*given)(&f.base), "base", "partial forms are relative to `URI`; cid: looks inside it")
	fs.Var((*given)(&f.mode), "mode", "read URIs by this specification (rfc3986, rfc1630, ...)")
	fs.Var((*textList)(&f.mail), "mail", "for mid, cid, mailto: `SOURCE` is imap://USER@HOST, maildir:DIR, mbox:FILE, mh:DIR")
	fs.Var((*textList)(&f.set), "set", "`KEY=VALUE`: a setting of one scheme (deref help SCHEME lists them)")
}

func (f *requestFlags) addWays(fs *pflag.FlagSet) {
	numberVar(fs, &f.maxRedirs, "max-redirs", 10, 0, math.MaxInt, "follow at most `N` referrals, of any kind")
	fs.BoolVar(&f.noFollow, "no-follow", false, "a referral is itself the document")
	fs.Var((*wordList)(&f.followTo), "follow-to", "schemes that referrals may lead to besides the default ones")
	fs.BoolVar(&f.allowX, "allow-x", false, "a referral may reach x- schemes")
	fs.Var((*textList)(&f.gateway), "gateway", "`SCHEME=TEMPLATE`: reach it by {uri}, {host}, {path}, ..., or whois=rdap")
	fs.StringVarP(&f.proxy, "proxy", "x", "", "reach servers through `PROXY` (http, https, socks5)")
	fs.StringVar(&f.noProxy, "noproxy", "", "reach the hosts in `LIST` without a proxy")
	fs.Var(&f.deny, "deny", "never contact addresses in `CIDR`")
	fs.BoolVar(&f.denyPrivate, "deny-private", false, "contact public addresses only")
	fs.Var(&f.allow, "allow", "contact addresses in `CIDR` in spite of --deny and --deny-private")
	fs.Var(&f.allowPort, "allow-port", "contact port `N` although it belongs to another service")
}

func (f *requestFlags) addBounds(fs *pflag.FlagSet) {
	fs.Var(&f.connectTimeout, "connect-timeout", "look-up and connection take at most `SECONDS` (default 15)")
	fs.Var(&f.idleTimeout, "idle-timeout", "a reply, and any silence, take at most `SECONDS` (default 60)")
	fs.VarP(&f.maxTime, "max-time", "m", "the whole request takes at most `SECONDS`")
	fs.Var(&f.maxFilesize, "max-filesize", "a longer document is an error (`SIZE`: 10M, 1G)")
}

func (f *requestFlags) addTrust(fs *pflag.FlagSet) {
	fs.StringVarP(&f.user, "user", "u", "", "credentials `USER[:PASSWORD]`, for this scheme, host and port only")
	fs.Var((*given)(&f.userFile), "user-file", "credentials USER:PASSWORD from the first line of `FILE`, likewise")
	fs.BoolVarP(&f.netrc, "netrc", "n", false, "look credentials up in ~/.netrc")
	fs.Var((*given)(&f.netrcFile), "netrc-file", "look credentials up in `FILE`")
	fs.VarP((*textList)(&f.cookies), "cookie", "b", "http: send the cookies of `FILE` ('' is an empty jar), or NAME=VALUE")
	fs.VarP((*given)(&f.cookieJar), "cookie-jar", "c", "http: write the cookies to `FILE` afterwards")
	fs.Var((*given)(&f.cacert), "cacert", "trust the certificate authorities in `FILE` only")
	fs.BoolVarP(&f.insecure, "insecure", "k", false, "do not verify TLS certificates")
	fs.BoolVar(&f.tofu, "tofu", false, "gemini, gophers: trust the certificate shown first, and keep to it")
}

// addConfig adds what says where the configuration file is: app.loadConfig asks for it before the rest is read.
func addConfig(fs *pflag.FlagSet) {
	fs.String("config", "", "read `FILE` ('' is none) instead of the user's config.toml (deref help config)")
	fs.BoolP("disable", "q", false, "do not read the user's config.toml; a file that --config names is read")
}

// addHabits adds the flags that a curl user's fingers type for what is done anyway.
func addHabits(fs *pflag.FlagSet) {
	for _, name := range []string{"location", "fail", "globoff"} {
		fs.BoolP(name, map[string]string{"location": "L", "fail": "f", "globoff": "g"}[name], false, "curl's spelling of what is done anyway")
		fs.MarkHidden(name)
	}
}

// prepare makes what commands about one URI begin with: the Client, the Options, and the URI. The Client is the caller's to close.
func (f *requestFlags) prepare(a *app, arg string) (c *fetch.Client, o *fetch.Options, u uri.URI, err error) {
	if o, err = f.options(a); err != nil {
		return nil, nil, u, err
	}
	if u, err = f.parse(o, arg); err != nil {
		return nil, nil, u, err
	}
	c, err = f.client(a)
	return c, o, u, err
}

// client makes the Client that the flags describe.
func (f *requestFlags) client(a *app) (*fetch.Client, error) {
	cfg, proxies, err := f.schemeConfig(a)
	if err != nil {
		return nil, err
	}
	list, err := f.extend(a, schemes.All(cfg))
	if err != nil {
		return nil, err
	}
	c := fetch.New(list...)
	if proxies != nil {
		c.Dialer = proxies.Dial
	}
	redirs := f.maxRedirs
	if redirs == 0 {
		redirs = -1
	}
	c.Policy = fetch.Policy{Deny: f.deny, Allow: f.allow, DenyPrivate: f.denyPrivate, AllowPorts: f.allowPort, MaxReferrals: redirs,
		NoFollow: f.noFollow, FollowTo: f.followTo, AllowX: f.allowX}
	c.Limits.Document = int64(f.maxFilesize)
	if c.Logins, err = f.logins(a, c.Schemes); err != nil {
		return nil, err
	}
	if !f.planning {
		c.Logins = prompting(a, c.Logins)
	}
	c.Settings = a.config.settings(c.Schemes)
	c.Timeouts = fetch.Timeouts{Connect: time.Duration(f.connectTimeout), Idle: time.Duration(f.idleTimeout), Total: time.Duration(f.maxTime)}
	if f.tofu {
		if c.FirstUse, err = firstUse(a); err != nil {
			return nil, err
		}
	}
	return c, f.trust(a, c)
}

// firstUse remembers servers in the user's configuration folder.
func firstUse(a *app) (func(string, tls.ConnectionState, error) error, error) {
	dir, err := configFolder(a)
	if err != nil {
		return nil, err
	}
	known, err := tofu.Open(filepath.Join(dir, "known-hosts"))
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return known.Check, nil
}

// configHome is $XDG_CONFIG_HOME/deref, "" where the environment names no home. A relative one does not count (XDG Base Directory).
func configHome(a *app) string {
	dir := a.getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home := a.getenv("HOME")
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "deref")
}

// configFolder is configHome, made where it is missing.
func configFolder(a *app) (string, error) {
	dir := configHome(a)
	if dir == "" {
		return "", fetch.Errorf(fetch.ErrLocal, "neither XDG_CONFIG_HOME nor HOME is set")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return dir, nil
}

func (f *requestFlags) trust(a *app, c *fetch.Client) error {
	if f.insecure {
		fmt.Fprintln(a.stderr, "deref: warning: --insecure: TLS certificates are not verified, anybody on the way can read and change what is sent")
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

// options makes the Options of one request.
func (f *requestFlags) options(a *app) (*fetch.Options, error) {
	o := &fetch.Options{Set: map[string][]string{}, Accept: slices.Concat(f.as, f.accept)}
	if f.mode != "" {
		m, ok := uri.ParseMode(f.mode)
		if !ok {
			return nil, unknownMode(f.mode)
		}
		o.Mode = m
	}
	if f.base != "" {
		b, err := parseURI(o.Mode, f.base)
		if err == nil {
			b, err = here(o.Mode, b)
		}
		if err != nil {
			return nil, err
		}
		if !b.IsAbs() {
			return nil, usageError(fmt.Sprintf("--base %s: it is a partial form itself", f.base))
		}
		o.Base = b
	}
	if f.changed != "" {
		var err error
		if o.IfChanged, err = since(f.changed); err != nil {
			return nil, err
		}
	}
	if f.search != "" {
		o.Search = strings.Fields(f.search)
	}
	for _, kv := range f.set {
		k, v, ok := strings.Cut(kv, "=")
		if !ok {
			return nil, usageError(fmt.Sprintf("--set %s: KEY=VALUE is wanted", kv))
		}
		o.Set[k] = append(o.Set[k], v)
	}
	for _, put := range f.special {
		put(o.Set)
	}
	putCookies(o.Set, f.cookies)
	if len(o.Set) > 0 {
		if err := fetch.Registry(schemes.All(nil)).CheckSettings(o.Set); err != nil {
			return nil, err
		}
	}
	return o, f.login(a, o)
}

// since reads -z: a date as servers write it, or the time of a file.
func since(s string) (fetch.Validator, error) {
	for _, form := range []string{http1123, time.RFC3339, time.DateOnly, time.RFC850, time.ANSIC} {
		if t, err := time.Parse(form, s); err == nil {
			return fetch.Validator{Modified: t.UTC().Format(http1123)}, nil
		}
	}
	info, err := os.Stat(s)
	if err != nil {
		return fetch.Validator{}, usageError(fmt.Sprintf("-z %s: neither a date nor a file", s))
	}
	return fetch.Validator{Modified: info.ModTime().UTC().Format(http1123)}, nil
}

// http1123 is the date of RFC 9110 section 5.6.7.
const http1123 = "Mon, 02 Jan 2006 15:04:05 GMT"

// login takes -u and --user-file; a user without a password is asked for it.
func (f *requestFlags) login(a *app, o *fetch.Options) error {
	said := f.user
	if f.userFile != "" {
		if said != "" {
			return usageError("-u and --user-file are one too many")
		}
		b, err := private.ReadFile(f.userFile)
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
		if password, err = a.ask("Password for " + user + ": "); err != nil {
			return err
		}
	}
	o.Login = fetch.Login{User: user, Password: password, Set: true}
	return nil
}
