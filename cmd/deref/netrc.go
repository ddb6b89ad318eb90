package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/jdx/go-netrc"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// logins answers fetch.Client.Logins from a netrc file: -n is the user's own, --netrc-file another.
func (f *requestFlags) logins(a *app) (func(context.Context, uri.URI) (fetch.Login, error), error) {
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
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return func(_ context.Context, u uri.URI) (fetch.Login, error) { return netrcLogin(list, u), nil }, nil
}

// readNetrc refuses a file that others can read: its passwords are no longer only the user's.
func readNetrc(name string) (*netrc.Netrc, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
		return nil, &fetch.Error{Kind: fetch.ErrLocal, Text: name + " can be read by others", Hint: "chmod 600 " + name}
	}
	return netrc.Parse(name)
}

// netrcLogin is the entry of u's host; one that names a user in its URI has only that user's.
func netrcLogin(list *netrc.Netrc, u uri.URI) fetch.Login {
	m := list.Machine(u.Hostname())
	if m == nil {
		m = list.Machine("default")
	}
	if m == nil || m.Get("login") == "" {
		return fetch.Login{}
	}
	return fetch.Login{User: m.Get("login"), Password: m.Get("password"), Set: true}
}
