package rlogin

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/login"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/uri"
)

func read(u uri.URI, m uri.Mode) (any, error) {
	r, err := readingOf(u)
	if err != nil {
		return nil, err
	}
	reading.MapOpt(m.Text, &r.User, &r.Password)
	return r, nil
}

// readingOf takes a URI apart, in telnet's form.
func readingOf(u uri.URI) (login.Reading[fetch.Octets], error) {
	_, named := u.Userinfo()
	user, password, has := u.User()
	_, query := u.Query()
	r, err := login.Read(login.Parts[fetch.Octets]{
		Scheme: u.Scheme(), Host: u.Hostname(), Port: u.PortNumber(port),
		User: reading.Opt(fetch.Octets(user), named), Password: reading.Opt(fetch.Octets(password), has),
		Path: string(u.Path()), Query: query,
	})
	if err != nil {
		return r, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	return r, nil
}
