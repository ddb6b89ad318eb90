package mail

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

const ifFound = "a source holds the message"

// ids are the parts of a mid or cid URI.
type ids struct {
	Scheme    string        `json:"scheme"`
	MessageID *fetch.Octets `json:"message_id"`
	ContentID *fetch.Octets `json:"content_id"`
}

func readIDs(u uri.URI, m uri.Mode) (any, error) {
	r, err := parseIDs(u)
	if err != nil {
		return nil, err
	}
	urifield.MapOpt(m.Text, &r.MessageID, &r.ContentID)
	return r, nil
}

// parseIDs parses "mid:" message-id [ "/" content-id ], or "cid:" content-id (RFC 2392 section 2). A raw slash before the "@" belongs to the message-id,
// although it should have been escaped.
func parseIDs(u uri.URI) (r ids, err error) {
	r.Scheme = u.Scheme()
	content, has := string(u.Opaque()), true
	if r.Scheme == "mid" {
		var message string
		message, content, has = cutPart(content)
		if r.MessageID, err = parseID(message); err != nil {
			return r, err
		}
	}
	if has {
		r.ContentID, err = parseID(content)
	}
	return r, err
}

// cutPart cuts s at the first slash after its "@".
func cutPart(s string) (message, content string, has bool) {
	from := 0
	for _, at := range [...]string{"@", "%40"} {
		if i := strings.Index(s, at); i >= 0 && (from == 0 || i < from) {
			from = i
		}
	}
	slash := strings.IndexByte(s[from:], '/')
	if slash < 0 {
		return s, "", false
	}
	return s[:from+slash], s[from+slash+1:], true
}

// maxID bounds an id: a line of a message is not longer (RFC 5322 section 2.1.1).
const maxID = 998

// parseID decodes one id and strips its angle brackets.
func parseID(s string) (*fetch.Octets, error) {
	s = mimemail.TrimBrackets(uri.Escaped(s).Decode())
	switch {
	case s == "":
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the id is missing")
	case len(s) > maxID || hasControls(s) || strings.ContainsAny(s, "<>"):
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "not an id of a message or part (RFC 5322 section 3.6.4)")
	}
	return urifield.Opt(fetch.Octets(s), true), nil
}

func hasControls(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f })
}

// A midRequest is a parsed mid URI with its settings.
type midRequest struct {
	Config
	id      string
	partID  string // Content-ID, or ""
	all     bool
	mbox    bool
	part    int // number of a part, or 0
	sources []source
}

// planMid searches each source in order. The first verified hit wins.
func (c Config) planMid(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	parsed, err := parseIDs(u)
	if err != nil {
		return nil, err
	}
	if err := onlyWhole(o, "mid"); err != nil {
		return nil, err
	}
	r := &midRequest{Config: c, id: string(*parsed.MessageID), all: o.Get("mid.all") == "yes", mbox: o.Get("mid.view") == "mbox"}
	if parsed.ContentID != nil {
		r.partID = string(*parsed.ContentID)
	}
	if r.part, err = maildoc.ParsePart("mid.part", o.Get("mid.part")); err != nil {
		return nil, err
	}
	if r.partID != "" && (r.all || r.mbox || r.part > 0) || r.part > 0 && (r.all || r.mbox) {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "one part, a whole message and all messages exclude each other")
	}
	p := &fetch.Plan{TLS: fetch.NoTLS, Run: r.run}
	p.Shape, p.Type = r.shape()
	if r.sources, err = c.planSources(p, o, r.steps); err != nil {
		return nil, err
	}
	if r.partID != "" {
		p.Steps = append(p.Steps, fetch.Step{Verb: "part", Data: "<" + r.partID + ">", If: ifFound})
	}
	return p, nil
}

// whole reports whether the document is made from the text of the message, so that a referral is not enough.
func (r *midRequest) whole() bool { return r.partID != "" || r.part > 0 || r.mbox }

func (r *midRequest) shape() (fetch.Shape, string) {
	switch {
	case r.mbox:
		return fetch.ShapeDocument, maildoc.MailboxType
	case r.all:
		return fetch.ShapeListing, ""
	case r.whole():
		return fetch.ShapeDocument, ""
	}
	return fetch.ShapeMessage, "message/rfc822"
}

// steps returns the steps for one source. IMAP finds substrings and ignores case (RFC 9051 section 6.4.4), so hits are verified.
func (r *midRequest) steps(s source, o *fetch.Options) ([]fetch.Step, error) {
	until := untilFound
	if r.all {
		until = untilEach
	}
	switch s.kind {
	case "imap", "imaps":
		list, err := s.openSteps(o, until)
		list = append(list,
			// The id has no brackets here, because some messages have an id without them.
			fetch.Step{Verb: "UID SEARCH", Args: []string{"HEADER", "Message-ID"}, Data: r.id, Repeat: until},
			headsStep(until))
		if r.whole() {
			list = append(list, fetch.Step{Verb: "UID FETCH", Args: []string{"<uid>", bodyItems}, If: ifFound, Repeat: until})
		}
		return list, err
	case "nntp", "nntps":
		if strings.Contains(r.id, " ") || r.whole() {
			return nil, nil // not an argument of NNTP, or a referral is not enough
		}
		return []fetch.Step{{Verb: "refer", Args: []string{s.articleURI(r.id)}}}, nil
	}
	return []fetch.Step{{Verb: "look", Args: []string{s.name}, Data: "<" + r.id + ">"}}, nil
}

// headsStep fetches what a listing shows of the messages that a search has found.
func headsStep(until string) fetch.Step {
	return fetch.Step{Verb: "UID FETCH", Args: []string{"<uids>", headerItems}, If: ifHits, Repeat: until}
}

// bodiesStep fetches the texts of messages that a search has found.
func bodiesStep() fetch.Step {
	return fetch.Step{Verb: "UID FETCH", Args: []string{"<uids>", bodyItems}, If: ifHits, Repeat: untilLast}
}

const bodyItems = "(UID BODY.PEEK[])"

const (
	untilFound = "until a folder holds it"
	untilEach  = "until the last folder"
	untilLast  = "until the last message"
)

// onlyWhole rejects byte ranges, which mid, cid and listings of mailto do not support.
func onlyWhole(o *fetch.Options, scheme string) error {
	if !o.Range.IsZero() {
		return fetch.Errorf(fetch.ErrRange, "byte ranges are not supported for %s", scheme)
	}
	return nil
}
