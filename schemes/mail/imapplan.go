package mail

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

// imap is the handler of imap and imaps. It is immutable.
type imap struct {
	Config
	name string
	port int
	tls  fetch.TLSMode
}

const (
	ifHits   = "the search has hits"
	ifLogin  = "a login is known"
	ifNobody = "no login is known"
)

// Plan opens a folder for reading only (EXAMINE) and looks without marking anything as seen (BODY.PEEK).
func (h imap) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := h.reading(u)
	if err != nil {
		return nil, err
	}
	if o.Op != fetch.Retrieve && o.Op != fetch.Metadata {
		return nil, fetch.NoOperation(h.name, o.Op)
	}
	if r.UID == nil && !o.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrRange, "a folder has no ranges")
	}
	if err := r.checkView(o); err != nil {
		return nil, err
	}
	if len(o.Search) > 0 && (r.Mailbox == nil || r.UID != nil || r.Search != nil) {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "words are searched for in a folder, where the URI has no search itself")
	}
	addr, err := u.HostPort(h.port)
	if err != nil {
		return nil, err
	}
	opening, err := h.greeting(r, o.Login, true, o)
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{Network: "tcp", Addr: addr, TLS: h.tls, Shape: r.shape(), Steps: opening}
	if len(o.Search) > 0 {
		p.Shape = fetch.ShapeSearch
	}
	if h.tls == fetch.NoTLS && o.Get("imap.ssl") == "require" {
		p.TLS = fetch.ExplicitTLS
	}
	switch {
	case o.Get("imap.part") != "":
		p.Shape = fetch.ShapeDocument
	case o.Get("imap.view") == "mbox":
		p.Shape, p.Type = fetch.ShapeDocument, maildoc.MailboxType
	case r.UID != nil && r.Section == nil && r.Partial == nil:
		p.Type = "message/rfc822"
	}
	steps, err := r.steps(o)
	p.Steps = append(p.Steps, steps...)
	return p, err
}

// checkView refuses views that r cannot have.
func (r *box) checkView(o *fetch.Options) error {
	part, view := o.Get("imap.part") != "", o.Get("imap.view") == "mbox"
	whole := r.UID != nil && r.Section == nil && r.Partial == nil
	switch {
	case part && (view || !whole || o.Op == fetch.Retrieve && !o.Range.IsZero()):
		return fetch.Errorf(fetch.ErrUnsupported, "only a whole message has parts")
	case view && (r.Mailbox == nil || r.UID != nil && !whole):
		return fetch.Errorf(fetch.ErrUnsupported, "a mailbox is made of whole messages")
	case view && !o.Range.IsZero():
		return fetch.Errorf(fetch.ErrRange, "a mailbox that is made now has no ranges")
	}
	_, err := partNumber(o.Get("imap.part"))
	return err
}

func (r *box) shape() fetch.Shape {
	switch {
	case r.UID != nil && r.Section != nil:
		return fetch.ShapeDocument
	case r.UID != nil:
		return fetch.ShapeMessage
	case r.Search != nil:
		return fetch.ShapeSearch
	}
	return fetch.ShapeListing
}

// greeting logs in.
func (h imap) greeting(r box, l fetch.Login, settled bool, o *fetch.Options) ([]fetch.Step, error) {
	starttls, err := startTLS(h.tls, "imap.ssl", o)
	if err != nil {
		return nil, err
	}
	list := append([]fetch.Step{{Verb: "CAPABILITY"}}, starttls...)
	return append(list, r.identify(l, settled)...), checkLogin(l)
}

// identify says who the user is; without one as anonymous (RFC 5092 section 3.2). Where l is not settled, Run finds out whether somebody
// knows more.
func (r box) identify(l fetch.Login, settled bool) []fetch.Step {
	user, _, _ := cutFold(l.User, ";AUTH=")
	anonymous := fetch.Step{Verb: "AUTHENTICATE", Args: []string{"ANONYMOUS"}}
	switch {
	case r.Auth != nil && strings.EqualFold(string(*r.Auth), "ANONYMOUS"):
		return []fetch.Step{anonymous}
	case r.Auth != nil && *r.Auth != "*":
		return []fetch.Step{{Verb: "AUTHENTICATE", Args: []string{string(*r.Auth), user, l.Password}, Secret: true}}
	case l.Set && user != "":
		return []fetch.Step{{Verb: "LOGIN", Args: []string{user, l.Password}, Secret: true}}
	case settled:
		return []fetch.Step{anonymous}
	}
	anonymous.If = ifNobody
	return []fetch.Step{{Verb: "LOGIN", Args: []string{"<user>", "<password>"}, Secret: true, If: ifLogin}, anonymous}
}

