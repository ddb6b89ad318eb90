package news

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// escape escapes a name for any place in a news URI (RFC 5538 section 2.2 requires less). It escapes the slash, too, which would divide a
// name in a base URI.
func escape(s string) string { return uri.EscapeBut(s, "-._~@!$&'()+,;=:") }

// parseMade parses a URI that was composed here. It returns the zero URI if it is not valid after all.
func parseMade(s string) uri.URI {
	u, _ := uri.Parse(s)
	return u
}

// authority returns the authority of the request's URI between slashes.
func (r *run) authority() string {
	if a, ok := r.plan.URI.Authority(); ok {
		return "//" + string(a) + "/"
	}
	return ""
}

// newsScheme returns the scheme for groups and articles on the same server.
func (r *run) newsScheme() string {
	if r.tls == fetch.ImplicitTLS {
		return "snews"
	}
	return "news"
}

// articleURI returns the URI of an article by its message-id. It is also the base of references within it: its own name, next to which other names
// are relative ("within an article, a reference to a group or another article is a partial URI").
func (r *run) articleURI(id string) uri.URI {
	if !isID(id) {
		return uri.URI{}
	}
	return parseMade(r.newsScheme() + ":" + r.authority() + escape(id))
}

// groupURI returns the URI of a group.
func (r *run) groupURI(name string) uri.URI {
	if !isWord(name) || strings.ContainsAny(name, "*?[!,@/") {
		return uri.URI{}
	}
	scheme := r.newsScheme()
	if r.byNumber() {
		scheme = r.Scheme
	}
	return parseMade(scheme + ":" + r.authority() + escape(name))
}

// numberURI returns the URI of an article by its number on this server.
func (r *run) numberURI(group string, n int64) uri.URI {
	scheme, where := r.Scheme, r.authority()
	if !r.byNumber() {
		if scheme, where = "nntp", r.server(); r.tls == fetch.ImplicitTLS {
			scheme = "nntps"
		}
	}
	return parseMade(scheme + ":" + where + escape(group) + "/" + strconv.FormatInt(n, 10))
}

// server returns the authority of the server that was contacted.
func (r *run) server() string {
	if r.Host != nil {
		return r.authority()
	}
	if r.plan.Addr == "" {
		return "" // a local store
	}
	return "//" + strings.TrimSuffix(r.plan.Addr, ":"+strconv.Itoa(r.port)) + "/"
}
