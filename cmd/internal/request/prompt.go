package request

import (
	"context"
	"slices"
	"strings"
	"sync"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// prompting returns a login function that asks on the terminal for the password of a mail server's user if next has none, once for each user and
// server. It does not ask for other protocols, which can continue without a password or report that they need one, or without a terminal.
func prompting(a *app.App, next func(context.Context, uri.URI) (fetch.Login, error)) func(context.Context, uri.URI) (fetch.Login, error) {
	var mu sync.Mutex
	known := map[string]fetch.Login{}
	return func(ctx context.Context, u uri.URI) (l fetch.Login, err error) {
		if next != nil {
			l, err = next(ctx, u)
		}
		user, _, _ := u.User()
		if err != nil || l.Set || !wantsPassword(u.Scheme(), user) {
			return l, err
		}
		mu.Lock()
		defer mu.Unlock()
		who := u.Scheme() + "://" + user + "@" + u.Hostname()
		if u.HasPort() {
			who += ":" + u.Port()
		}
		if l, ok := known[who]; ok {
			return l, nil
		}
		if l.Password, err = terminal.Ask("Password for " + who + ": "); err == nil {
			l = fetch.Login{User: user, Password: l.Password, Set: true}
		} else if fetch.KindOf(err) == fetch.ErrAuth {
			err = nil // no terminal
		}
		known[who] = l
		return l, err
	}
}

// wantsPassword reports whether a server of the scheme requires a password. Two SASL mechanisms have none.
func wantsPassword(scheme, user string) bool {
	_, mech, _ := strings.Cut(strings.ToUpper(user), ";AUTH=")
	return user != "" && mech != "EXTERNAL" && mech != "ANONYMOUS" && slices.Contains([]string{"imap", "imaps", "smtp", "smtps"}, scheme)
}
