package browse

import (
	"context"
	"errors"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// A load is a page that is being fetched.
type load struct {
	target   target
	cancel   context.CancelFunc
	received counter
}

// Open shows the document of an address that the user has given. The first one is that to which Config.Options belong.
func (b *Browser) Open(u uri.URI) {
	if b.first.IsZero() {
		b.first = u
	}
	b.open(target{uri: u})
}

// open shows a page from memory, or fetches it. It becomes the next of the history.
func (b *Browser) open(t target) {
	if p := b.cache.pages[b.key(t)]; p != nil {
		b.stop()
		b.push(t, p)
		return
	}
	b.fetch(t, func(p *page) { b.push(t, p) })
}

// fetch fetches a page and puts it into the cache. A page that is being fetched is given up.
func (b *Browser) fetch(t target, show func(*page)) {
	b.stop()
	ctx, cancel := context.WithCancel(b.ctx)
	l := &load{target: t, cancel: cancel}
	b.load = l
	b.work.Go(func() {
		defer cancel()
		p := b.read(ctx, t, &l.received)
		b.postQuiet(func() {
			if b.load != l {
				return // given up
			}
			b.load = nil
			b.loaded(t, p, show)
		})
	})
}

// stop gives up the page that is being fetched. It reports whether there was one.
func (b *Browser) stop() bool {
	if b.load == nil {
		return false
	}
	b.load.cancel()
	b.load = nil
	return true
}

// loaded shows a page that was fetched, or asks for what the server wants.
func (b *Browser) loaded(t target, p *page, show func(*page)) {
	if p.err == nil {
		b.cache.put(b.key(t), p)
		if len(p.doc.Via) > 0 && len(t.answers) == 0 && t.secret == "" {
			b.cache.name(b.key(target{uri: p.doc.URI}), b.key(t))
		}
		show(p)
		if yes, asked := b.viewed[mediatype.Essence(p.doc.Type)]; p.binary && (yes || !asked) && b.config.View != nil {
			b.view()
		}
		return
	}
	p.text = b.explain(t, p)
	show(p)
	again := func(t target) { // in place of the page with the question
		if v := b.visit(); v.page == p {
			b.visits, b.at = b.visits[:b.at], b.at-1
		}
		b.open(t)
	}
	if u, ok := errors.AsType[*untrusted](p.err); ok {
		b.askTrust(t, u.key, again)
		return
	}
	e, _ := errors.AsType[*fetch.Error](p.err)
	switch {
	case e == nil:
	case e.Kind == fetch.ErrInteractive && e.Hint == hint.Search:
		b.askInput(t, e.Question, again)
	case e.Hint == hint.Password && t.uri.Scheme() == "gemini":
		b.askSecret(t, e.Question, again)
	case e.Hint == hint.Set+" "+t.uri.Scheme()+".cert=FILE":
		b.askCertificate(t, again)
	case e.Kind == fetch.ErrInteractive && b.config.Session != nil:
		b.attach(t)
	}
}

// explain returns the text of the page that an error has in place of the document.
func (b *Browser) explain(t target, p *page) string {
	text := render.Escape(b.name(t)) + "\n\n"
	u, ok := errors.AsType[*untrusted](p.err)
	if ok {
		return text + u.explain()
	}
	e, ok := errors.AsType[*fetch.Error](p.err)
	if ok && (e.Hint == hint.Search || e.Hint == hint.Password && t.uri.Scheme() == "gemini") {
		return text + render.Escape(e.Text) + "\n" // the last line asks for it
	}
	if ok && e.Kind == fetch.ErrInteractive && b.config.Session != nil {
		return text + "This is a session with a host, which uses the whole terminal.\n\nr opens it again, b goes back, ? lists the keys.\n"
	}
	text += "This cannot be shown: " + b.wording(p.err) + "\n"
	if len(p.links) > 0 {
		text += "\nThe server refers to:\n"
	}
	return text + "\nr tries again, b goes back, v shows the conversation, ? lists the keys.\n"
}

// wording returns an error with its kind and hint, as one line.
func (b *Browser) wording(err error) string {
	text := render.Escape(err.Error())
	if k := fetch.KindOf(err); k != "" {
		text = string(k) + ": " + text
	}
	if e, ok := errors.AsType[*fetch.Error](err); ok && e.Hint != "" {
		text += " (" + render.Escape(b.config.Hint(e.Hint)) + ")"
	}
	return text
}

// attach attaches the terminal to a session.
func (b *Browser) attach(t target) {
	if b.config.Session == nil {
		b.fail(fetch.Errorf(fetch.ErrUnsupported, "this is a session, and there is no terminal for it"))
		return
	}
	if err := b.config.Session(t.uri, b.options(t)); err != nil {
		b.fail(err)
		return
	}
	b.say("The session has ended.")
}

// view shows a document that is not text in another program, after a question for the first of a media type.
func (b *Browser) view() {
	v := b.visit()
	if !v.page.binary || v.page.cut || b.config.View == nil {
		b.say("This page is text, or too long for another program.")
		return
	}
	mediaType := mediatype.Essence(v.page.doc.Type)
	show := func() {
		if err := b.config.View(b.ctx, mediaType, v.page.raw); err != nil {
			b.fail(err)
		}
	}
	if b.viewed[mediaType] {
		show()
		return
	}
	b.ask("Open "+mediaType+" in another program (y/n)? ", "", func(answer string) {
		if b.viewed[mediaType] = isYes(answer); isYes(answer) {
			show()
		}
	})
}
