package request

import (
	"context"
	"slices"
	"strings"
	"sync"

	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
)

// maxPrompts is how often the user may mistype a password.
const maxPrompts = 3

// prompting returns a login function that asks on the terminal for the password of a user: for mail servers, and for others once the server has
// asked for credentials. It asks once for each user and server, and again if the server has refused the password. It does
// not ask without a name or a terminal.
func prompting() loginFunc {
	var mu sync.Mutex
	known := map[string]fetch.Login{}
	return func(ctx context.Context, r fetch.LoginRequest) (l fetch.Login, err error) {
		user, _, _ := r.URI.User()
		if r.User == "" || r.Attempt > maxPrompts || !r.Asked && !wantsPassword(r.Scheme, user) {
			return l, err
		}
		mu.Lock()
		defer mu.Unlock()
		who := r.Scheme + "://" + r.User + "@" + r.Host
		if r.URI.HasPort() {
			who += ":" + r.URI.Port()
		}
		if r.Proxy {
			who = "the proxy " + who
		}
		if l, ok := known[who]; ok && r.Attempt == 1 {
			return l, nil
		}
		question := "Password for " + who
		if r.Realm != "" {
			question += " (" + render.Escape(r.Realm) + ")"
		}
		if l.Password, err = terminal.Ask(ctx, question+": "); err == nil {
			l = fetch.Login{User: r.User, Password: l.Password, Set: true}
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
