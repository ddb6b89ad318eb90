package app

import (
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/refer"
	"example.org/deref/schemes"
	"example.org/deref/schemes/external"
	"example.org/deref/schemes/mail"
	"example.org/deref/schemes/news"
	"example.org/deref/schemes/urn"
	"example.org/deref/uri"
)

// A configReader reads the tree of a file into a Config.
type configReader struct {
	*Config
	*vocabulary
	home   string
	stderr io.Writer
	secret keyPath // the first key with a secret
}

// A vocabulary holds the schemes and flags that a file can name. Both are collected when they are first needed, since most files need neither.
type vocabulary struct {
	flagNames func() []string       // the long names of all flags that a file can set
	schemes   func() fetch.Registry // that are part of the program
}

// NewVocabulary returns a vocabulary with the schemes of package schemes and more. The function returns the names of the flags that a file can
// set.
func NewVocabulary(flags func() []string, more ...fetch.Scheme) *vocabulary {
	return &vocabulary{sync.OnceValue(flags), sync.OnceValue(func() fetch.Registry {
		return append(slices.Clip(more), schemes.All(nil)...) // Lookup finds the first
	})}
}

// sections returns the known tables of the file.
func (r *configReader) sections() []configKey {
	return []configKey{
		{"flags", each(r.flag)},
		{"gateways", each(r.gateway)},
		{"urn", each(r.urnEntry)},
		{"local", each(r.local)},
		{"afs", fields(configKey{"mount", r.path(&r.AFS.Mount)})},
		{"programs", each(r.program)},
		{"news", fields(configKey{"host", text(&r.News.Source)}, configKey{"archive", tables(r.archive)})},
		{"mail", fields(configKey{"source", tables(r.mailSource)})},
		{"host", each(r.host)},
	}
}

// hides records that a key is a secret.
func (r *configReader) hides(at keyPath) {
	if r.secret == nil {
		r.secret = at
	}
}

// login records that a key holds a secret if its value is a URI with a user name.
func (r *configReader) login(at keyPath, text string) {
	if u, err := uri.Parse(text); err == nil {
		if _, _, has := u.User(); has {
			r.hides(at)
		}
	}
}

// A flagDefault holds the values of a flag that is absent from the command line.
type flagDefault struct {
	at     keyPath
	Values []string
}

func (d flagDefault) Name() string { return d.at[len(d.at)-1] }

func (r *configReader) flag(at keyPath, v any) error {
	d := flagDefault{at: at}
	known := r.flagNames()
	if !slices.Contains(known, d.Name()) {
		return unknown(at, d.Name(), "unknown flag, or one that a file cannot set", known)
	}
	var err error
	if d.Values, err = words(at, v); err != nil {
		return err
	}
	for _, v := range d.Values {
		key, _, _ := strings.Cut(v, "=")
		if set, ok := settingOf(r.schemes(), key); d.Name() == "set" && ok && set.Secret || d.Name() == "user" && strings.Contains(v, ":") {
			r.hides(at)
		}
		r.login(at, v)
	}
	r.Flags = append(r.Flags, d)
	return r.meaning(d)
}

// meaning returns an error if the flag sets a setting that cannot have this value.
func (r *configReader) meaning(d flagDefault) error {
	set := map[string][]string{}
	for _, v := range d.Values {
		if key, value, ok := strings.Cut(v, "="); d.Name() == "set" && ok {
			set[key] = append(set[key], value)
		}
		for _, s := range flags.Spellings() {
			if s.Long == d.Name() && s.Fixed == "" {
				s.Put(set, v)
			}
		}
	}
	if len(set) == 0 {
		return nil
	}
	return noSetting(d.at, r.schemes().CheckSettings(set))
}

func (r *configReader) gateway(at keyPath, v any) error {
	var template string
	if err := text(&template)(at, v); err != nil {
		return err
	}
	g, err := refer.Parse(at[len(at)-1] + "=" + template)
	if err != nil {
		return wrong(at, "%v", err)
	}
	r.login(at, template)
	r.Gateways = append(r.Gateways, g)
	return nil
}

func (r *configReader) local(at keyPath, v any) error {
	var folder string
	if err := r.path(&folder)(at, v); err != nil {
		return err
	}
	l, err := refer.NewLocal(at[len(at)-1], folder)
	if err != nil {
		return wrong(at, "%v", err)
	}
	r.Locals = append(r.Locals, l)
	return nil
}

// urnEntry reads a prefix and its templates. Longer prefixes are tried before shorter ones.
func (r *configReader) urnEntry(at keyPath, v any) error {
	prefix := at[len(at)-1]
	var templates []string
	if err := texts(&templates)(at, v); err != nil {
		return err
	}
	for _, t := range templates {
		e := urn.Entry{Prefix: prefix, Template: t}
		if err := e.Check(); err != nil {
			return wrong(at, "%v", err)
		}
		r.URN.Table = append(r.URN.Table, e)
	}
	slices.SortStableFunc(r.URN.Table, func(a, b urn.Entry) int { return len(b.Prefix) - len(a.Prefix) })
	return nil
}

func (r *configReader) program(at keyPath, v any) error {
	p := external.Program{Scheme: at[len(at)-1], Env: os.Environ()}
	if err := r.path(&p.Path)(at, v); err != nil {
		return err
	}
	if u, err := uri.Parse(p.Scheme + ":x"); err != nil || u.Scheme() != p.Scheme {
		return wrong(at, "not the name of a scheme in lower case")
	}
	r.Programs = append(r.Programs, p)
	return nil
}

func (r *configReader) archive(at keyPath, v any) error {
	a := news.Archive{Groups: "*"}
	err := fields(configKey{"groups", text(&a.Groups)}, configKey{"uri", text(&a.URI)})(at, v)
	if err == nil && a.URI == "" {
		err = wrong(at, "uri is missing")
	}
	r.News.Archives = append(r.News.Archives, a)
	return err
}

// mailSource reads one source. Its login applies to all other requests to the same server, too.
func (r *configReader) mailSource(at keyPath, v any) error {
	var s mail.Source
	var h hostConfig
	known := append(r.loginFields(&h), configKey{"uri", text(&s.URI)}, configKey{"folders", texts(&s.Folders)})
	if err := fields(known...)(at, v); err != nil {
		return err
	}
	u, err := uri.Parse(s.URI)
	if err != nil || !u.IsAbs() {
		return wrong(at, "uri must be imap://HOST, imaps://HOST, nntp://HOST, maildir:DIR, mbox:FILE or mh:DIR")
	}
	if err := s.Check(); err != nil {
		return wrong(at.with("uri"), "%v", err)
	}
	r.login(at.with("uri"), s.URI)
	if h.isLogin() && r.schemes().Origin(u) == "" {
		return wrong(at, "a mail store on this machine cannot have a login")
	}
	switch user, _, _ := u.User(); {
	case user == "" && h.user != "":
		s.URI = u.Scheme() + "://" + string(uri.User.Escape(uri.RFC3986, h.user)) + "@" + strings.TrimPrefix(u.String(), u.Scheme()+"://")
	case h.user == "":
		h.user = user
	}
	if h.password != "" || h.command != nil {
		h.origin = r.schemes().Origin(u)
		r.hosts = append(r.hosts, h)
	}
	r.Mail = append(r.Mail, s)
	return nil
}
