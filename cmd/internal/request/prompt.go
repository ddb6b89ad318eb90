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

// prompting asks on the terminal for the password of a mail server's user whom nothing else knows, once for each user and server. Other
// protocols go on without one, or say that they want it. Where there is no terminal, nobody is asked.
func prompting(a *app.App, next func(context.Context, uri.URI) (fetch.Login, error)) func(context.Context, uri.URI) (fetch.Login, error) {
	var mu sync.Mutex
	told := map[string]fetch.Login{}
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
		if l, ok := told[who]; ok {
			return l, nil
		}
		if l.Password, err = terminal.Ask("Password for " + who + ": "); err == nil {
			l = fetch.Login{User: user, Password: l.Password, Set: true}
		} else if fetch.KindOf(err) == fetch.ErrAuth {
			err = nil // no terminal
		}
		told[who] = l
		return l, err
	}
}

// wantsPassword reports whether a server of the scheme is nothing without a password; two mechanisms of SASL have none.
func wantsPassword(scheme, user string) bool {
	_, mech, _ := strings.Cut(strings.ToUpper(user), ";AUTH=")
	return user != "" && mech != "EXTERNAL" && mech != "ANONYMOUS" && slices.Contains([]string{"imap", "imaps", "smtp", "smtps"}, scheme)
}
