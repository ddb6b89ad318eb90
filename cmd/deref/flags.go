package main

import (
	"github.com/spf13/pflag"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// requestFlags are the flags of everything that dereferences: they make the Client, and the Options of each request.
type requestFlags struct {
	wishFlags
	wayFlags
	boundFlags
	trustFlags
	special  []func(set map[string][]string) // flags that are spellings of settings
	wanted   []string                        // the schemes that the command line names
	planning bool                            // nothing will be sent, so nobody is asked for a password
}

func (f *requestFlags) add(fs *pflag.FlagSet) { addSections(fs, f.sections()) }

// sections are the flags as help shows them.
func (f *requestFlags) sections() []section {
	return []section{
		{"What is asked for", f.wishFlags.add},
		{"Where it may lead", f.wayFlags.add},
		{"How long and how much", f.boundFlags.add},
		{"Who asks, and whom we trust", f.trustFlags.add},
		{"Words of single schemes (--set has all)", func(fs *pflag.FlagSet) { addSpellings(fs, &f.special) }},
		{"Whence the defaults", addConfig},
		{"", addHabits},
	}
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
		c.Dialer, c.Datagrams = proxies.Dial, proxies.Datagrams
	}
	c.Policy, c.Timeouts, c.Limits.Document = f.clientPolicy(), f.timeouts(), int64(f.maxFilesize)
	if c.Logins, err = f.logins(a, c.Schemes); err != nil {
		return nil, err
	}
	if !f.planning {
		c.Logins = prompting(a, c.Logins)
	}
	c.Settings = a.config.settings(c.Schemes)
	return c, f.trust(a, c)
}

// options makes the Options of one request.
func (f *requestFlags) options(a *app) (*fetch.Options, error) {
	o, err := f.wishFlags.options()
	if err != nil {
		return nil, err
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
