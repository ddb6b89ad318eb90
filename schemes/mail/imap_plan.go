package mail

import (
	"fmt"
	"strconv"
	"strings"

	wire "github.com/emersion/go-imap/v2"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

const (
	ifHits   = "the search has hits"
	ifLogin  = "a login is known"
	ifNobody = "no login is known"
)

// imap returns the scheme imap or imaps.
func (c Config) imap(name string) fetch.Scheme {
	summary := "mailboxes and messages of an IMAP server"
	if tlsOf(name) == fetch.ImplicitTLS {
		summary += ", within TLS"
	}
	return fetch.Scheme{
		Names: []string{name}, LoginFirst: true, Rules: uri.Rules{DefaultPort: portOf(name), Hierarchical: true}, MayReferTo: []string{"imap", "imaps"},
		Does: fetch.Does{Retrieves: true}, Searches: true, Settings: imapSettings(), Fragment: maildoc.Fragment("imap.part"),
		Summary: summary, Spec: "RFC 5092, RFC 9051", Login: c.login, Read: readIMAP, Plan: c.planIMAP,
	}
}

// An imapRequest is a parsed imap URI with its settings.
type imapRequest struct {
	Config
	imapURI
	words   []string // Options.Search
	program string   // the search program of the URI, ALL for a mailbox as one file, or ""
	mbox    bool
	part    int                        // number of a part, or 0
	item    *wire.FetchItemBodySection // of the message
}

// planIMAP opens a mailbox for reading only (EXAMINE), and fetches without setting \Seen (BODY.PEEK).
func (c Config) planIMAP(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	parsed, err := parseIMAP(u)
	if err != nil {
		return nil, err
	}
	r := &imapRequest{Config: c, imapURI: parsed, words: o.Search, mbox: o.Get("imap.view") == "mbox"}
	if err := r.check(o); err != nil {
		return nil, err
	}
	switch {
	case r.Search != nil:
		r.program = string(*r.Search)
	case r.mbox && r.Mailbox != nil && r.UID == nil && len(r.words) == 0 && o.Op == fetch.Retrieve:
		r.program = "ALL"
	}
	addr, err := u.HostPort(portOf(r.Scheme))
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{Network: "tcp", Addr: addr, TLS: tlsOf(r.Scheme), Run: r.run}
	if p.TLS == fetch.NoTLS && o.Get("imap.ssl") == "require" {
		p.TLS = fetch.ExplicitTLS
	}
	p.Shape, p.Type = r.shape()
	if p.Steps, err = r.loginSteps(o.Login, true, o); err != nil {
		return nil, err
	}
	steps, err := r.steps(o)
	p.Steps = append(p.Steps, steps...)
	return p, err
}

// check rejects operations, ranges, views and searches that the URI does not support.
func (r *imapRequest) check(o *fetch.Options) (err error) {
	whole := r.UID != nil && r.Section == nil && r.Partial == nil
	switch ranged := !o.Range.IsZero(); {
	case r.UID == nil && ranged:
		return fetch.Errorf(fetch.ErrRange, "byte ranges are not supported for mailboxes")
	case o.Get("imap.part") != "" && (r.mbox || !whole || o.Op == fetch.Retrieve && ranged):
		return fetch.Errorf(fetch.ErrUnsupported, "only a whole message has parts")
	case r.mbox && (r.Mailbox == nil || r.UID != nil && !whole):
		return fetch.Errorf(fetch.ErrUnsupported, "mbox output needs whole messages")
	case r.mbox && o.Op == fetch.Metadata && (r.Search != nil || len(r.words) > 0):
		return fetch.Errorf(fetch.ErrUnsupported, "the result of a search has no metadata")
	case r.mbox && ranged:
		return fetch.Errorf(fetch.ErrRange, "byte ranges are not supported for mbox output")
	}
	if r.part, err = maildoc.ParsePart("imap.part", o.Get("imap.part")); err != nil {
		return err
	}
	if len(r.words) > 0 && (r.Mailbox == nil || r.UID != nil || r.Search != nil) {
		return fetch.Errorf(fetch.ErrUnsupported, "only a mailbox can be searched, if the URI has no search program itself")
	}
	return nil
}

// shape returns the shape and media type of the answer.
func (r *imapRequest) shape() (fetch.Shape, string) {
	switch {
	case r.part > 0:
		return fetch.ShapeDocument, ""
	case r.mbox:
		return fetch.ShapeDocument, maildoc.MailboxType
	case len(r.words) > 0, r.Search != nil:
		return fetch.ShapeSearch, ""
	case r.UID == nil:
		return fetch.ShapeListing, ""
	case r.Section != nil:
		return fetch.ShapeDocument, ""
	case r.Partial != nil:
		return fetch.ShapeMessage, ""
	}
	return fetch.ShapeMessage, "message/rfc822"
}

// loginSteps returns the steps up to the login. If l is not final, the run looks for a login first.
func (r *imapURI) loginSteps(l fetch.Login, final bool, o *fetch.Options) ([]fetch.Step, error) {
	list := append([]fetch.Step{{Verb: "CAPABILITY"}}, startTLS(tlsOf(r.Scheme), "imap.ssl", o)...)
	return append(list, r.authSteps(l, final)...), checkLogin(l)
}

// authSteps authenticate the user, or else an anonymous one (RFC 5092 section 3.2).
func (r *imapURI) authSteps(l fetch.Login, final bool) []fetch.Step {
	user := withoutAuth(l.User)
	anonymous := fetch.Step{Verb: "AUTHENTICATE", Args: []string{"ANONYMOUS"}}
	switch {
	case r.Auth != nil && strings.EqualFold(string(*r.Auth), "ANONYMOUS"):
		return []fetch.Step{anonymous}
	case r.Auth != nil && *r.Auth != "*":
		return []fetch.Step{{Verb: "AUTHENTICATE", Args: []string{string(*r.Auth), user, l.Password}, Secret: true}}
	case l.Set && user != "":
		return []fetch.Step{{Verb: "LOGIN", Args: []string{user, l.Password}, Secret: true}}
	case final:
		return []fetch.Step{anonymous}
	}
	anonymous.If = ifNobody
	return []fetch.Step{{Verb: "LOGIN", Args: []string{"<user>", "<password>"}, Secret: true, If: ifLogin}, anonymous}
}

// startTLS returns the STARTTLS step of a connection that begins without TLS, as the setting key demands.
func startTLS(mode fetch.TLSMode, key string, o *fetch.Options) []fetch.Step {
	switch ssl := o.Get(key); {
	case mode == fetch.ImplicitTLS, ssl == "never":
		return nil
	case ssl == "require":
		return []fetch.Step{{Verb: "STARTTLS"}}
	}
	return []fetch.Step{{Verb: "STARTTLS", If: ifTLS}}
}

// headerItems are the items that a listing fetches of a message.
//
// QUIRK: not ENVELOPE and BODYSTRUCTURE: the library drops the connection over those that servers write wrongly (its issues 659, 678).
const headerItems = `(UID INTERNALDATE RFC822.SIZE BODY.PEEK[HEADER.FIELDS ("Date" "From" "To" "Cc" "Subject" "Message-ID" "In-Reply-To" "References")])`

// steps returns the steps after the login.
func (r *imapRequest) steps(o *fetch.Options) ([]fetch.Step, error) {
	if r.Mailbox == nil {
		return []fetch.Step{{Verb: "LIST", Args: []string{`""`, "*"}}}, nil
	}
	list := []fetch.Step{{Verb: "EXAMINE", Args: []string{string(*r.Mailbox)}}}
	if r.program != "" {
		list = append(list, fetch.Step{Verb: "UID SEARCH", Args: []string{r.program}})
	} else if len(r.words) > 0 { // RFC 9051 section 6.4.4: a message must contain all of them
		search := fetch.Step{Verb: "UID SEARCH"}
		for _, w := range r.words {
			search.Args = append(search.Args, "TEXT", strconv.Quote(w))
		}
		list = append(list, search)
	}
	switch {
	case o.Op == fetch.Metadata && r.isWholeMailbox():
		return list, nil
	case r.UID == nil && r.mbox:
		return append(list, bodiesStep()), nil
	case r.Search != nil || len(r.words) > 0:
		return append(list, headsStep("")), nil
	case r.UID == nil:
		return append(list, fetch.Step{Verb: "UID FETCH", Args: []string{"1:*", headerItems}}), nil
	}
	items, err := r.items(o)
	return append(list, fetch.Step{Verb: "UID FETCH", Args: []string{fmt.Sprint(*r.UID), items}}), err
}

// isWholeMailbox reports whether the object is a mailbox, and not a search in it or one of its messages.
func (r *imapRequest) isWholeMailbox() bool {
	return r.UID == nil && r.program == "" && len(r.words) == 0
}

// items returns the data items of FETCH for the message or part (RFC 9051 section 6.4.5).
func (r *imapRequest) items(o *fetch.Options) (string, error) {
	if o.Op == fetch.Metadata {
		return headerItems, nil
	}
	from, to, err := r.byteRange(o.Range)
	if err != nil {
		return "", err
	}
	spec := ""
	if r.Section != nil {
		spec = string(*r.Section)
	}
	if r.item, err = sectionItem(spec); err != nil {
		return "", err
	}
	text := "(UID BODY.PEEK[" + spec + "]"
	if from > 0 || to > 0 {
		if to == 0 {
			to = from + 1<<32 - 1
		}
		r.item.Partial = &wire.SectionPartial{Offset: from, Size: to - from}
		text += fmt.Sprintf("<%d.%d>", from, to-from)
	}
	return text + ")", nil
}

// byteRange returns the bytes of the section that are wanted: a range within the URI's own partial range. to is 0 for the end.
func (r *imapURI) byteRange(want fetch.Range) (from, to int64, err error) {
	from, to = want.From, want.To
	if from < 0 {
		return 0, 0, fetch.Errorf(fetch.ErrRange, "IMAP cannot count from the end of a message")
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
		return 0, 0, fetch.Errorf(fetch.ErrRange, "the range is empty")
	}
	return from, to, nil
}
