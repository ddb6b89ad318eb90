package main

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/jdx/go-netrc"

	"example.org/deref/fetch"
	"example.org/deref/fetch/private"
	"example.org/deref/uri"
)

// logins answers fetch.Client.Logins: from the netrc file that flags ask for, and then from the configuration.
func (f *requestFlags) logins(a *app, reg fetch.Registry) (func(context.Context, uri.URI) (fetch.Login, error), error) {
	config := a.config.logins(reg, f.planning)
	netrc, err := f.netrcLogins(a)
	switch {
	case err != nil || netrc == nil:
		return config, err
	case config == nil:
		return netrc, nil
	}
	return func(ctx context.Context, u uri.URI) (fetch.Login, error) {
		if l, err := netrc(ctx, u); err != nil || l.Set {
			return l, err
		}
		return config(ctx, u)
	}, nil
}

// netrcLogins reads a netrc file: -n is the user's own, --netrc-file another.
func (f *requestFlags) netrcLogins(a *app) (func(context.Context, uri.URI) (fetch.Login, error), error) {
	name := f.netrcFile
	if name == "" && f.netrc {
		name = filepath.Join(a.getenv("HOME"), ".netrc")
	}
	if name == "" {
		return nil, nil
	}
	list, err := readNetrc(name)
	if errors.Is(err, fs.ErrNotExist) && f.netrcFile == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, u uri.URI) (fetch.Login, error) { return netrcLogin(list, u), nil }, nil
}

// readNetrc refuses a file that others can read: its passwords are no longer only the user's.
func readNetrc(name string) (*netrc.Netrc, error) {
	b, err := private.ReadFile(name)
	if err != nil {
		return nil, err
	}
	list, err := netrc.ParseString(string(b))
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%s: %w", name, err)
	}
	return list, nil
}

// netrcLogin is the entry of u's host; one that names a user in its URI has only that user's.
func netrcLogin(list *netrc.Netrc, u uri.URI) fetch.Login {
	if u.Hostname() == "" {
		return fetch.Login{} // "default" is about machines
	}
	m := list.Machine(u.Hostname())
	if m == nil {
		m = list.Machine("default")
	}
	if m == nil || m.Get("login") == "" {
		return fetch.Login{}
	}
	return fetch.Login{User: m.Get("login"), Password: m.Get("password"), Set: true}
}
