package command

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/browse"
	"example.org/deref/fetch/tofu"
	"example.org/deref/uri"
)

// browseFlags are the flags of the browse command.
type browseFlags struct {
	request.Flags
	bookmarks string
}

func browseCommand(fs *pflag.FlagSet) action {
	var f browseFlags
	flags.TextVar(fs, &f.bookmarks, "bookmarks", "", "keep the bookmarks in `FILE`, a list of URIs (default ~/.config/deref/bookmarks)")
	f.Add(fs)
	return f.run
}

// run shows the document of the one URI on the command line, or the start page.
func (f *browseFlags) run(ctx context.Context, a *app.App, args []string) error {
	if !terminal.IsTerminal(a.Stdin) || !terminal.IsTerminal(a.Stdout) {
		return &fetch.Error{Kind: fetch.ErrLocal, Text: "deref browse needs a terminal", Hint: "`deref URI` prints a document"}
	}
	f.Planning = true // the browser asks for passwords
	o, err := f.Options(ctx, a)
	if err != nil {
		return err
	}
	var start uri.URI
	if len(args) > 0 {
		if start, err = f.Parse(o, args[0]); err != nil {
			return err
		}
	}
	if a.Screen == nil {
		return browseElsewhere(ctx, a)
	}
	c, err := f.Client(a)
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, stop := terminal.SessionSignals(ctx)
	defer stop()
	view := &viewer{App: a}
	defer view.close()
	config := f.browser(ctx, a, c, o)
	config.View = view.view
	b := browse.New(ctx, config)
	defer b.Close()
	if err := askIn(b, a, c); err != nil {
		return err
	}
	if start.IsZero() {
		b.Key("B")
	} else {
		b.Open(start)
	}
	return errors.Join(a.Screen.Show(ctx, b), f.SaveCookies(a))
}

// browser returns the configuration of the browser.
func (f *browseFlags) browser(ctx context.Context, a *app.App, c *fetch.Client, o *fetch.Options) *browse.Config {
	if f.bookmarks == "" {
		if dir, err := app.MakeDir(a.Getenv); err == nil {
			f.bookmarks = filepath.Join(dir, "bookmarks")
		}
	}
	var places []fetch.Entry
	for _, s := range publicSamples() {
		places = append(places, fetch.Entry{URI: s.URI, Title: s.Title, Kind: fetch.KindLink, Size: -1})
	}
	places = append(places, fetch.Entry{Title: "deref serve starts a server of each scheme on this machine, and lists samples.", Kind: fetch.KindText, Size: -1})
	return &browse.Config{
		Client: c, Options: o, Hint: flags.Hint, Bookmarks: f.bookmarks, Places: places,
		Parse: func(s string) (uri.URI, error) { return f.typed(c.Schemes, o, s) },
		Session: func(u uri.URI, o *fetch.Options) error {
			return a.Screen.Outside(func() error {
				keyboard, err := terminal.Keyboard()
				if err != nil {
					return err
				}
				defer keyboard.Close()
				return attach(ctx, a, keyboard, c, u, o)
			})
		},
	}
}

// typed returns the URI that the user has typed: one as on the command line, or what address fields understand besides.
func (f *browseFlags) typed(known fetch.Registry, o *fetch.Options, s string) (uri.URI, error) {
	u, err := f.Parse(o, s)
	if _, ok := known.Lookup(u.Scheme()); err == nil && ok {
		return u, nil
	}
	if typed, terr := known.Typed(s); terr == nil {
		return f.WithoutDots(typed), nil
	}
	return u, err
}

// askIn lets the browser ask for passwords, and whether to trust the certificates that servers have signed themselves.
func askIn(b *browse.Browser, a *app.App, c *fetch.Client) error {
	c.Logins = request.FirstLogin(c.Logins, b.Login)
	if c.FirstUse != nil || c.TLS != nil && (c.TLS.RootCAs != nil || c.TLS.InsecureSkipVerify) { // --tofu asks nothing, and --cacert trusts nobody else
		return nil
	}
	known := new(tofu.Store)
	if dir, err := app.MakeDir(a.Getenv); err == nil {
		if known, err = tofu.Open(filepath.Join(dir, "known-hosts")); err != nil {
			return err
		}
	}
	known.Confirm = b.Confirm
	c.FirstUse = known.Check
	return nil
}