// startTLS is the step that the setting key leaves to a connection that begins in clear: what the server offers is taken, unless the
// user will not have it.
func startTLS(mode fetch.TLSMode, key string, o *fetch.Options) ([]fetch.Step, error) {
	ssl := o.Get(key)
	switch {
	case ssl != "" && ssl != "never" && ssl != "try" && ssl != "require":
		return nil, fetch.BadSetting(key, "%s is one of never, try, require, not %q", key, ssl)
	case mode == fetch.ImplicitTLS, ssl == "never":
		return nil, nil
	case ssl == "require":
		return []fetch.Step{{Verb: "STARTTLS"}}, nil
	}
	return []fetch.Step{{Verb: "STARTTLS", If: ifTLS}}, nil
}

// headline is what a listing needs of a message.
//
// QUIRK: not ENVELOPE and BODYSTRUCTURE: the library drops the connection over those that servers write wrongly (its issues 659, 678).
const headline = "(UID INTERNALDATE RFC822.SIZE BODY.PEEK[HEADER.FIELDS (\"Date\" \"From\" \"To\" \"Cc\" \"Subject\" \"Message-ID\")])"

func (r *box) steps(o *fetch.Options) ([]fetch.Step, error) {
	if r.Mailbox == nil {
		return []fetch.Step{{Verb: "LIST", Args: []string{`""`, "*"}}}, nil
	}
	list := []fetch.Step{{Verb: "EXAMINE", Args: []string{string(*r.Mailbox)}}}
	if words, ok := r.program(o); ok {
		list = append(list, fetch.Step{Verb: "UID SEARCH", Args: []string{words}})
	}
	for i, w := range o.Search { // RFC 9051 section 6.4.4: a message has all of them
		if i == 0 {
			list = append(list, fetch.Step{Verb: "UID SEARCH"})
		}
		found := &list[len(list)-1]
		found.Args = append(found.Args, "TEXT", strconv.Quote(w))
	}
	switch {
	case r.UID == nil && o.Get("imap.view") == "mbox":
		return append(list, bodyStep(ifHits, untilLast)), nil
	case r.Search != nil || len(o.Search) > 0:
		return append(list, fetch.Step{Verb: "UID FETCH", Args: []string{"<uids>", headline}, If: ifHits}), nil
	case r.UID == nil:
		return append(list, fetch.Step{Verb: "UID FETCH", Args: []string{"1:*", headline}}), nil
	}
	item, err := r.item(o)
	return append(list, fetch.Step{Verb: "UID FETCH", Args: []string{strconv.FormatUint(uint64(*r.UID), 10), item}}), err
}

// item is what is fetched of a message: RFC 9051 section 6.4.5.
func (r *box) item(o *fetch.Options) (string, error) {
	if o.Op == fetch.Metadata {
		return headline, nil
	}
	section := ""
	if r.Section != nil {
		section = string(*r.Section)
	}
	if _, err := (part{spec: section}).item(); err != nil {
		return "", err
	}
	from, to, err := r.octets(o.Range)
	if err != nil || from == 0 && to == 0 {
		return "(UID BODY.PEEK[" + section + "])", err
	}
	const all = 1<<32 - 1
	length := int64(all)
	if to > 0 {
		length = to - from
	}
	return "(UID BODY.PEEK[" + section + "]<" + strconv.FormatInt(from, 10) + "." + strconv.FormatInt(length, 10) + ">)", nil
}

// octets is the part that is wanted: a range within the URI's own partial range.
func (r *box) octets(want fetch.Range) (from, to int64, err error) {
	from, to = want.From, want.To
	if from < 0 {
		return 0, 0, fetch.Errorf(fetch.ErrRange, "IMAP has no ranges from the end")
	}
	if r.Partial != nil {
		base, length := int64(r.Partial.From), int64(r.Partial.Length)
		if to > 0 {
			to += base
		}
		if end := base + length; length > 0 && (to == 0 || to > end) {
			to = end
		}
		from += base
	}
	if to > 0 && from >= to || from > 1<<32-1 {
		return 0, 0, fetch.Errorf(fetch.ErrRange, "the range is void")
	}
	return from, to, nil
}
