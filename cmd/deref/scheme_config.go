package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/proxy"
	"example.org/deref/schemes"
	"example.org/deref/schemes/http"
	"example.org/deref/schemes/http/jar"
	"example.org/deref/schemes/mail"
	"example.org/deref/schemes/news"
)

// schemeConfig makes what the schemes are configured with, from flags and environment.
func (f *requestFlags) schemeConfig(a *app) (*schemes.Config, *proxy.Table, error) {
	table, err := f.proxies(a)
	if err != nil {
		return nil, nil, err
	}
	h := &http.Config{}
	if table != nil {
		h.Proxy = table.HTTP
	}
	if f.cookies != nil || f.cookieJar != "" {
		if f.jar, err = loadCookies(f.cookies); err != nil {
			return nil, nil, err
		}
		h.Jar = f.jar
	}
	return &schemes.Config{HTTP: h, News: &news.Config{Source: a.getenv("NNTPSERVER")}, Mail: f.mailConfig(a)}, table, nil
}

// mailConfig names the mail sources, and the message on standard input for cid:.
func (f *requestFlags) mailConfig(a *app) *mail.Config {
	c := &mail.Config{Sources: f.mail}
	if !isTerminal(a.stdin) {
		c.Input = func() (io.ReadCloser, error) { return io.NopCloser(a.stdin), nil }
	}
	return c
}

// proxies is the table of -x, --noproxy and the environment; nil where there is no proxy at all.
func (f *requestFlags) proxies(a *app) (*proxy.Table, error) {
	t, err := proxy.FromEnvironment(a.getenv)
	if err != nil {
		return nil, err
	}
	if f.proxy != "" {
		p, err := proxy.Parse(f.proxy)
		if err != nil {
			return nil, usageError("-x: " + err.Error())
		}
		t = &proxy.Table{All: p}
	}
	if f.noProxy != "" {
		t.Bypass = proxy.ParseBypass(f.noProxy)
	}
	if t.All == nil && len(t.Schemes) == 0 {
		return nil, nil
	}
	return t, nil
}

// loadCookies fills a jar from the files of -b; ” is an empty one. A word with "=" is a cookie, not a file, as curl has it.
func loadCookies(files []string) (*jar.Jar, error) {
	j := jar.New()
	for _, name := range files {
		if name == "" || strings.Contains(name, "=") {
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
		if err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "%s: %w", name, err)
		}
	}
	return j, nil
}

// saveCookies writes the jar where -c says.
func (f *requestFlags) saveCookies() error {
	if f.cookieJar == "" || f.jar == nil {
		return nil
	}
	var b strings.Builder
	if err := f.jar.Save(&b); err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	tmp := f.cookieJar + ".new"
	if err := os.WriteFile(tmp, []byte(b.String()), 0o600); err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	if err := os.Rename(tmp, f.cookieJar); err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	return nil
}

// putCookies sends the cookies that -b spells out.
func putCookies(set map[string][]string, words []string) {
	for _, w := range words {
		if strings.Contains(w, "=") {
			set["http.credential-header"] = append(set["http.credential-header"], "Cookie: "+w)
		}
	}
}
