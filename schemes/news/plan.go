package news

import (
	"encoding/base64"
	"net"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

// What the server answers before a step is said.
const (
	ifReader     = "the server must be told to serve readers" // RFC 3977 section 5.3: CAPABILITIES has MODE-READER, or is not known and what follows is refused
	ifTLS        = "a password is to be sent, and STARTTLS is offered"
	ifUser       = "AUTHINFO USER is offered, or what is offered is not known"
	ifPassword   = "AUTHINFO USER answered 381"
	ifSASL       = "SASL PLAIN is offered, and AUTHINFO USER is not"
	ifCompress   = "COMPRESS DEFLATE is offered"
	ifNoOver     = "OVER is not known" // RFC 2980 section 2.8
	ifNoXover    = "XOVER is not known"
	ifNoHDR      = "HDR is not known" // RFC 2980 section 2.6
	ifNoCounts   = "LIST COUNTS is not known"
	ifNoNews     = "NEWNEWS is refused"
	ifHoles      = "each number is asked for, and some are missing"
	ifUnnumbered = "what is there does not tell its number"
	ifAnswers    = "the article answers others"
	ifGrouped    = "the article has a group"
	ifAccepted   = "POST answered 340"
)

// When commands are said again.
const (
	untilFirst  = "until the first article"
	untilLast   = "until the last article"
	untilGroups = "until the last group"
)

// Plan lists the commands for a server, or the look into articles already received.
func (h handler) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, w, err := h.wanted(u, o)
	if err != nil {
		return nil, err
	}
	steps, err := r.steps(o, w)
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{Shape: r.shape(o.Op, w), Steps: steps, TLS: fetch.NoTLS}
	p.Type = plannedType(p.Shape, w)
	return p, h.place(p, r, u, o, w)
}

// wanted reads a request; it is pure, so Run reads again what Plan has read.
func (h handler) wanted(u uri.URI, o *fetch.Options) (r parts, w wish, err error) {
	if r, err = h.reading(u); err != nil {
		return r, w, err
	}
	if w, err = readWish(o); err != nil {
		return r, w, err
	}
	if !o.Range.IsZero() && o.IfSame.IsZero() && !w.mbox { // who resumes is given the whole
		return r, w, &fetch.Error{Kind: fetch.ErrRange, Text: "news has no ranges of octets", Hint: "nntp://HOST/GROUP/100-200 is a range of articles"}
	}
	if err = r.search(o.Search); err == nil {
		err = r.fits(w, o.Op)
	}
	return r, w, err
}

// search narrows the list of groups to a wildmat.
func (r *parts) search(words []string) error {
	switch {
	case len(words) == 0:
		return nil
	case r.What != whatAll || len(words) > 1 || !isWord(words[0]):
		return &fetch.Error{Kind: fetch.ErrUnsupported, Text: "news is searched for groups, by one wildmat", Hint: "--search 'comp.*' news:*"}
	}
	w := fetch.Octets(words[0])
	r.What, r.Group = whatWildmat, &w
	return nil
}

// fits refuses settings that the object does not have.
func (r *parts) fits(w wish, op fetch.Op) error {
	one, many := r.What == whatArticle || r.What == whatNumber, r.What == whatGroup || r.What == whatRange
	switch {
	case w.mbox && !one && !many:
		return fetch.Errorf(fetch.ErrUnsupported, "a mailbox is made of an article, or those of a group or range")
	case w.mbox && one && (w.part > 0 || w.command != "article" || w.thread):
		return fetch.Errorf(fetch.ErrUnsupported, "a mailbox is made of whole articles")
	case (w.part > 0 || w.command != "article") && !one && op == fetch.Retrieve:
		return fetch.Errorf(fetch.ErrUnsupported, "only an article has parts")
	case w.thread && !one:
		return fetch.Errorf(fetch.ErrUnsupported, "only an article has a thread")
	}
	return nil
}

func (r *parts) shape(op fetch.Op, w wish) fetch.Shape {
	switch {
	case op == fetch.Send:
		return fetch.ShapeMessage
	case w.part > 0 || w.mbox:
		return fetch.ShapeDocument
	case (r.What == whatArticle || r.What == whatNumber) && !w.thread:
		return fetch.ShapeMessage
	}
	return fetch.ShapeListing
}

