package request

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/fetch"
	"example.org/deref/fetch/secretfile"
)

type loginFunc = func(context.Context, fetch.LoginRequest) (fetch.Login, error)

// FirstLogin returns a function for fetch.Client.Logins that calls others until one has a login. It returns nil if all are nil.
func FirstLogin(of ...loginFunc) loginFunc {
	of = slices.DeleteFunc(of, func(f loginFunc) bool { return f == nil })
	if len(of) == 0 {
		return nil
	}
	return func(ctx context.Context, r fetch.LoginRequest) (l fetch.Login, err error) {
		for _, f := range of {
			if l, err = f(ctx, r); err != nil || l.Set {
				break
			}
		}
		return l, err
	}
}

// netrcLogins reads the netrc file: the user's with -n, or that of --netrc-file. It returns nil if there is none.
func (f *Flags) netrcLogins(a *app.App) (loginFunc, error) {
	name := f.netrcFile
	if name == "" && (f.netrc || f.optional) {
		home := app.Home(a.Getenv)
		if home == "" && !f.netrc {
			return nil, nil
		}
		if home == "" {
			return nil, &fetch.Error{Kind: fetch.ErrLocal, Text: "-n: HOME does not name a directory by an absolute path", Hint: "--netrc-file names the file"}
		}
		name = filepath.Join(home, ".netrc")
	}
	if name == "" {
		return nil, nil
	}
	list, err := secretfile.ReadNetrc(name)
	if errors.Is(err, fs.ErrNotExist) && (f.netrcFile == "" || f.optional) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, line := range list.Unknown { // a typing error is a login that is not found
		f.Notes = append(f.Notes, fmt.Sprintf("%s:%d: ignored a word that is not one of machine, default, login, password, account, macdef", name, line))
	}
	return list.Login, nil
}
