// Package request has the flags that all commands with requests share. It makes a fetch.Client and the fetch.Options of requests from the command
// line, the environment and the configuration file.
package request

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Flags are the flags of all commands that dereference.
type Flags struct {
	objectFlags
	routing
	limits
	trust
	special  []flags.Put // of flags.Spelling
	Wanted   []string    // the schemes that the command line names
	Lists    bool        // lists have further URIs
	Planning bool        // nothing will be sent, so do not ask for passwords
}

func (f *Flags) Add(fs *pflag.FlagSet) { flags.AddSections(fs, f.Sections()) }

// Sections returns the groups of flags in help.
func (f *Flags) Sections() []flags.Section {
	return []flags.Section{
		{Title: "What is requested", Add: f.objectFlags.add},
		{Title: "Which servers and referrals are allowed", Add: f.routing.add},
		{Title: "Limits of time and size", Add: f.limits.add},
		{Title: "Credentials and trust", Add: f.trust.add},
		{Title: "Settings of single schemes (--set accepts all)", Add: func(fs *pflag.FlagSet) { flags.AddSpellings(fs, &f.special) }},
		{Title: "Configuration file", Add: app.AddConfigFlags},
		{Title: "", Add: addHabits},
	}
}

// Prepare returns the Client, the Options and the URI for a command about one URI. The caller closes the Client, which depends on the scheme of the URI.
func (f *Flags) Prepare(ctx context.Context, a *app.App, arg string) (c *fetch.Client, o *fetch.Options, u uri.URI, err error) {
	if o, err = f.Options(ctx, a); err == nil {
		if u, err = f.Parse(o, arg); err == nil {
			c, err = f.Client(a)
		}
	}
	return c, o, u, err
}

// PrepareAll returns the Client, Options and Targets of a command that takes URIs.
func (f *Flags) PrepareAll(ctx context.Context, a *app.App, args []string) (c *fetch.Client, o *fetch.Options, ts []Target, err error) {
	if o, err = f.Options(ctx, a); err == nil {
		if ts, err = f.Targets(o, args); err == nil {
			c, err = f.Client(a)
		}
	}
	return c, o, ts, err
}

// Client returns the Client that the flags describe.
func (f *Flags) Client(a *app.App) (*fetch.Client, error) {
	cfg, proxies, err := f.schemeConfig(a)
	if err != nil {
		return nil, err
	}
	list, err := f.Extend(a, a.Schemes(cfg))
	if err != nil {
		return nil, err
	}
	c := fetch.New(list...)
	if proxies != nil {
		c.Dialer, c.Datagrams = proxies.Dial, proxies.Datagrams
	}
	c.Timeouts = fetch.Timeouts{Connect: time.Duration(f.connectTimeout), Idle: time.Duration(f.idleTimeout), Total: time.Duration(f.MaxTime)}
	c.Limits.Document = int64(f.maxFilesize)
	c.Policy = f.clientPolicy(c.Schemes)
	c.Policy.TrustDialer = proxies != nil // the user has chosen who resolves the names
	netrc, err := f.netrcLogins(a)
	if err != nil {
		return nil, err
	}
	c.Logins = FirstLogin(netrc, a.Config.Logins(c.Schemes, f.Planning))
	if !f.Planning {
		c.Logins = FirstLogin(c.Logins, prompting())
	}
	c.Settings = a.Config.Settings(c.Schemes)
	return c, f.setTrust(a, c)
}

// Options returns the Options that the flags describe.
func (f *Flags) Options(ctx context.Context, a *app.App) (*fetch.Options, error) {
	o, err := f.objectFlags.options()
	if err != nil {
		return nil, err
	}
	for _, put := range f.special {
		if err := put(o.Set, a.Stdin); err != nil {
			return nil, err
		}
	}
	for _, w := range f.cookies {
		if isPair(w) {
			o.Put("http.cookie", append(o.Set["http.cookie"], w)...)
		}
	}
	if len(o.Set) > 0 {
		if err := fetch.Registry(a.Schemes(nil)).CheckSettings(o.Set); err != nil {
			return nil, err
		}
	}
	return o, f.login(ctx, o)
}
