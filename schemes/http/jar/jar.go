// Package jar stores cookies: RFC 6265, with the list of public suffixes (section 5.3 step 5), and the rules of RFC 6265bis about prefixes and
// cookies that require TLS. It reads and writes the file format of Netscape, which curl, wget and exports of browsers use. The cookies of
// net/http/cookiejar cannot be listed, and so not saved.
//
//	j := jar.New()
//	err := j.Load(file)
//	schemes := http.Schemes(&http.Config{Jar: j})
//	err = j.Save(file)
package jar

import (
	"cmp"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// Limits of a jar. RFC 6265 section 6.1 requires at least 50 cookies for each domain and 3000 in total. Browsers ignore cookies of more
// than 4096 bytes.
const (
	maxPerDomain = 180
	maxCookies   = 3000
	maxBytes     = 4096
)

// A Jar is an http.CookieJar. It is safe for concurrent use.
type Jar struct {
	mu      sync.Mutex
	cookies map[key]*cookie
	count   uint64
}

type key struct{ domain, path, name string }

// A cookie is a stored cookie: RFC 6265 section 5.3.
type cookie struct {
	key
	value    string
	expires  time.Time // zero: at the end of the session
	hostOnly bool
	secure   bool
	httpOnly bool
	order    uint64 // of creation
}

var _ http.CookieJar = (*Jar)(nil)

// New returns an empty jar.
func New() *Jar { return &Jar{cookies: map[key]*cookie{}} }

// Cookies returns the cookies to send to u, longer paths first. RFC 6265 section 5.4.
func (j *Jar) Cookies(u *url.URL) []*http.Cookie {
	host, path := canonicalHost(u.Hostname()), requestPath(u)
	j.mu.Lock()
	defer j.mu.Unlock()
	var found []*cookie
	now := time.Now()
	for k, c := range j.cookies {
		switch {
		case c.expired(now):
			delete(j.cookies, k)
		case c.secure && u.Scheme != "https", !pathMatches(c.path, path):
		case c.hostOnly && c.domain == host, !c.hostOnly && domainMatches(c.domain, host):
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b *cookie) int {
		return cmp.Or(cmp.Compare(len(b.path), len(a.path)), cmp.Compare(a.order, b.order))
	})
	out := make([]*http.Cookie, len(found))
	for i, c := range found {
		out[i] = &http.Cookie{Name: c.name, Value: c.value}
	}
	return out
}

// SetCookies stores the cookies that u has set, and removes those that have expired. RFC 6265 section 5.3.
func (j *Jar) SetCookies(u *url.URL, list []*http.Cookie) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, h := range list {
		c, ok := j.read(u, h)
		if !ok {
			continue
		}
		j.put(c)
	}
}

// read returns the cookie of a Set-Cookie of u. It returns false if the rules forbid it.
func (j *Jar) read(u *url.URL, h *http.Cookie) (*cookie, bool) {
	host := canonicalHost(u.Hostname())
	c := &cookie{key: key{host, h.Path, h.Name}, value: h.Value, hostOnly: true, secure: h.Secure, httpOnly: h.HttpOnly}
	if len(h.Name)+len(h.Value) > maxBytes || host == "" || h.Secure && u.Scheme != "https" {
		return nil, false
	}
	if d := canonicalHost(strings.TrimPrefix(h.Domain, ".")); d != "" {
		suffix := isPublicSuffix(d)
		switch {
		case suffix && d != host, !suffix && !domainMatches(d, host):
			return nil, false
		case !suffix:
			c.domain, c.hostOnly = d, isAddress(d)
		}
	}
	if !strings.HasPrefix(c.path, "/") {
		c.path = defaultPath(requestPath(u))
	}
	if len(c.path) > maxBytes || strings.ContainsAny(c.path, separators) { // its line would not be one of the file
		return nil, false
	}
	const longest = 400 * 24 * time.Hour // RFC 6265bis section 5.5
	now := time.Now()
	switch {
	case h.MaxAge < 0:
		c.expires = now.Add(-time.Second)
	case h.MaxAge > 0:
		c.expires = now.Add(min(time.Duration(h.MaxAge), longest/time.Second) * time.Second)
	case h.RawExpires != "": // not Expires, which net/http sets only for two of many formats
		if t, ok := ParseDate(h.RawExpires); ok {
			c.expires = t
		}
	case !h.Expires.IsZero():
		c.expires = h.Expires
	}
	if last := now.Add(longest); c.expires.After(last) {
		c.expires = last
	}
	return c, prefixHolds(c) && (u.Scheme == "https" || !j.hasSecure(c))
}

// hasSecure reports whether c would replace or hide a cookie that requires TLS, which a third party between a user and a server could make use of:
// RFC 6265bis section 5.7 step 16.
func (j *Jar) hasSecure(c *cookie) bool {
	for k, old := range j.cookies {
		if old.secure && k.name == c.name && (domainMatches(k.domain, c.domain) || domainMatches(c.domain, k.domain)) && pathMatches(k.path, c.path) {
			return true
		}
	}
	return false
}

// prefixHolds reports whether a cookie has the attributes that the prefix of its name requires: RFC 6265bis section 4.1.3.
func prefixHolds(c *cookie) bool {
	name := strings.ToLower(c.name)
	switch {
	case strings.HasPrefix(name, "__host-"):
		return c.secure && c.hostOnly && c.path == "/"
	case strings.HasPrefix(name, "__secure-"):
		return c.secure
	}
	return true
}

func (j *Jar) put(c *cookie) {
	now := time.Now()
	if c.expired(now) {
		delete(j.cookies, c.key)
		return
	}
	j.count++
	c.order = j.count
	if old, ok := j.cookies[c.key]; ok {
		c.order = old.order // RFC 6265 section 5.3 step 11.3
	}
	j.cookies[c.key] = c
	j.bound(func(d *cookie) bool { return d.domain == c.domain }, maxPerDomain)
	j.bound(func(*cookie) bool { return true }, maxCookies)
}

// bound removes the oldest of the cookies that match if there are more than most.
func (j *Jar) bound(matches func(*cookie) bool, most int) {
	n, oldest := 0, (*cookie)(nil)
	for _, c := range j.cookies {
		if !matches(c) {
			continue
		}
		n++
		if oldest == nil || c.order < oldest.order {
			oldest = c
		}
	}
	if n > most {
		delete(j.cookies, oldest.key)
	}
}

func (c *cookie) expired(now time.Time) bool { return !c.expires.IsZero() && !c.expires.After(now) }

func canonicalHost(host string) string {
	host = strings.TrimRight(strings.ToLower(host), ".")
	if a, err := idna.Punycode.ToASCII(host); err == nil {
		return a
	}
	return host
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}

// isPublicSuffix reports whether the names directly below d belong to different owners.
func isPublicSuffix(d string) bool {
	suffix, _ := publicsuffix.PublicSuffix(d)
	return suffix == d && !isAddress(d)
}

// domainMatches implements RFC 6265 section 5.1.3.
func domainMatches(domain, host string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain) && !isAddress(host)
}

// pathMatches implements RFC 6265 section 5.1.4.
func pathMatches(path, request string) bool {
	return request == path || strings.HasPrefix(request, path) && (strings.HasSuffix(path, "/") || request[len(path)] == '/')
}

func requestPath(u *url.URL) string {
	if !strings.HasPrefix(u.Path, "/") {
		return "/"
	}
	return u.Path
}

func defaultPath(request string) string {
	if i := strings.LastIndexByte(request, '/'); i > 0 {
		return request[:i]
	}
	return "/"
}
