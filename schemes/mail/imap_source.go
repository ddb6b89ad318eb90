package mail

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	wire "github.com/emersion/go-imap/v2"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// An imapServer is the server of a session, the identity to use there, and the planned steps.
type imapServer struct {
	env   *fetch.Env
	addr  string
	tls   fetch.TLSMode
	steps []fetch.Step
	login fetch.Login
}

// stepOf returns the first step with a verb, whatever its condition.
func stepOf(list []fetch.Step, verb string) (fetch.Step, bool) {
	for _, s := range list {
		if s.Verb == verb {
			return s, true
		}
	}
	return fetch.Step{}, false
}

// loginStep returns the step that authenticates the user.
func (s *imapServer) loginStep() (fetch.Step, bool) {
	for _, step := range s.steps {
		isLogin := step.Verb == "LOGIN" || step.Verb == "AUTHENTICATE"
		if isLogin && (step.If == "" || (step.If == ifLogin) == s.login.Set) {
			return step, true
		}
	}
	return fetch.Step{}, false
}

// announce announces a step, which the library sends.
func (s *imapServer) announce(verb string) error {
	step, _ := stepOf(s.steps, verb)
	return s.env.Announce(step)
}

// announceFetch announces the step that fetches items of messages. A nil uids means all of the mailbox.
func (s *imapServer) announceFetch(items string, uids []uint32) error {
	for _, step := range s.steps {
		if step.Verb == "UID FETCH" && step.Args[1] == items {
			if uids != nil {
				step.Args = []string{uidList(uids), items}
			}
			return s.env.Announce(step)
		}
	}
	return nil
}

// uidList formats UIDs for a trace, and omits those after the first 50.
func uidList(uids []uint32) string {
	const most = 50
	words := []string{}
	for _, n := range uids[:min(len(uids), most)] {
		words = append(words, fmt.Sprint(n))
	}
	if len(uids) > most {
		words = append(words, "...")
	}
	return strings.Join(words, ",")
}

// openSteps returns the steps that open the mailboxes of an IMAP source, repeated until the condition.
func (s source) openSteps(o *fetch.Options, until string) ([]fetch.Step, error) {
	user, password, has := s.uri.User()
	list, err := s.imap.loginSteps(fetch.Login{User: user, Password: password, Set: has || user != ""}, false, o)
	switch len(s.mailboxes) {
	case 0:
		list = append(list, fetch.Step{Verb: "LIST", Args: []string{`""`, "*"}})
	case 1:
		return append(list, fetch.Step{Verb: "EXAMINE", Args: s.mailboxes}), err
	}
	return append(list, fetch.Step{Verb: "EXAMINE", Args: []string{"<folder>"}, Repeat: until}), err
}

// An openMailbox is a mailbox of an IMAP server that is open for reading.
type openMailbox struct {
	*imapServer
	*session
	prefix   imapURI // the beginning of the URIs of its messages
	name     string
	validity uint32
}

// messageURI returns the URI of a message in the mailbox.
func (b openMailbox) messageURI(uid uint32) uri.URI {
	s := b.prefix.base() + escapeIn(b.name, mailboxSafe)
	if b.validity != 0 {
		s += fmt.Sprintf(";UIDVALIDITY=%d", b.validity)
	}
	u, _ := uri.Parse(s + fmt.Sprintf("/;UID=%d", uid))
	return u
}

// open fetches the text of a message. *busy is true until it has been read.
func (b openMailbox) open(uid uint32, busy *bool) (*fetch.Document, error) {
	if err := b.announceFetch(bodyItems, []uint32{uid}); err != nil {
		return nil, err
	}
	*busy = true
	t, err := b.text(uid, wholeMessage())
	if err != nil {
		return nil, err
	}
	t.done = func(reuse bool) { *busy = !reuse }
	return t.document(), nil
}

