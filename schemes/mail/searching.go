package mail

import (
	"context"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/mailstore"
)

// opening are the steps that open the folders of an imap source.
func (s source) opening(o *fetch.Options) ([]fetch.Step, error) {
	h := imap{name: s.kind, port: portOf(s.kind), tls: s.tls()}
	list, err := h.greeting(box{}, &fetch.Options{Login: s.login, Set: o.Set})
	if s.mailbox != "" {
		return append(list, fetch.Step{Verb: "EXAMINE", Args: []string{s.mailbox}}), err
	}
	return append(list, fetch.Step{Verb: "LIST", Args: []string{`""`, "*"}},
		fetch.Step{Verb: "EXAMINE", Args: []string{"<folder>"}, Repeat: untilFound}), err
}

func (s source) tls() fetch.TLSMode {
	if s.kind == "imaps" {
		return fetch.ImplicitTLS
	}
	return fetch.NoTLS
}

// eachFolder opens the folders of an imap source, those for junk and waste last, until visit says that it is enough. The session is kept
// for later requests unless *hold.
func (s source) eachFolder(ctx context.Context, p *fetch.Plan, env *fetch.Env, visit func(c *caller, ss *session, name string, validity uint32) (bool, error), hold *bool) error {
	steps, err := s.opening(p.Options)
	if err != nil {
		return err
	}
	env.Hide(s.login.Password)
	c := &caller{env: env, addr: s.addr, tls: s.tls(), ssl: p.Options.Get("imap.ssl"), steps: steps, login: s.login, options: p.Options}
	c.steps = append(c.steps, ofSource(p, s)...)
	ss, done, err := lease(ctx, c)
	if err != nil {
		return err
	}
	good := false
	defer func() {
		if !*hold {
			done(good)
		}
	}()
	names := []string{s.mailbox}
	if s.mailbox == "" {
		c.say("LIST", "")
		if names, err = inOrder(ss.folders()); err != nil {
			return err
		}
	}
	for _, name := range names {
		if step, ok := c.step("EXAMINE"); ok {
			step.Args = []string{name}
			env.Say(step)
		}
		validity, messages, err := ss.examine(name)
		if err != nil && len(names) > 1 && (fetch.KindOf(err) == fetch.ErrRefused || fetch.KindOf(err) == fetch.ErrNotFound) {
			continue // it has gone, or is not for this user
		}
		if err != nil {
			return err
		}
		if messages == 0 {
			continue
		}
		enough, err := visit(c, ss, name, validity)
		if err != nil {
			return err
		}
		if enough {
			break
		}
	}
	good = true
	return nil
}

// ofSource are the Plan's searches of a source.
func ofSource(p *fetch.Plan, s source) (list []fetch.Step) {
	for _, st := range p.Steps {
		if (st.At == s.addr || st.At == "" && p.Addr == s.addr) && (st.Verb == "UID SEARCH" || st.Verb == "UID FETCH") {
			list = append(list, st)
		}
	}
	return list
}

// maxFolders bounds how many are searched.
const maxFolders = 10000

// inOrder are the names of folders that hold messages: RFC 6154 says which are for junk and waste.
func inOrder(list iter.Seq2[folder, error]) (names []string, err error) {
	var last []string
	for f, err := range list {
		switch {
		case err != nil:
			return nil, err
		case f.has(`\Noselect`), f.has(`\NonExistent`), len(names)+len(last) >= maxFolders:
		case f.has(`\Junk`), f.has(`\Trash`):
			last = append(last, f.name)
		default:
			names = append(names, f.name)
		}
	}
	return append(names, last...), nil
}

// base is what the URIs of the source's messages begin with.
func (s source) base() string {
	user := ""
	if s.login.User != "" {
		user = escapeIn(s.login.User, "&=~;") + "@"
	}
	return s.kind + "://" + user + strings.TrimSuffix(s.addr, ":"+decimal(portOf(s.kind))) + "/"
}

// news names an article on a news server.
func (s source) news(id string) string {
	scheme := "news"
	if s.kind == "nntps" {
		scheme = "snews"
	}
	return scheme + "://" + s.addr + "/" + escapeIn(id, "@!$&'()*+,;=:")
}

// messages are those of a store on this machine, with its folders.
func (s source) messages() iter.Seq2[mailstore.Message, error] {
	if s.kind == "mbox" {
		return mailstore.Mbox(s.path)
	}
	return func(yield func(mailstore.Message, error) bool) {
		more := true
		err := filepath.WalkDir(s.path, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && name == s.path:
				return err
			case err != nil || !d.IsDir():
				return nil // one that cannot be read hides no other
			}
			for m, err := range s.folder(name) {
				if more = yield(m, err); !more {
					return fs.SkipAll
				}
			}
			return nil
		})
		if err != nil && more {
			yield(mailstore.Message{}, err)
		}
	}
}

// folder are the messages of one folder of a store.
func (s source) folder(name string) iter.Seq2[mailstore.Message, error] {
	if s.kind == "mh" {
		return mailstore.MH(name)
	}
	if _, err := os.Stat(filepath.Join(name, "cur")); err != nil {
		return func(func(mailstore.Message, error) bool) {}
	}
	return mailstore.Maildir(name)
}
