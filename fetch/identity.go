package fetch

import (
	"cmp"
	"context"
	"errors"
	"net"

	"example.org/deref/uri"
)

// An Identity is the user's at a server that the user's configuration names, and not the URI: a mail source, a submission server, a proxy.
// Env.Identity and Env.ProxyIdentity make it for one request. It is used for that server only, like any identity: Login is sent first, and
// after each refusal what Ask has found; Accept ends that. Passwords are masked in traces and errors. An Identity is not safe for concurrent
// use.
type Identity struct {
	env *Env
	o   Options // with Login and login
}

// Identity returns the user's identity at the server u with this port: that in u, or given, or one from the scheme's configuration, or the
// Client's answer to an earlier question. If the protocol of u requires a name (Scheme.LoginFirst), Client.Logins may be called.
func (e *Env) Identity(ctx context.Context, u uri.URI, port int, given Login) (*Identity, error) {
	s, _ := e.client.Schemes.Lookup(u.Scheme())
	i := &Identity{e, Options{Login: given}}
	var err error
	e.callback(func() { err = e.client.fillLogin(ctx, &s, loginState{uri: u, port: port}, &i.o) })
	i.hide()
	return i, err
}

// ProxyIdentity returns the user's identity at a proxy, for a handler that sends its requests there. u must have a port. It does not prompt the user.
func (e *Env) ProxyIdentity(u uri.URI) *Identity {
	i := &Identity{e, Options{}}
	// Without a Scheme, no configuration and no question is involved, so there is no error.
	e.client.fillLogin(&e.ctx, &Scheme{}, loginState{uri: u, port: u.PortNumber(0), proxy: true}, &i.o)
	i.hide()
	return i
}

func (i *Identity) hide() {
	l := i.o.Login
	i.env.secrets.AddLogin(l.User, l.name(), l.Password)
}

// Login returns what to send to the server. It is not Set if nothing is known.
func (i *Identity) Login() Login { return i.o.Login }

// Ask calls Client.Logins after the server has asked for credentials, or has refused those of Login; realm is LoginRequest.Realm. If it returns
// true, Login is another one. It returns false if there is no other, or the user has set the password.
func (i *Identity) Ask(ctx context.Context, realm string) (other bool, err error) {
	if !i.o.login.open || i.o.login.attempts >= maxLogins {
		return false, nil
	}
	i.env.callback(func() { other, err = i.env.client.askAgain(ctx, &i.o, realm) })
	i.hide()
	return other && err == nil, err
}

// Accept makes the Client remember an answer of Client.Logins for later requests, because the server has accepted it.
func (i *Identity) Accept() { i.env.client.remember(&i.o) }

// A ProxyLoginError is the cause of a Dialer's error if a proxy asks for credentials, or has refused those of ProxyLogin. The Client then
// calls Logins, and the Dialer again.
type ProxyLoginError struct {
	Proxy uri.URI // with its port
	Realm string  // what the proxy calls itself, or ""
}

// Error implements error.
func (e *ProxyLoginError) Error() string {
	return "the proxy " + net.JoinHostPort(e.Proxy.Hostname(), e.Proxy.Port()) + " requires a password"
}

// ProxyLogin returns the identity that a Dialer, called with ctx, sends to a proxy. It is that in the proxy's URI u, or an answer of
// Client.Logins, and is masked in the trace and errors of the request.
func ProxyLogin(ctx context.Context, u uri.URI) Login {
	d, ok := ctx.Value(dialerKey{}).(*dialing)
	switch {
	case !ok:
		l, _ := (&Scheme{}).identity(u, Login{})
		return l
	case d.proxy != nil:
		return d.proxy.Login()
	}
	return d.ProxyIdentity(u).Login()
}

// connect opens a connection as connectOnce does. If a proxy asks for credentials, it asks the user, for whom no timeout applies, and tries
// again.
func (e *Env) connect(ctx context.Context, network, host string, port int, o *DialOptions) (nc net.Conn, byDialer bool, err error) {
	var proxy *Identity
	for {
		nc, byDialer, err = e.connectOnce(ctx, network, host, port, o, proxy)
		refusal, asks := errors.AsType[*ProxyLoginError](err)
		if !asks {
			if err == nil && proxy != nil {
				proxy.Accept()
			}
			return nc, byDialer, err
		}
		if proxy == nil {
			proxy = e.ProxyIdentity(refusal.Proxy)
		}
		if other, failed := proxy.Ask(ctx, refusal.Realm); failed != nil || !other {
			return nil, false, cmp.Or(failed, err)
		}
	}
}