// texts yields messages of the mailbox, and then calls end. It skips those that no longer exist.
func (b openMailbox) texts(uids []uint32, end func()) iter.Seq2[*fetch.Document, error] {
	return func(yield func(*fetch.Document, error) bool) {
		for batch := range slices.Chunk(uids, maxPerFetch) {
			if err := b.announceFetch(bodyItems, batch); err != nil {
				yield(nil, err)
				return
			}
			more := b.bodies(batch, func(t *sectionBody, err error) bool {
				var d *fetch.Document
				if err == nil {
					d = t.document()
					err = readHeader(d)
				}
				return yield(d, err) && err == nil
			})
			if !more {
				return
			}
		}
		end()
	}
}

// eachMailbox opens the mailboxes of an IMAP source that have messages. *busy means that a response has not been read to its end: the session is
// kept for later requests only if it is false at the end.
func (s source) eachMailbox(ctx context.Context, env *fetch.Env, busy *bool) iter.Seq2[openMailbox, error] {
	return func(yield func(openMailbox, error) bool) {
		id, err := env.Identity(ctx, s.uri, s.uri.PortNumber(portOf(s.kind)), fetch.Login{})
		if err != nil {
			yield(openMailbox{}, err)
			return
		}
		server := &imapServer{env: env, addr: s.addr, tls: tlsOf(s.kind), steps: s.steps}
		ss, release, err := server.leaseAs(ctx, id)
		if err != nil {
			yield(openMailbox{}, err)
			return
		}
		defer func() {
			if !*busy {
				release(err == nil)
			}
		}()
		b := openMailbox{imapServer: server, session: ss, prefix: s.imap.withUser(server.login)}
		names, err := s.mailboxNames(b)
		for _, b.name = range names {
			var box *wire.SelectData
			box, err = b.examine()
			if kind := fetch.KindOf(err); len(names) > 1 && (kind == fetch.ErrRefused || kind == fetch.ErrNotFound) {
				err = nil // one of many may be gone or forbidden
				continue
			}
			if err != nil {
				break
			}
			if box.NumMessages > 0 && !yield(b, nil) {
				return
			}
		}
		if err != nil {
			yield(openMailbox{}, err)
		}
	}
}

// leaseAs leases a session of the user, with another identity each time that the server refuses one.
func (s *imapServer) leaseAs(ctx context.Context, id *fetch.Identity) (ss *session, release func(reuse bool), err error) {
	err = eachLogin(ctx, id, func() (err error) {
		s.login = id.Login()
		if err = checkLogin(s.login); err == nil {
			ss, release, err = s.lease(ctx)
		}
		return err
	})
	return ss, release, err
}

// mailboxNames returns the mailboxes to open.
func (s source) mailboxNames(b openMailbox) ([]string, error) {
	if len(s.mailboxes) > 0 {
		return s.mailboxes, nil
	}
	if err := b.announce("LIST"); err != nil {
		return nil, err
	}
	return searchOrder(b.mailboxes())
}

// examine opens the mailbox.
func (b *openMailbox) examine() (*wire.SelectData, error) {
	step, _ := stepOf(b.steps, "EXAMINE")
	step.Args = []string{b.name}
	if err := b.env.Announce(step); err != nil {
		return nil, err
	}
	box, err := b.selected(b.name)
	if err == nil {
		b.validity = box.UIDValidity
	}
	return box, err
}

// maxMailboxes bounds how many mailboxes are searched.
const maxMailboxes = 10000

func errMailboxes() error {
	return fetch.Errorf(fetch.ErrLimit, "there are more than %d mailboxes", maxMailboxes)
}

// searchOrder returns the names of the mailboxes that hold messages, those for junk and trash (RFC 6154) last.
func searchOrder(list iter.Seq2[listed, error]) ([]string, error) {
	names, junk, n := []string{}, []string{}, 0
	for m, err := range list {
		switch n++; {
		case err != nil:
			return nil, err
		case n > maxMailboxes:
			return nil, errMailboxes()
		case m.has(`\Noselect`) || m.has(`\NonExistent`):
		case m.has(`\Junk`) || m.has(`\Trash`) || isTrash(m.name):
			junk = append(junk, m.name)
		default:
			names = append(names, m.name)
		}
	}
	return append(names, junk...), nil
}
