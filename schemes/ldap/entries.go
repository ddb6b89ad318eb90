package ldap

import (
	"cmp"
	"io"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/uri"
	"github.com/go-ldap/ldap/v3"
)

// results are the responses to a search, page by page: RFC 2696.
type results struct {
	*session
	search *ldap.SearchRequest
	page   *ldap.ControlPaging

	response ldap.Response // to the current page, or nil
	cookie   []byte        // of the next page
	empty    int           // consecutive pages without an entry
	over     bool
	released sync.Once
}

// maxEmpty limits consecutive pages without an entry.
const maxEmpty = 100

// next returns the next entry or reference, and io.EOF after the last.
func (r *results) next() (fetch.Entry, error) {
	for !r.over {
		if r.response == nil {
			if err := r.send(); err != nil {
				r.over = true
				return fetch.Entry{}, err
			}
		}
		if !r.response.Next() {
			if err := r.endPage(); err != nil {
				r.over = true
				return fetch.Entry{}, err
			}
			continue
		}
		if entry := r.response.Entry(); entry != nil {
			r.empty = 0
			return r.entry(entry), nil
		}
		if ref := r.response.Referral(); ref != "" {
			r.empty = 0
			return r.reference(ref), nil
		}
		if c, ok := ldap.FindControl(r.response.Controls(), ldap.ControlTypePaging).(*ldap.ControlPaging); ok {
			r.cookie = c.Cookie
		}
	}
	return fetch.Entry{}, io.EOF
}

// Close ends the search. If the search is complete, later requests can use the connection.
func (r *results) Close() error {
	r.released.Do(func() { r.release(r.over) })
	r.over = true
	return nil
}

// send requests one page.
func (r *results) send() error {
	if err := r.env.Announce(r.plan.Steps[len(r.plan.Steps)-1]); err != nil {
		return err
	}
	r.page.SetCookie(r.cookie)
	r.cookie = nil
	r.response = r.ldap.SearchAsync(r.ctx, r.search, 0)
	return nil
}

// endPage ends a page, and decides whether there is another.
func (r *results) endPage() error {
	err := r.response.Err()
	r.response = nil
	if err == nil && r.guard.answered() != opSearchDone { // the library reports no error if its connection is closed
		err = cmp.Or(r.guard.failure(), r.ctx.Err())
	}
	if err == nil {
		err = r.ldap.GetLastError() // a message of another search, or a panic in the library
	}
	if err != nil {
		return r.fail(err)
	}
	if r.empty++; r.empty > maxEmpty {
		return fetch.Errorf(fetch.ErrProtocol, "the server sent %d pages without an entry", maxEmpty)
	}
	r.over = len(r.cookie) == 0
	return nil
}

// entry converts an entry: its name, its attributes, and its URI (RFC 4516).
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

// uri returns the URI of an entry of this server.
func (r *results) uri(dn string) uri.URI {
	scheme := "ldap"
	if r.plan.TLS == fetch.ImplicitTLS {
		scheme = "ldaps"
	}
	where, _ := r.plan.URI.WithoutUserinfo().Authority()
	u, _ := uri.Parse(scheme + "://" + string(where) + "/" + escape(dn))
	return u
}

// reference returns the entry for a part of the directory on another server: RFC 4511 section 4.5.3.
func (r *results) reference(ref string) fetch.Entry {
	u, err := uri.Parse(ref)
	if err != nil || u.Scheme() == "" {
		r.env.Deviates("RFC 4511 section 4.5.3", "a reference", "not a URI")
		return fetch.Entry{Kind: fetch.KindUnknown, Title: ref, Size: -1}
	}
	return fetch.Entry{Kind: fetch.KindLink, Title: ref, Size: -1, URI: r.complete(u)}
}