func plannedType(s fetch.Shape, w wish) string {
	switch {
	case w.mbox:
		return maildoc.MailboxType
	case s == fetch.ShapeMessage && w.command != "body":
		return articleType
	}
	return ""
}

// place says who is asked.
func (h handler) place(p *fetch.Plan, r parts, u uri.URI, o *fetch.Options, w wish) (err error) {
	source := h.sourceOf(o)
	if r.Host == nil && isStore(source) {
		if o.Op == fetch.Send {
			return fetch.Errorf(fetch.ErrUnsupported, "articles already received take no new ones")
		}
		p.Steps = []fetch.Step{{Verb: "look", Args: []string{source}, Data: r.name()}}
		return nil
	}
	p.Network, p.TLS = "tcp", h.tls
	if r.Host != nil {
		p.Addr, err = u.HostPort(h.port)
	} else {
		p.Addr, err = hostPort(source, h.port)
	}
	if w.ssl == "require" && p.TLS == fetch.NoTLS {
		p.TLS = fetch.ExplicitTLS
	}
	p.Steps = append(h.opening(o, w), p.Steps...)
	return err
}

// sourceOf is who is asked where a URI names nobody.
func (h handler) sourceOf(o *fetch.Options) string {
	if s := o.Get("news.host"); s != "" {
		return s
	}
	return h.source
}

// isStore reports whether the configured source is on this machine.
func isStore(source string) bool {
	kind, _, ok := strings.Cut(source, ":")
	return ok && (kind == "spool" || kind == "mbox" || kind == "maildir")
}

// name is what is looked for in a store: what a URI says after the scheme.
func (r *parts) name() string {
	switch {
	case r.MessageID != nil:
		return "<" + string(*r.MessageID) + ">"
	case r.What == whatAll:
		return "*"
	case r.First == nil:
		return string(*r.Group)
	}
	return string(*r.Group) + " " + r.span(wish{})
}

func hostPort(source string, port int) (string, error) {
	u, err := uri.Parse("nntp://" + source)
	if err != nil || u.Host() == "" {
		return "", fetch.Errorf(fetch.ErrLocal, "the configured news host is none")
	}
	return net.JoinHostPort(u.Hostname(), strconv.Itoa(u.PortNumber(port))), nil
}

// opening begins a session: RFC 3977 section 5, RFC 4642, RFC 4643 section 2.3, RFC 8054. What each of these commands changes is what
// CAPABILITIES says, so where more than reading is to be arranged, it is asked again.
func (h handler) opening(o *fetch.Options, w wish) []fetch.Step {
	capabilities := fetch.Step{Verb: "CAPABILITIES"}
	list := []fetch.Step{capabilities, {Verb: "MODE READER", If: ifReader}}
	again := func(cond string) { list = append(list, fetch.Step{Verb: "CAPABILITIES", If: cond}) }
	if h.arranges(o, w) {
		again(ifReader)
	}
	switch {
	case h.tls != fetch.NoTLS:
	case w.ssl == "require":
		list = append(list, fetch.Step{Verb: "STARTTLS"}, capabilities)
	case w.ssl != "never" && o.Login.Set:
		list = append(list, fetch.Step{Verb: "STARTTLS", If: ifTLS})
		again(ifTLS)
	}
	if o.Login.Set {
		list = append(list,
			fetch.Step{Verb: "AUTHINFO USER", Args: []string{o.Login.User}, If: ifUser},
			fetch.Step{Verb: "AUTHINFO PASS", Args: []string{o.Login.Password}, If: ifPassword, Secret: true},
			fetch.Step{Verb: "AUTHINFO SASL PLAIN", Args: []string{plain(o.Login)}, If: ifSASL, Secret: true})
	}
	if w.compress {
		list = append(list, fetch.Step{Verb: "COMPRESS DEFLATE", If: ifCompress})
	}
	return list
}

// arranges reports whether a session begins with more than a greeting.
func (h handler) arranges(o *fetch.Options, w wish) bool {
	return o.Login.Set || w.compress || w.ssl == "require" && h.tls == fetch.NoTLS
}

// plain is the initial response of RFC 4616.
func plain(l fetch.Login) string {
	return base64.StdEncoding.EncodeToString([]byte("\x00" + l.User + "\x00" + l.Password))
}
