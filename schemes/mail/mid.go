package mail

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/schemes/internal/reading"
	"example.org/deref/uri"
)

const ifFound = "a source holds the message"

// ids is what a mid or cid URI says.
type ids struct {
	Scheme    string        `json:"scheme"`
	MessageID *fetch.Octets `json:"message_id"`
	ContentID *fetch.Octets `json:"content_id"`
}

func readMid(u uri.URI, m uri.Mode) (any, error) { return readIDs(m)(midOf(u)) }
func readCid(u uri.URI, m uri.Mode) (any, error) { return readIDs(m)(cidOf(u)) }

func readIDs(m uri.Mode) func(ids, error) (any, error) {
	return func(r ids, err error) (any, error) {
		if err != nil {
			return nil, err
		}
		reading.MapOpt(m.Text, &r.MessageID, &r.ContentID)
		return r, nil
	}
}

// midOf reads mid ":" message-id [ "/" content-id ]. RFC 2392 section 2. A raw slash before the "@" is taken as part of the id:
// it should have been escaped.
func midOf(u uri.URI) (r ids, err error) {
	r.Scheme = "mid"
	message, content, has := cutPart(string(u.Opaque()))
	if r.MessageID, err = id(message); err == nil && has {
		r.ContentID, err = id(content)
	}
	return r, err
}

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

func cidOf(u uri.URI) (r ids, err error) {
	r.Scheme = "cid"
	r.ContentID, err = id(string(u.Opaque()))
	return r, err
}

// maxID bounds an id: RFC 5322 section 2.1.1 has no longer lines.
const maxID = 998

// id decodes one id and strips its angle brackets.
func id(s string) (*fetch.Octets, error) {
	s = uri.Escaped(s).Decode()
	if strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") && len(s) > 1 {
		s = s[1 : len(s)-1]
	}
	switch {
	case s == "":
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "the id is missing")
	case len(s) > maxID || hasControls(s) || strings.ContainsAny(s, "<>"):
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "that is no id of a message or part (RFC 5322 section 3.6.4)")
	}
	return reading.Opt(fetch.Octets(s), true), nil
}

func hasControls(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f })
}

// mid is the handler of mid.
type mid struct{ Config }

// Plan is one search of each source, in their order; the first verified hit wins.
func (h mid) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	r, err := midOf(u)
	if err != nil {
		return nil, err
	}
	if err := onlyReads(o, "mid"); err != nil {
		return nil, err
	}
	w, err := r.wanted(o)
	if err != nil {
		return nil, err
	}
	list, err := h.inquire(w, o)
	if err != nil {
		return nil, err
	}
	p := &fetch.Plan{TLS: fetch.NoTLS}
	p.Shape, p.Type = w.shape()
	ask(p, list)
	if r.ContentID != nil {
		p.Steps = append(p.Steps, fetch.Step{Verb: "part", Data: "<" + string(*r.ContentID) + ">", If: ifFound})
	}
	return p, nil
}

// A choice is what is wanted of the messages of an id.
type choice struct {
	ids
	all  bool
	mbox bool
	part int
}

func (r ids) wanted(o *fetch.Options) (w choice, err error) {
	w = choice{ids: r, all: o.Get("mid.all") == "yes", mbox: o.Get("mid.view") == "mbox"}
	if w.part, err = partNumber(o.Get("mid.part")); err != nil {
		return w, err
	}
	if r.ContentID != nil && (w.all || w.mbox || w.part > 0) || w.part > 0 && (w.all || w.mbox) {
		return w, fetch.Errorf(fetch.ErrUnsupported, "one part is wanted, or a whole message, or all: not several of them")
	}
	return w, nil
}

// partNumber reads a setting.
func partNumber(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, fetch.BadSetting("mid.part", "parts of a message are numbered from 1, not %q", s)
	}
	return n, nil
}

func validPart(s string) error {
	_, err := partNumber(s)
	return err
}

// whole reports whether the text of the message must be read to make the document, so that no referral does.
func (w choice) whole() bool { return w.ContentID != nil || w.part > 0 || w.mbox }

func (w choice) shape() (fetch.Shape, string) {
	switch {
	case w.mbox:
		return fetch.ShapeDocument, maildoc.MailboxType
	case w.all:
		return fetch.ShapeListing, ""
	case w.whole():
		return fetch.ShapeDocument, ""
	}
	return fetch.ShapeMessage, "message/rfc822"
}

// until is how long folders are opened.
func (w choice) until() string {
	if w.all {
		return untilEach
	}
	return untilFound
}

// inquire is what the sources are asked for a message.
func (c Config) inquire(w choice, o *fetch.Options) ([]inquiry, error) {
	return c.inquiries(func(s source) ([]fetch.Step, error) { return w.steps(s, o) })
}

// steps are those of one source. A search for a header is one for a substring, in any case (RFC 9051 section 6.4.4), so a hit is verified.
func (w choice) steps(s source, o *fetch.Options) ([]fetch.Step, error) {
	id := "<" + string(*w.MessageID) + ">"
	switch s.kind {
	case "imap", "imaps":
		list, err := s.opening(o, w.until())
		// Without brackets: there are messages whose id has none.
		list = append(list, fetch.Step{Verb: "UID SEARCH", Args: []string{"HEADER", "Message-ID"}, Data: string(*w.MessageID), Repeat: w.until()},
			fetch.Step{Verb: "UID FETCH", Args: []string{"<uids>", headline}, If: ifHits, Repeat: w.until()})
		if w.whole() {
			list = append(list, bodyStep(ifFound, w.until()))
		}
		return list, err
	case "nntp", "nntps":
		if strings.ContainsAny(id, " ") || w.whole() {
			return nil, nil // no argument of NNTP; or nothing that a referral would do
		}
		return []fetch.Step{{Verb: "refer", Args: []string{s.news(string(*w.MessageID))}}}, nil
	}
	return []fetch.Step{{Verb: "look", Args: []string{s.name}, Data: id}}, nil
}

// bodyStep fetches the text of a message that was found.
func bodyStep(cond, until string) fetch.Step {
	return fetch.Step{Verb: "UID FETCH", Args: []string{"<uid>", "(UID BODY.PEEK[])"}, If: cond, Repeat: until}
}

const untilFound = "until a folder holds it"

func onlyReads(o *fetch.Options, scheme string) error {
	if o.Op != fetch.Retrieve && o.Op != fetch.Metadata {
		return fetch.NoOperation(scheme, o.Op)
	}
	if !o.Range.IsZero() {
		return fetch.Errorf(fetch.ErrRange, "%s has no ranges", scheme)
	}
	return nil
}
