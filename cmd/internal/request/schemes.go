package request

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/proxy"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/fetch/save"
	"example.org/deref/schemes"
	"example.org/deref/schemes/http"
	"example.org/deref/schemes/http/cache"
	"example.org/deref/schemes/http/jar"
	"example.org/deref/schemes/mail"
	"example.org/deref/schemes/urn"
)

// schemeConfig returns the configuration of the schemes and the proxies, from flags, environment and configuration file.
func (f *Flags) schemeConfig(a *app.App) (*schemes.Config, *proxy.Table, error) {
	table, err := f.proxies(a)
	if err != nil {
		return nil, nil, err
	}
	h := &http.Config{}
	if table != nil {
		h.Proxy = table.HTTP
	}
	if f.cookies != nil || f.cookieJar != "" { // NAME=VALUE needs a jar, too: the cookies that a server sets are then credentials
		if f.jar, err = loadCookies(a, f.cookies); err != nil {
			return nil, nil, err
		}
		h.Jar = f.jar
	}
	if f.Cache != "" {
		if h.Cache, err = cache.Open(f.Cache, 0); err != nil {
			return nil, nil, fetch.Errorf(fetch.ErrLocal, "--cache: %w", err)
		}
	}
	m, err := f.mailConfig(a)
	if err != nil {
		return nil, nil, err
	}
	n := a.Config.News
	n.Source = cmp.Or(a.Getenv("NNTPSERVER"), n.Source) // the environment overrides the configuration file
	return &schemes.Config{HTTP: h, News: &n, Mail: m, URN: f.urnConfig(a), AFS: &a.Config.AFS}, table, nil
}

// urnConfig adds the system's DNS server to the configuration if a urn may be resolved.
func (f *Flags) urnConfig(a *app.App) *urn.Config {
	c := a.Config.URN
	if f.mayNameAny() || slices.Contains(f.reached(a), "urn") {
		c.Resolver = systemResolver()
	}
	return &c
}

// systemResolver returns the first name server of /etc/resolv.conf (resolv.conf(5)). It returns "" if there is none.
func systemResolver() string {
	b, err := os.ReadFile("/etc/resolv.conf")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if w := strings.Fields(line); len(w) > 1 && w[0] == "nameserver" {
			return w[1]
		}
	}
	return ""
}

// mailConfig returns the mail sources, and the message on standard input for cid:.
func (f *Flags) mailConfig(a *app.App) (*mail.Config, error) {
	c := &mail.Config{Sources: a.Config.Mail, Page: htmltext.Links}
	if f.mail != nil {
		c.Sources = nil
	}
	for _, s := range f.mail {
		source := mail.Source{URI: s}
		if err := source.Check(); err != nil {
			return nil, flags.Usage("--mail: " + err.Error())
		}
		c.Sources = append(c.Sources, source)
	}
	if !terminal.IsTerminal(a.Stdin) {
		c.Input = func() (io.ReadCloser, error) { return io.NopCloser(a.Stdin), nil }
	}
	return c, nil
}

// proxies returns the table of -x, --noproxy and the environment. It returns nil if there are no proxies.
func (f *Flags) proxies(a *app.App) (*proxy.Table, error) {
	t, err := proxy.FromEnvironment(a.Getenv)
	if err != nil {
		return nil, err
	}
	if f.proxy != "" {
		p, err := proxy.Parse(f.proxy)
		if err != nil {
			return nil, flags.Usage("-x: " + err.Error())
		}
		if f.proxyUser != "" {
			user, password, _ := strings.Cut(f.proxyUser, ":")
			if p, err = p.WithLogin(user, password); err != nil {
				return nil, err
			}
		}
		t = &proxy.Table{All: p}
	}
	t.Bypass = f.bypass(a)
	if f.noProxy != nil {
		t.Direct = false // only the hosts of the list
	}
	t.Passed = reportPassed(a)
	if t.All == nil && len(t.Schemes) == 0 {
		return nil, nil
	}
	return t, nil
}

// bypass returns the hosts that are contacted without a proxy: those of --noproxy, even if it is empty, or else of the environment, also with -x,
// as in curl.
func (f *Flags) bypass(a *app.App) []string {
	if f.noProxy != nil {
		return proxy.ParseBypass(*f.noProxy)
	}
	return proxy.ParseBypass(cmp.Or(a.Getenv("no_proxy"), a.Getenv("NO_PROXY")))
}

// isPair reports whether a value of -b is a cookie and not a file name, as in curl.
func isPair(s string) bool { return strings.Contains(s, "=") }

// loadCookies returns a jar with the cookies of the files of -b. An empty name stands for an empty jar. It reports and skips lines that are not
// cookies.
func loadCookies(a *app.App, files []string) (*jar.Jar, error) {
	j := jar.New()
	for _, name := range files {
		if name == "" || isPair(name) {
			continue
		}
		file, err := flags.Open(name, a.Stdin)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the first run of a script that writes it with -c
		}
		if err != nil {
			return nil, err
		}
		err = j.Load(file)
		file.Close()
		switch {
		case errors.Is(err, jar.ErrFormat):
			for line := range strings.SplitSeq(err.Error(), "\n") {
				fmt.Fprintf(a.Stderr, "deref: warning: %s: %s\n", render.Escape(name), line)
			}
		case err != nil:
			return nil, fetch.Errorf(fetch.ErrLocal, "%s: %w", name, err)
		}
	}
	return j, nil
}

// SaveCookies writes the jar to the file of -c. - is standard output, as in curl.
func (f *Flags) SaveCookies(a *app.App) error {
	if f.cookieJar == "" || f.jar == nil {
		return nil
	}
	if f.cookieJar == "-" {
		return f.jar.Save(a.Out())
	}
	lost, err := save.Rewrite(f.cookieJar, 0o600, f.jar.Save)
	a.Warn(lost)
	return err
}
