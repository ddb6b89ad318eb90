// Package request has the flags that every command with requests shares. They make a fetch.Client and the fetch.Options of each request, from
// the command line, the environment and the configuration file.
package request

import (
	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/config"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// Flags are the flags of everything that dereferences: they make the Client, and the Options of each request.
type Flags struct {
	objectFlags
	routing
	limits
	trust
	special  []func(set map[string][]string) // flags that are spellings of settings
	Wanted   []string                        // the schemes that the command line names
	Planning bool                            // nothing will be sent, so nobody is asked for a password
}

func (f *Flags) Add(fs *pflag.FlagSet) { flags.AddSections(fs, f.Sections()) }

// Sections are the flags as help shows them.
func (f *Flags) Sections() []flags.Section {
	return []flags.Section{
		{Title: "What is asked for", Add: f.objectFlags.add},
		{Title: "Where it may lead", Add: f.routing.add},
		{Title: "How long and how much", Add: f.limits.add},
		{Title: "Who asks, and whom we trust", Add: f.trust.add},
		{Title: "Words of single schemes (--set has all)", Add: func(fs *pflag.FlagSet) { flags.AddSpellings(fs, &f.special) }},
		{Title: "Whence the defaults", Add: config.AddFlags},
		{Title: "", Add: addHabits},
	}
}

// addHabits adds the flags that a curl user's fingers type for what is done anyway.
func addHabits(fs *pflag.FlagSet) {
	for _, name := range []string{"location", "fail", "globoff"} {
		fs.BoolP(name, map[string]string{"location": "L", "fail": "f", "globoff": "g"}[name], false, "curl's spelling of what is done anyway")
		fs.MarkHidden(name)
	}
}

// Prepare makes what commands about one URI begin with: the Client, the Options, and the URI. The Client is the caller's to close.
func (f *Flags) Prepare(a *app.App, arg string) (c *fetch.Client, o *fetch.Options, u uri.URI, err error) {
	if o, err = f.Options(a); err != nil {
		return nil, nil, u, err
	}
	if u, err = f.Parse(o, arg); err != nil {
		return nil, nil, u, err
	}
	c, err = f.Client(a)
	return c, o, u, err
}

// Client makes the Client that the flags describe.
func (f *Flags) Client(a *app.App) (*fetch.Client, error) {
	cfg, proxies, err := f.schemeConfig(a)
	if err != nil {
		return nil, err
	}
	list, err := f.Extend(a, schemes.All(cfg))
	if err != nil {
		return nil, err
	}
	c := fetch.New(list...)
	if proxies != nil {
		c.Dialer, c.Datagrams = proxies.Dial, proxies.Datagrams
	}
	c.Policy, c.Timeouts, c.Limits.Document = f.clientPolicy(), f.timeouts(), int64(f.maxFilesize)
	if c.Logins, err = f.logins(a, c.Schemes); err != nil {
		return nil, err
	}
	if !f.Planning {
		c.Logins = prompting(a, c.Logins)
	}
	c.Settings = a.Config.Settings(c.Schemes)
	return c, f.setTrust(a, c)
}

// Options makes the Options of one request.
func (f *Flags) Options(a *app.App) (*fetch.Options, error) {
	o, err := f.objectFlags.options()
	if err != nil {
		return nil, err
	}
	for _, put := range f.special {
		put(o.Set)
	}
	addCookies(o.Set, f.cookies)
	if len(o.Set) > 0 {
		if err := fetch.Registry(schemes.All(nil)).CheckSettings(o.Set); err != nil {
			return nil, err
		}
	}
	return o, f.login(a, o)
}
