package login

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/uri"
)

// Of takes a URI apart: scheme://<user>:<password>@<host>:<port>/ (RFC 4248 section 2).
func Of(u uri.URI, port int) (Reading[fetch.Octets], error) {
	_, named := u.Userinfo()
	user, password, has := u.User()
	_, query := u.Query()
	r, err := Read(Parts[fetch.Octets]{
		Scheme: u.Scheme(), Host: u.Hostname(), Port: u.PortNumber(port),
		User: reading.Opt(fetch.Octets(user), named), Password: reading.Opt(fetch.Octets(password), has),
		Path: string(u.Path()), Query: query,
	})
	if err != nil {
		return r, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	return r, nil
}

// Scheme is the Read of a fetch.Scheme with that port.
func Scheme(port int) func(uri.URI, uri.Mode) (any, error) {
	return func(u uri.URI, m uri.Mode) (any, error) {
		r, err := Of(u, port)
		if err != nil {
			return nil, err
		}
		reading.MapOpt(m.Text, &r.User, &r.Password)
		return r, nil
	}
}
