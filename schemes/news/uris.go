package news

import (
	"net"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// escape writes octets of a name so that they stand for themselves wherever in a news URI (RFC 5538 section 2.2 lets more stand bare).
// The slash is escaped too: in a base it would divide the name.
func escape(s string) string { return uri.EscapeBut(s, "-._~@!$&'()+,;=:") }

// made parses what was made here; the zero URI if it cannot be one after all.
func parseMade(s string) uri.URI {
	u, err := uri.Parse(s)
	if err != nil {
		return uri.URI{}
	}
	return u
}

// authority is that of the URI asked for, with the slashes around it.
func (r *run) authority() string {
	if a, ok := r.plan.URI.Authority(); ok {
		return "//" + string(a) + "/"
	}
	return ""
}

// newsScheme is the scheme that names groups and articles on the server at hand.
func (r *run) newsScheme() string {
	if r.tls == fetch.ImplicitTLS {
		return "snews"
	}
	return "news"
}

// base is what references within an article are relative to: its own name, beside which other names of groups and articles stand ("within
// an article, a reference to a group or another article is a partial URI").
func (r *run) base(id string) uri.URI {
	if id == "" {
		return uri.URI{}
	}
	return parseMade(r.newsScheme() + ":" + r.authority() + escape(id))
}

// articleURI leads to an article by its name.
func (r *run) articleURI(id string) uri.URI {
	if !isID(id) {
		return uri.URI{}
	}
	return parseMade(r.newsScheme() + ":" + r.authority() + escape(id))
}

// groupURI leads to a group.
func (r *run) groupURI(name string) uri.URI {
	if !isWord(name) || strings.ContainsAny(name, "*?[!,@/") {
		return uri.URI{}
	}
	if r.byNumber() {
		return parseMade(r.Scheme + ":" + r.authority() + escape(name))
	}
	return parseMade(r.newsScheme() + ":" + r.authority() + escape(name))
}

// numbered reports whether articles are called by their numbers here.
func (r *run) byNumber() bool { return r.Scheme == "nntp" || r.Scheme == "nntps" }

// numberURI leads to an article by its number, on this server.
func (r *run) numberURI(group string, n int64) uri.URI {
	if r.byNumber() {
		return parseMade(r.Scheme + ":" + r.authority() + escape(group) + "/" + strconv.FormatInt(n, 10))
	}
	scheme := "nntp"
	if r.tls == fetch.ImplicitTLS {
		scheme = "nntps"
	}
	return parseMade(scheme + ":" + r.server() + escape(group) + "/" + strconv.FormatInt(n, 10))
}

// server is the authority of the server that was asked, whoever named it.
func (r *run) server() string {
	if r.Host != nil {
		return r.authority()
	}
	host, port, err := net.SplitHostPort(r.plan.Addr)
	if err != nil {
		return "" // a store
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != strconv.Itoa(r.port) {
		host += ":" + port
	}
	return "//" + host + "/"
}
