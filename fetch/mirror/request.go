package mirror

import (
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// requestOf returns the options for a request to u. Secrets are sent only to the root's scheme, host and port.
func (m *mirror) requestOf(u uri.URI) *fetch.Options {
	if m.options.Request == nil || u.Scheme() == m.root.Scheme() && serverOf(m.canonical(u)) == m.server {
		return m.options.Request
	}
	return m.client.Schemes.ReferralOptions(m.options.Request, uri.URI{}, u)
}
