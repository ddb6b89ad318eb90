package mail

import (
	"context"
	"iter"

	"example.org/deref/fetch"
)

// opening are the steps that open the folders of an imap source, again until the condition in words.
func (s source) opening(o *fetch.Options, until string) ([]fetch.Step, error) {
	user, password, has := s.uri.User()
	list, err := s.handler().greeting(s.box, fetch.Login{User: user, Password: password, Set: has || user != ""}, false, o)
	switch len(s.folders) {
	case 0:
		list = append(list, fetch.Step{Verb: "LIST", Args: []string{`""`, "*"}})
	case 1:
		return append(list, fetch.Step{Verb: "EXAMINE", Args: s.folders}), err
	}
	return append(list, fetch.Step{Verb: "EXAMINE", Args: []string{"<folder>"}, Repeat: until}), err
}

// An opened folder of an imap source.
type opened struct {
	*caller
	*session
	box      box // what the URIs of the source's messages begin with
	name     string
	validity uint32
}

// message names one of its messages.
func (f opened) message(uid uint32) string { return messageURI(f.box.base(), f.name, f.validity, uid) }

// eachFolder opens the folders of an imap source until visit says that it is enough. The session is kept for later requests unless *hold.
func (q inquiry) eachFolder(ctx context.Context, p *fetch.Plan, env *fetch.Env, hold *bool, visit func(opened) (enough bool, err error)) error {
	login, err := env.Login(ctx, q.uri)
	if err == nil {
		err = checkLogin(login)
	}
	if err != nil {
		return err
	}
	c := &caller{env: env, addr: q.addr, tls: q.handler().tls, ssl: p.Options.Get("imap.ssl"), steps: q.steps, login: login, options: p.Options}
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
	at := opened{caller: c, session: ss, box: q.box.as(login)}
	names, err := q.folderNames(c, ss)
	if err != nil {
		return err
	}
	for _, at.name = range names {
		enough, err := at.enter(len(names) > 1, visit)
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

// folderNames are those to open.
func (q inquiry) folderNames(c *caller, ss *session) ([]string, error) {
	if len(q.folders) > 0 {
		return q.folders, nil
	}
	if err := c.say("LIST", ""); err != nil {
		return nil, err
	}
	return inOrder(ss.folders())
}

// enter opens the folder, and visits it if it holds anything. One of many may have gone, or be not for this user.
func (f opened) enter(oneOfMany bool, visit func(opened) (bool, error)) (enough bool, err error) {
	step, _ := f.step("EXAMINE")
	step.Args = []string{f.name}
	if err := f.env.Announce(step); err != nil {
		return false, err
	}
	var messages uint32
	f.validity, messages, err = f.examine(f.name)
	kind := fetch.KindOf(err)
	switch {
	case oneOfMany && (kind == fetch.ErrRefused || kind == fetch.ErrNotFound):
		return false, nil
	case err != nil || messages == 0:
		return false, err
	}
	return visit(f)
}

// maxFolders bounds how many are searched.
const maxFolders = 10000

// inOrder are the names of folders that hold messages: RFC 6154 says which are for junk and waste.
func inOrder(list iter.Seq2[folder, error]) ([]string, error) {
	var open []folder
	for f, err := range list {
		if err != nil {
			return nil, err
		}
		if !f.has(`\Noselect`) && !f.has(`\NonExistent`) && len(open) < maxFolders {
			open = append(open, f)
		}
	}
	names := []string{}
	for _, f := range pick(open, nil, func(f folder) (string, bool) { return f.name, f.has(`\Junk`) || f.has(`\Trash`) }) {
		names = append(names, f.name)
	}
	return names, nil
}

// news names an article on a news server.
func (s source) news(id string) string {
	scheme := "news"
	if s.kind == "nntps" {
		scheme = "snews"
	}
	return scheme + "://" + s.addr + "/" + escapeIn(id, idSafe)
}
