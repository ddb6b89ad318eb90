package app

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A hostConfig holds the login and the settings for one scheme, host and port, or the settings for a part of its paths.
type hostConfig struct {
	origin   string // fetch.Registry.Origin
	path     string // "/" or the beginning of the paths, which ends in a slash
	user     string
	password string
	command  *passCommand
	set      map[string][]string
}

func (h *hostConfig) isLogin() bool { return h.user != "" || h.password != "" || h.command != nil }

// loginFields returns the keys of a login.
func (r *configReader) loginFields(h *hostConfig) []configKey {
	return []configKey{
		{"user", text(&h.user)},
		{"password", func(at keyPath, v any) error { r.hides(at); return text(&h.password)(at, v) }},
		{"pass-command", func(at keyPath, v any) error {
			argv, err := argvOf(at, v)
			h.command = &passCommand{argv: argv, stderr: r.stderr}
			return err
		}},
	}
}

// host reads a table whose name is a URI that ends with its host, its port, or a slash.
func (r *configReader) host(at keyPath, v any) error {
	h := hostConfig{set: map[string][]string{}}
	name := at[len(at)-1]
	u, err := uri.Parse(name)
	h.path = pathOf(u)
	_, named := u.Userinfo()
	if err != nil || u.Host() == "" || named || strings.ContainsAny(name, "?#") || h.path != "/" && !strings.HasSuffix(name, "/") {
		return wrong(at, "must be SCHEME://HOST or SCHEME://HOST:PORT, or begin with that and end in a slash")
	}
	if h.origin = r.schemes().Origin(u); h.origin == "" {
		return unknown(at, u.Scheme(), "unknown scheme", r.schemeNames())
	}
	return r.hostKeys(&h, at, v)
}

func (r *configReader) hostKeys(h *hostConfig, at keyPath, v any) error {
	known := r.loginFields(h)
	names := r.settingNames()
	for _, f := range known {
		names = append(names, f.key)
	}
	names = append(names, charsetKey)
	err := each(func(at keyPath, v any) (err error) {
		key := at[len(at)-1]
		if key == charsetKey {
			if key = r.charsetOf(h.origin); key == "" {
				return wrong(at, "the scheme has no charset")
			}
		}
		if i := slices.IndexFunc(known, func(f configKey) bool { return f.key == key }); i >= 0 {
			return known[i].take(at, v)
		}
		set, ok := settingOf(r.schemes(), key)
		if !ok {
			return unknown(at, key, "neither a known key nor a setting of a scheme", names)
		}
		if set.Secret {
			r.hides(at)
		}
		values, err := words(at, v)
		if err == nil {
			h.set[key], err = set.Check(values)
		}
		return noSetting(at, err)
	})(at, flat(v))
	if err == nil && h.password != "" && h.command != nil {
		err = wrong(at, "password and pass-command exclude each other")
	}
	if err == nil && h.isLogin() && h.path != "/" {
		err = wrong(at, "a login belongs to the whole host; a certificate may belong to a path")
	}
	r.hosts = append(r.hosts, *h)
	return err
}

// pathOf returns the path of u without dot segments and needless escapes, which would hide where it begins.
func pathOf(u uri.URI) string {
	return cmp.Or(string(uri.RFC3986.Normalize(u, nil).Path()), "/")
}

// charsetKey is the key for the setting charset of a host's scheme, whatever the scheme is.
const charsetKey = "charset"

// charsetOf returns the key of that setting. It returns "" if the scheme has none.
func (r *configReader) charsetOf(origin string) string {
	name, _, _ := strings.Cut(origin, ":")
	s, _ := r.schemes().Lookup(name)
	return s.CharsetKey()
}

// flat joins the names of nested tables: http.header is one key, although TOML reads it as two.
func flat(v any) any {
	table, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for key, v := range table {
		inner, ok := v.(map[string]any)
		if !ok {
			out[key] = v
		}
		for k, v := range inner {
			out[key+"."+k] = v
		}
	}
	return out
}

func settingOf(r fetch.Registry, key string) (fetch.Setting, bool) {
	for _, s := range r {
		if i := slices.IndexFunc(s.Settings, func(set fetch.Setting) bool { return set.Key == key }); i >= 0 {
			return s.Settings[i], true
		}
	}
	return fetch.Setting{}, false
}

func (r *configReader) schemeNames() (names []string) {
	for _, s := range r.schemes() {
		names = append(names, s.Names...)
	}
	return names
}

func (r *configReader) settingNames() (names []string) {
	for _, s := range r.schemes() {
		for _, set := range s.Settings {
			names = append(names, set.Key)
		}
	}
	return names
}

// Settings returns a function for fetch.Client.Settings, which returns the settings of a URI's server and path, of which the longest table
// counts. It returns nil if the file has none.
func (c *Config) Settings(reg fetch.Registry) func(uri.URI) map[string][]string {
	if !slices.ContainsFunc(c.hosts, func(h hostConfig) bool { return len(h.set) > 0 }) {
		return nil
	}
	return func(u uri.URI) map[string][]string {
		set, origin, path := map[string][]string{}, reg.Origin(u), pathOf(u)
		for _, h := range c.hosts {
			if h.origin == origin && strings.HasPrefix(path, h.path) {
				maps.Copy(set, h.set)
			}
		}
		return set
	}
}

// Logins returns a function for fetch.Client.Logins. It returns nil if the file has no logins. If explained is true, no server will be
// contacted, and no pass-command is run.
func (c *Config) Logins(reg fetch.Registry, explained bool) func(context.Context, fetch.LoginRequest) (fetch.Login, error) {
	if !slices.ContainsFunc(c.hosts, func(h hostConfig) bool { return h.isLogin() }) {
		return nil
	}
	return func(ctx context.Context, r fetch.LoginRequest) (l fetch.Login, err error) {
		u, asked := r.URI, r.User
		if r.Attempt > 1 || r.Proxy {
			return fetch.Login{}, nil // the file has no other, and none of proxies
		}
		for _, h := range c.hosts {
			if !h.isLogin() || h.origin != reg.Origin(u) || asked != "" && h.user != "" && h.user != asked {
				continue
			}
			l = fetch.Login{User: cmp.Or(h.user, asked), Password: h.password, Set: true}
			switch {
			case h.command == nil:
			case explained:
				l.Password = "password of " + h.command.argv[0]
			default:
				l.Password, err = h.command.password(ctx)
			}
			return l, err
		}
		return fetch.Login{}, nil
	}
}
