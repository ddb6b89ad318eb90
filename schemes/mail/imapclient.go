package mail

import (
	"encoding/base64"
	"errors"
	"io"
	"iter"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	wire "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"

	"example.org/deref/fetch"
)

// session is an IMAP session: all that the scheme does by the library, which is still a beta, stands in this file.
type session struct {
	guard  *guard
	client *imapclient.Client
	limits fetch.Limits
	broken bool // the conversation is over, or its end is not in sight

	mu    sync.Mutex   // one goroutine at a time takes what the library's reader hands over
	drain func() error // takes the rest of it
}

func newSession(env *fetch.Env, conn *fetch.Conn, greeting string) *session {
	l := env.Limits()
	g := newGuard(conn, l, greeting)
	return &session{guard: g, client: imapclient.New(g, nil), limits: l}
}

// Close ends the connection, and the library's reader, which waits until somebody has taken what it read.
func (s *session) Close() error {
	s.guard.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = true
	if s.drain != nil {
		s.drain()
		s.drain = nil
	}
	return s.client.Close()
}

// take calls f unless the session is closed; f may wait for the server.
func (s *session) take(f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return net.ErrClosed
	}
	return f()
}

// fail gives an error of the library its kind: what ended the connection outranks what the library made of it.
func (s *session) fail(err error, what string) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return statusError(string(e.Type), string(e.Code), e.Text, what)
	}
	bye, ended := s.guard.state()
	switch {
	case bye != "" && (ended == nil || ended == io.EOF):
		return fetch.Errorf(fetch.ErrUnavailable, "the server says: %s", clip(bye))
	case ended != nil:
		return unfinished(ended)
	case fetch.KindOf(err) != "":
		return err
	}
	return fetch.Errorf(fetch.ErrProtocol, "%s", clip(err.Error()))
}

