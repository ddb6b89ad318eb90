package request

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/config"
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
	"example.org/deref/schemes/news"
	"example.org/deref/schemes/urn"
)

// schemeConfig makes what the schemes are configured with, from flags and environment.
func (f *Flags) schemeConfig(a *app.App) (*schemes.Config, *proxy.Table, error) {
	table, err := f.proxies(a)
	if err != nil {
		return nil, nil, err
	}
	h := &http.Config{}
	if table != nil {
		h.Proxy = table.HTTP
	}
	if f.cookies != nil || f.cookieJar != "" { // a jar for NAME=VALUE, too: what a server sets is then a credential
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
	return &schemes.Config{HTTP: h, News: newsConfig(a), Mail: m, URN: f.urnConfig(a), AFS: &a.Config.AFS}, table, nil
}

// urnConfig names the system's DNS server, where that could be asked.
func (f *Flags) urnConfig(a *app.App) *urn.Config {
	c := a.Config.URN
	if len(f.Wanted) == 0 || slices.Contains(f.reached(a), "urn") { // a list may name any
		c.Resolver = systemResolver()
	}
	return &c
}

// systemResolver is the first name server of /etc/resolv.conf, "" where there is no such file: resolv.conf(5).
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

// newsConfig names the news host, which the environment says before the file does, and the archives.
func newsConfig(a *app.App) *news.Config {
	c := a.Config.News
	if host := a.Getenv("NNTPSERVER"); host != "" {
		c.Source = host
	}
	return &c
}

// mailConfig names the mail sources, and the message on standard input for cid:.
func (f *Flags) mailConfig(a *app.App) (*mail.Config, error) {
	c := &mail.Config{Sources: a.Config.Mail, Cache: mailCache(a), Page: htmltext.Links}
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

// mailCache is the folder for the indices of mail stores, "" where the environment names no home. It is made when there is one to keep.
func mailCache(a *app.App) string {
	dir := config.UserDir(a.Getenv, "XDG_CACHE_HOME", ".cache")
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "deref", "mail")
}

// proxies is the table of -x, --noproxy and the environment; nil where there is no proxy at all.
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
		t = &proxy.Table{All: p}
	}
	t.Bypass = f.bypass(a)
	if f.noProxy.IsSet {
		t.Direct = false // the list is all there is
	}
	t.DirectUDP, t.Passed = f.directUDP, reportPassed(a)
	if t.All == nil && len(t.Schemes) == 0 {
		return nil, nil
	}
	return t, nil
}

// bypass lists the hosts that are reached without a proxy: those of --noproxy, even if there are none, or else of the environment, also with
// -x, as in curl.
func (f *Flags) bypass(a *app.App) []string {
	if f.noProxy.IsSet {
		return proxy.ParseBypass(f.noProxy.Text)
	}
	return proxy.ParseBypass(cmp.Or(a.Getenv("no_proxy"), a.Getenv("NO_PROXY")))
}

// isPair reports whether a value of -b is a cookie, not a file, as in curl.
func isPair(s string) bool { return strings.Contains(s, "=") }

// loadCookies fills a jar from the files of -b; an empty name is an empty jar. Lines that are not cookies are reported and skipped.
func loadCookies(a *app.App, files []string) (*jar.Jar, error) {
	j := jar.New()
	for _, name := range files {
		if name == "" || isPair(name) {
			continue
		}
		file, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the first run of a script that writes it with -c
		}
		if err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		err = j.Load(file)
		file.Close()
		switch {
		case errors.Is(err, jar.ErrFormat):
			fmt.Fprintf(a.Stderr, "deref: warning: %s: %v\n", render.Escape(name), err)
		case err != nil:
			return nil, fetch.Errorf(fetch.ErrLocal, "%s: %w", name, err)
		}
	}
	return j, nil
}

// SaveCookies writes the jar where -c says; - is standard output, as curl has it.
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

// addCookies sends the cookies that -b spells out.
func addCookies(set map[string][]string, words []string) {
	for _, w := range words {
		if isPair(w) {
			set["http.cookie"] = append(set["http.cookie"], w)
		}
	}
}
