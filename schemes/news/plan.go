package news

import (
	"cmp"
	"encoding/base64"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

// The conditions of steps.
const (
	ifReader     = "the server must be told to serve readers" // RFC 3977 section 5.3: CAPABILITIES lists MODE-READER, or is unknown and the next command is refused
	ifTLS        = "a password is to be sent, and STARTTLS is offered"
	ifUser       = "AUTHINFO USER is offered, or what is offered is not known"
	ifPassword   = "AUTHINFO USER answered 381"
	ifSASL       = "SASL PLAIN is offered, and AUTHINFO USER is not"
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

// How often steps are repeated.
const (
	untilFirst  = "until the first article"
	untilLast   = "until the last article"
	untilGroups = "until the last group"
)

// A request is a parsed URI with its settings.
type request struct {
	newsURI
	settings
	variant
}

// plan returns the commands for a server, or the search of a local store.
func (v variant) plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := v.request(u, o)
	if err != nil {
		return nil, err
	}
	steps, err := r.steps(o, r.settings)
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{Shape: r.shape(o.Op), Steps: steps, TLS: fetch.NoTLS, Run: r.run, Send: r.send}
	switch {
	case r.mbox:
		p.Type = maildoc.MailboxType
	case p.Shape == fetch.ShapeMessage && r.command != "body":
		p.Type = articleType
	}
	return p, r.setServer(p, u, o)
}

// request parses and checks a URI and its settings.
func (v variant) request(u uri.URI, o *fetch.Options) (r *request, err error) {
	r = &request{variant: v}
	if r.newsURI, err = v.parse(u); err != nil {
		return nil, err
	}
	if r.settings, err = parseSettings(o); err != nil {
		return nil, err
	}
	if !o.Range.IsZero() && o.IfSame.IsZero() && !r.mbox { // a resumed transfer gets the whole article
		return nil, &fetch.Error{
			Kind: fetch.ErrRange, Text: "byte ranges are not supported for news", Hint: "nntp://HOST/GROUP/100-200 is a range of articles",
		}
	}
	if err := r.search(o.Search); err != nil {
		return nil, err
	}
	return r, r.check(o.Op)
}

// search narrows the list of groups to a wildmat.
func (r *newsURI) search(words []string) error {
	switch {
	case len(words) == 0:
		return nil
	case r.What != whatAll || len(words) > 1 || !isWord(words[0]):
		return &fetch.Error{Kind: fetch.ErrUnsupported, Text: "only groups can be searched for, by one wildmat",
			Hint: "search news:* for a wildmat such as comp.*"}
	}
	w := fetch.Octets(words[0])
	r.What, r.Group = whatWildmat, &w
	return nil
}

// check rejects settings that the object does not support.
func (r *request) check(op fetch.Op) error {
	one, many := r.isOne(), r.What == whatGroup || r.What == whatRange
	switch {
	case r.mbox && !one && !many:
		return fetch.Errorf(fetch.ErrUnsupported, "mbox output needs an article, a group or a range")
	case r.mbox && one && (r.part > 0 || r.command != "article" || r.thread):
		return fetch.Errorf(fetch.ErrUnsupported, "mbox output needs whole articles")
	case (r.part > 0 || r.command != "article") && !one && op == fetch.Retrieve:
		return fetch.Errorf(fetch.ErrUnsupported, "only an article has parts")
	case r.thread && !one:
		return fetch.Errorf(fetch.ErrUnsupported, "only an article has a thread")
	}
	return nil
}

func (r *request) shape(op fetch.Op) fetch.Shape {
	switch {
	case op == fetch.Send:
		return fetch.ShapeMessage
	case r.part > 0 || r.mbox:
		return fetch.ShapeDocument
	case r.isOne() && !r.thread:
		return fetch.ShapeMessage
	}
	return fetch.ShapeListing
}

// setServer sets the server of the plan, and the commands that begin a session there.
func (r *request) setServer(p *fetch.Plan, u uri.URI, o *fetch.Options) (err error) {
	source := cmp.Or(o.Get("news.host"), r.source)
	if r.Host == nil && isStore(source) {
		if o.Op == fetch.Send {
			return fetch.Errorf(fetch.ErrUnsupported, "a local source does not accept articles")
		}
		p.Steps = []fetch.Step{{Verb: "look", Args: []string{source}, Data: r.lookupName()}}
		return nil
	}
	p.Network, p.TLS = "tcp", r.tls
	if r.Host != nil {
		p.Addr, err = u.HostPort(r.port)
	} else {
		p.Addr, err = hostPort(source, r.port)
	}
	if r.ssl == "require" && p.TLS == fetch.NoTLS {
		p.TLS = fetch.ExplicitTLS
	}
	p.Steps = append(r.opening(o), p.Steps...)
	return err
}

// isStore reports whether the configured source is a store on this machine.
func isStore(source string) bool {
	kind, _, ok := strings.Cut(source, ":")
	return ok && (kind == "spool" || kind == "mbox" || kind == "maildir")
}

// lookupName returns the name to look up in a store: the URI after its scheme.
func (r *newsURI) lookupName() string {
	switch {
	case r.MessageID != nil:
		return "<" + string(*r.MessageID) + ">"
	case r.What == whatAll:
		return "*"
	case r.First == nil:
		return string(*r.Group)
	}
	return string(*r.Group) + " " + r.span(settings{})
}

func hostPort(source string, port int) (string, error) {
	u, err := uri.Parse("nntp://" + source)
	if err != nil || u.Host() == "" {
		return "", fetch.Errorf(fetch.ErrLocal, "the configured news host is not HOST[:PORT]")
	}
	return u.HostPort(port)
}

// opening returns the steps that begin a session (RFC 3977 section 5, RFC 4642, RFC 4643 section 2.3, RFC 8054). Each of these commands
// changes the capabilities, so a session that needs more than reading requests them again.
func (r *request) opening(o *fetch.Options) []fetch.Step {
	capabilities := fetch.Step{Verb: "CAPABILITIES"}
	list := []fetch.Step{capabilities, {Verb: "MODE READER", If: ifReader}}
	again := func(cond string) { list = append(list, fetch.Step{Verb: "CAPABILITIES", If: cond}) }
	if r.needsSetup(o) {
		again(ifReader)
	}
	switch {
	case r.tls != fetch.NoTLS:
	case r.ssl == "require":
		list = append(list, fetch.Step{Verb: "STARTTLS"}, capabilities)
	case r.ssl != "never" && o.Login.Set:
		list = append(list, fetch.Step{Verb: "STARTTLS", If: ifTLS})
		again(ifTLS)
	}
	if o.Login.Set {
		list = append(list,
			fetch.Step{Verb: "AUTHINFO USER", Args: []string{o.Login.User}, If: ifUser},
			fetch.Step{Verb: "AUTHINFO PASS", Args: []string{o.Login.Password}, If: ifPassword, Secret: true},
			fetch.Step{Verb: "AUTHINFO SASL PLAIN", Args: []string{plain(o.Login)}, If: ifSASL, Secret: true})
	}
	return list
}

// needsSetup reports whether a session begins with more than a greeting.
func (r *request) needsSetup(o *fetch.Options) bool {
	return o.Login.Set || r.ssl == "require" && r.tls == fetch.NoTLS
}

// plain returns the initial response of SASL PLAIN (RFC 4616).
func plain(l fetch.Login) string {
	return base64.StdEncoding.EncodeToString([]byte("\x00" + l.User + "\x00" + l.Password))
}