// unfinished is what the end of the connection is where something was to come.
func unfinished(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fetch.Errorf(fetch.ErrTruncated, "the server closed the connection within a reply: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// statusError gives NO and BAD their kind: RFC 9051 section 7.1, RFC 5530.
func statusError(status, code, text, what string) error {
	kind := fetch.ErrRefused
	switch {
	case status == "BAD":
		kind = fetch.ErrProtocol
	case code == "AUTHENTICATIONFAILED", code == "AUTHORIZATIONFAILED", code == "EXPIRED", code == "PRIVACYREQUIRED":
		kind = fetch.ErrAuth
	case code == "UNAVAILABLE", code == "INUSE", code == "CONTACTADMIN", code == "LIMIT":
		kind = fetch.ErrUnavailable
	case what == "LOGIN":
		kind = fetch.ErrAuth
	case code == "NONEXISTENT", code == "TRYCREATE", what == "EXAMINE" && code == "":
		kind = fetch.ErrNotFound
	}
	if code != "" {
		text = "[" + code + "] " + text
	}
	return fetch.Errorf(kind, "the server answers %s to %s: %s", status, what, clip(text))
}

func (s *session) login(user, password string) error {
	s.guard.grant(0)
	return s.fail(s.client.Login(user, password).Wait(), "LOGIN")
}

// authenticate speaks one of the mechanisms that need no more than one answer.
func (s *session) authenticate(env *fetch.Env, mech string, identity []string) error {
	user, secret := "", ""
	if len(identity) > 1 {
		user, secret = identity[0], identity[1]
	}
	var c sasl.Client
	switch mech {
	case "ANONYMOUS":
		c = sasl.NewAnonymousClient("")
	case "EXTERNAL":
		c = sasl.NewExternalClient(user)
	case "PLAIN":
		c = sasl.NewPlainClient("", user, secret)
	case "LOGIN":
		env.Hide(base64.StdEncoding.EncodeToString([]byte(secret)))
		c = &loginClient{user: user, password: secret}
	case "OAUTHBEARER":
		c = sasl.NewOAuthBearerClient(&sasl.OAuthBearerOptions{Username: user, Token: secret})
	default:
		return fetch.Errorf(fetch.ErrUnsupported, "the authentication %s is not spoken here", mech)
	}
	if _, first, err := c.Start(); err == nil && mech != "ANONYMOUS" && len(first) > 0 {
		env.Hide(base64.StdEncoding.EncodeToString(first))
	}
	s.guard.grant(0)
	return s.fail(s.client.Authenticate(c), "LOGIN")
}

// loginClient is the mechanism LOGIN: two questions, whatever they say (draft-murchison-sasl-login). The library's compares the
// questions with those of one server.
type loginClient struct {
	user, password string
	asked          int
}

func (c *loginClient) Start() (string, []byte, error) { return "LOGIN", nil, nil }
func (c *loginClient) Next([]byte) ([]byte, error) {
	c.asked++
	switch c.asked {
	case 1:
		return []byte(c.user), nil
	case 2:
		return []byte(c.password), nil
	}
	return nil, errors.New("the server asks on and on")
}

// A folder is a line of LIST.
type folder struct {
	name  string
	delim string
	attrs []string
}

// has reports whether the folder has an attribute.
func (f folder) has(attr string) bool {
	return slices.ContainsFunc(f.attrs, func(a string) bool { return strings.EqualFold(a, attr) })
}

// folders lists all of them.
func (s *session) folders() iter.Seq2[folder, error] {
	return func(yield func(folder, error) bool) {
		var cmd *imapclient.ListCommand
		err := s.take(func() error {
			s.guard.grant(0)
			cmd = s.client.List("", "*", nil)
			s.drain = cmd.Close
			return nil
		})
		each(s, err, "LIST", yield, func() (f folder, more bool, err error) {
			d := cmd.Next()
			if d == nil {
				return f, false, nil
			}
			return folderOf(d), true, nil
		})
	}
}

func folderOf(d *wire.ListData) folder {
	f := folder{name: d.Mailbox}
	if d.Delim != 0 {
		f.delim = string(d.Delim)
	}
	for _, a := range d.Attrs {
		f.attrs = append(f.attrs, string(a))
	}
	return f
}

// each yields what next finds, and the error of the command at its end. It reports whether there may be more commands.
func each[T any](s *session, err error, verb string, yield func(T, error) bool, next func() (T, bool, error)) bool {
	var none T
	for more := true; err == nil && more; {
		var v T
		err = s.take(func() (err error) {
			if v, more, err = next(); err != nil || more {
				s.guard.grant(0)
				return err
			}
			err, s.drain = s.drain(), nil
			return err
		})
		if err == nil && more && !yield(v, nil) {
			return false
		}
	}
	if err != nil {
		yield(none, s.fail(err, verb))
	}
	return err == nil
}

// examine opens a folder for reading only. It returns its UIDVALIDITY and how many messages it has.
func (s *session) examine(name string) (validity, messages uint32, err error) {
	s.guard.grant(0)
	d, err := s.client.Select(name, &wire.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		return 0, 0, s.fail(err, "EXAMINE")
	}
	return d.UIDValidity, d.NumMessages, nil
}

// program stands for a search program until the guard replaces it: the library has no words for one that is given.
const program = `TEXT "deref: the search program"`

// search asks for a search program as it stands.
func (s *session) search(words string) ([]uint32, error) {
	s.guard.replace(program, words)
	defer s.guard.replace("", "")
	return s.uids(&wire.SearchCriteria{Text: []string{"deref: the search program"}})
}

// searchHeader asks for messages with a text in a header field.
func (s *session) searchHeader(name, value string) ([]uint32, error) {
	return s.uids(&wire.SearchCriteria{Header: []wire.SearchCriteriaHeaderField{{Key: name, Value: value}}})
}

// searchAddress asks for messages to or from an address, of a date and later if there is one.
func (s *session) searchAddress(addr string, since time.Time) ([]uint32, error) {
	field := func(name string) wire.SearchCriteria {
		return wire.SearchCriteria{Header: []wire.SearchCriteriaHeaderField{{Key: name, Value: addr}}}
	}
	to := wire.SearchCriteria{Or: [][2]wire.SearchCriteria{{field("To"), field("Cc")}}}
	c := &wire.SearchCriteria{Or: [][2]wire.SearchCriteria{{field("From"), to}}}
	if !since.IsZero() {
		c.SentSince = since.AddDate(0, 0, -1) // the server compares dates without their zones
	}
	return s.uids(c)
}

// maxUIDs bounds the answer to a search.
const maxUIDs = 1 << 20

func (s *session) uids(c *wire.SearchCriteria) ([]uint32, error) {
	s.guard.grant(0)
	d, err := s.client.UIDSearch(c, nil).Wait()
	if err != nil {
		return nil, s.fail(err, "SEARCH")
	}
	set, ok := d.All.(wire.UIDSet)
	if !ok || set.Dynamic() {
		return nil, nil
	}
	list := []uint32{}
	for _, r := range set { // a range may be a lie: "1:4294967295"
		for n := uint64(r.Start); n <= uint64(r.Stop); n++ {
			if len(list) == maxUIDs {
				return nil, fetch.Errorf(fetch.ErrLimit, "the search has more than %d hits", maxUIDs)
			}
			list = append(list, uint32(n))
		}
	}
	return list, nil
}

// A head is what a listing shows of a message.
type head struct {
	uid    uint32
	size   int64
	date   time.Time
	fields []byte // header fields as they stand
}

// heads fetches them; no uids are all messages.
func (s *session) heads(uids []uint32) iter.Seq2[head, error] {
	return func(yield func(head, error) bool) {
		all := uids == nil
		for all || len(uids) > 0 {
			set := wire.UIDSet{wire.UIDRange{Start: 1}}
			if !all {
				n := min(len(uids), maxPerFetch)
				set = wire.UIDSet{}
				for _, u := range uids[:n] {
					set.AddNum(wire.UID(u))
				}
				uids = uids[n:]
			}
			if !s.headsOf(set, yield) || all {
				return
			}
		}
	}
}

// maxPerFetch keeps a command within what servers take for a line (RFC 7162 section 4: 8192 octets).
const maxPerFetch = 500

func (s *session) headsOf(set wire.UIDSet, yield func(head, error) bool) bool {
	var cmd *imapclient.FetchCommand
	err := s.take(func() error {
		s.guard.grant(0)
		cmd = s.client.Fetch(set, &wire.FetchOptions{UID: true, InternalDate: true, RFC822Size: true,
			BodySection: []*wire.FetchItemBodySection{{Specifier: wire.PartSpecifierHeader, HeaderFields: headFields(), Peek: true}}})
		s.drain = cmd.Close
		return nil
	})
	return each(s, err, "FETCH", yield, func() (h head, more bool, err error) {
		m := cmd.Next()
		if m == nil {
			return h, false, nil
		}
		h, err = readHead(m)
		return h, true, err
	})
}

func readHead(m *imapclient.FetchMessageData) (h head, err error) {
	h.size = -1
	for item := m.Next(); item != nil; item = m.Next() {
		switch d := item.(type) {
		case imapclient.FetchItemDataUID:
			h.uid = uint32(d.UID)
		case imapclient.FetchItemDataRFC822Size:
			h.size = d.Size
		case imapclient.FetchItemDataInternalDate:
			h.date = d.Time
		case imapclient.FetchItemDataBodySection:
			if d.Literal == nil {
				continue
			}
			if h.fields, err = io.ReadAll(d.Literal); err == nil && int64(len(h.fields)) != d.Literal.Size() {
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				return h, err
			}
		}
	}
	return h, nil
}

// A part is a section of a message: RFC 9051 section 6.4.5. from and length are octets, length 0 the whole.
type part struct {
	spec         string
	from, length int64
}

// item is the library's form of a section-spec.
func (x part) item() (*wire.FetchItemBodySection, error) {
	it := &wire.FetchItemBodySection{Peek: true}
	spec := x.spec
	for spec != "" && spec[0] >= '0' && spec[0] <= '9' {
		number, rest, _ := strings.Cut(spec, ".")
		n, err := strconv.ParseInt(number, 10, 32)
		if err != nil || n == 0 {
			return nil, badSection()
		}
		it.Part, spec = append(it.Part, int(n)), rest
	}
	if x.from > 0 || x.length > 0 {
		it.Partial = &wire.SectionPartial{Offset: x.from, Size: x.length}
	}
	word, fields, has := strings.Cut(spec, " ")
	switch word = strings.ToUpper(word); word {
	case "", "HEADER", "TEXT", "MIME":
		if has || strings.HasSuffix(x.spec, ".") || word == "MIME" && len(it.Part) == 0 {
			return nil, badSection()
		}
		it.Specifier = wire.PartSpecifier(word)
		return it, nil
	case "HEADER.FIELDS", "HEADER.FIELDS.NOT":
		names := strings.Fields(strings.TrimSuffix(strings.TrimPrefix(fields, "("), ")"))
		if len(names) == 0 || !strings.HasPrefix(fields, "(") || !strings.HasSuffix(fields, ")") || slices.ContainsFunc(names, func(n string) bool { return !isFieldName(n) }) {
			return nil, badSection()
		}
		it.Specifier = wire.PartSpecifierHeader
		if word == "HEADER.FIELDS" {
			it.HeaderFields = names
		} else {
			it.HeaderFieldsNot = names
		}
		return it, nil
	}
	return nil, badSection()
}

func badSection() error {
	return fetch.Errorf(fetch.ErrRefusedURL, "SECTION is a section-spec (RFC 9051 section 6.4.5)")
}

// A text is the octets of a section while they come: the Body of a Document.
type text struct {
	s    *session
	cmd  *imapclient.FetchCommand
	in   io.Reader
	size int64
	got  int64
	err  error
	done func(reuse bool)
}

// text fetches a section of a message. It returns when the octets begin.
func (s *session) text(uid uint32, x part) (t *text, err error) {
	item, err := x.item()
	if err != nil {
		return nil, err
	}
	err = s.take(func() (err error) {
		s.guard.grant(1)
		cmd := s.client.Fetch(wire.UIDSetNum(wire.UID(uid)), &wire.FetchOptions{UID: true, BodySection: []*wire.FetchItemBodySection{item}})
		s.drain = cmd.Close
		if t, err = s.findText(cmd, item); t != nil || err != nil {
			return err
		}
		err, s.drain = cmd.Close(), nil
		return err
	})
	switch {
	case fetch.KindOf(err) != "":
		return nil, err
	case err != nil:
		return nil, s.fail(err, "FETCH")
	case t == nil:
		return nil, fetch.Errorf(fetch.ErrNotFound, "the folder has no such message, or the message no such part")
	}
	return t, nil
}

func (s *session) findText(cmd *imapclient.FetchCommand, item *wire.FetchItemBodySection) (*text, error) {
	for m := cmd.Next(); m != nil; m = cmd.Next() {
		for d := m.Next(); d != nil; d = m.Next() {
			b, ok := d.(imapclient.FetchItemDataBodySection)
			if !ok || b.Literal == nil {
				continue
			}
			if !b.MatchCommand(item) {
				return nil, fetch.Errorf(fetch.ErrProtocol, "the server sent another part than the one asked for")
			}
			return &text{s: s, cmd: cmd, in: b.Literal, size: b.Literal.Size()}, nil
		}
	}
	return nil, nil
}

// Read gives io.EOF only when as many octets have come as were announced, and the server has said OK.
func (t *text) Read(p []byte) (n int, err error) {
	if t.err != nil {
		return 0, t.err
	}
	err = t.s.take(func() (err error) {
		n, err = t.in.Read(p)
		t.got += int64(n)
		if err == io.EOF {
			err = t.confirm()
		}
		return err
	})
	switch {
	case err == io.EOF:
		t.done(true)
	case err != nil && fetch.KindOf(err) == "":
		err = t.s.fail(err, "FETCH")
	}
	t.err = err
	return n, err
}

// confirm ends the transfer.
//
// QUIRK: the library's literal ends with io.EOF also where the connection does, so the octets are counted.
func (t *text) confirm() error {
	if t.got < t.size {
		if _, ended := t.s.guard.state(); ended != nil && ended != io.EOF {
			return ended
		}
		return fetch.Errorf(fetch.ErrTruncated, "%d of %d octets came: %w", t.got, t.size, io.ErrUnexpectedEOF)
	}
	err := t.cmd.Close()
	t.s.drain = nil
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return fetch.Errorf(fetch.ErrTransfer, "the server answers %s after the data: %s", e.Type, clip(e.Text))
	}
	if err != nil {
		return err
	}
	return io.EOF
}

// Close before the end drops the connection.
func (t *text) Close() error {
	t.done(false)
	return nil
}
