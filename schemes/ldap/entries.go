package ldap

import (
	"io"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/uri"
	"github.com/go-ldap/ldap/v3"
)

// results are the answers to a search, page by page: RFC 2696.
type results struct {
	*session
	request *ldap.SearchRequest
	page    *ldap.ControlPaging

	response ldap.Response // of the page in hand, nil for none
	cookie   []byte        // of the page to come
	void     int           // pages without an entry, one after the other
	over     bool
	released sync.Once
}

// maxVoid bounds pages that bring nothing.
const maxVoid = 100

// next returns the next entry or reference, and io.EOF behind the last.
func (r *results) next() (fetch.Entry, error) {
	for !r.over {
		if r.response == nil {
			if err := r.ask(); err != nil {
				r.over = true
				return fetch.Entry{}, err
			}
		}
		if !r.response.Next() {
			if err := r.turn(); err != nil {
				r.over = true
				return fetch.Entry{}, err
			}
			continue
		}
		if entry := r.response.Entry(); entry != nil {
			r.void = 0
			return r.entry(entry), nil
		}
		if ref := r.response.Referral(); ref != "" {
			r.void = 0
			return reference(ref), nil
		}
		if c, ok := ldap.FindControl(r.response.Controls(), ldap.ControlTypePaging).(*ldap.ControlPaging); ok {
			r.cookie = c.Cookie
		}
	}
	return fetch.Entry{}, io.EOF
}

// Close ends the search. Behind its last answer, the connection is left to later requests.
func (r *results) Close() error {
	r.released.Do(func() { r.release(r.over) })
	r.over = true
	return nil
}

// ask sends the search for one page.
func (r *results) ask() error {
	if err := r.env.Announce(r.plan.Steps[len(r.plan.Steps)-1]); err != nil {
		return err
	}
	r.page.SetCookie(r.cookie)
	r.cookie = nil
	r.response = r.ldap.SearchAsync(r.ctx, r.request, 0)
	return nil
}

// turn ends a page, and says whether there is another.
func (r *results) turn() error {
	err := r.response.Err()
	r.response = nil
	if err == nil && r.guard.answered() != opSearchDone { // the library ends silently where its connection is closed
		if err = r.guard.failure(); err == nil {
			err = r.ctx.Err()
		}
	}
	if err == nil {
		err = r.ldap.GetLastError() // a message of another search, or a panic of its own
	}
	if err != nil {
		return r.fail(err)
	}
	if r.void++; r.void > maxVoid {
		return fetch.Errorf(fetch.ErrProtocol, "the server gives %d pages without an entry", maxVoid)
	}
	r.over = len(r.cookie) == 0
	return nil
}

// entry makes an entry of an entry: its name, its attributes, and the URI that leads to it (RFC 4516).
func (r *results) entry(e *ldap.Entry) fetch.Entry {
	out := fetch.Entry{Kind: fetch.KindEntry, Title: e.DN, Size: -1, URI: r.uri(e.DN)}
	if len(e.Attributes) > 0 {
		out.Attr = make(map[string][]string, len(e.Attributes))
		out.Order = make([]string, 0, len(e.Attributes))
	}
	for _, a := range e.Attributes {
		if _, seen := out.Attr[a.Name]; !seen {
			out.Order = append(out.Order, a.Name)
		}
		out.Attr[a.Name] = append(out.Attr[a.Name], a.Values...)
	}
	return out
}

// uri leads to an entry of this server.
func (r *results) uri(dn string) uri.URI {
	scheme := "ldap"
	if r.plan.TLS == fetch.ImplicitTLS {
		scheme = "ldaps"
	}
	where, _ := r.plan.URI.WithoutUserinfo().Authority()
	u, err := uri.Parse(scheme + "://" + string(where) + "/" + escapeName(dn))
	if err != nil {
		return uri.URI{}
	}
	return u
}

// reference is a part of the directory that another server has: RFC 4511 section 4.5.3.
func reference(ref string) fetch.Entry {
	u, err := uri.Parse(ref)
	if err != nil || u.Scheme() == "" {
		return fetch.Entry{Kind: fetch.KindUnknown, Title: ref, Size: -1}
	}
	return fetch.Entry{Kind: fetch.KindLink, Title: ref, Size: -1, URI: u}
}
