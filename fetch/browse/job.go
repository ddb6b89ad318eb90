package browse

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mirror"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// A job is something in progress besides the page: a save, or a mirror.
type job struct {
	what   string
	state  string
	cancel context.CancelFunc
}

// background runs work, one at a time. It shows the text that work returns. work reports its progress by calling its argument.
func (b *Browser) background(what string, work func(ctx context.Context, progress func(string)) (string, error)) {
	if b.job != nil {
		b.say(b.job.what + " is still in progress; Esc stops it.")
		return
	}
	ctx, cancel := context.WithCancel(b.ctx)
	j := &job{what: what, cancel: cancel}
	b.job = j
	b.work.Go(func() {
		defer cancel()
		done, err := work(ctx, func(state string) { b.post(func() { j.state = state }) })
		b.postQuiet(func() {
			b.job = nil
			switch {
			case errors.Is(err, context.Canceled):
				b.say(what + ": stopped.")
			case err != nil:
				b.fail(err)
			case done != "":
				b.say(done)
			}
		})
	})
}

// askFile asks where to save the document.
func (b *Browser) askFile() {
	v := b.visit()
	if v.page.doc == nil || v.page.err != nil || v.target.own != "" {
		b.say("This page is not a document.")
		return
	}
	b.ask("Save as: ", fileName(v.page.doc.URI), func(name string) {
		if name == "" {
			return
		}
		if _, err := os.Lstat(name); err != nil {
			b.save(v, name)
			return
		}
		b.ask(name+" exists. Replace it (y/n)? ", "", func(answer string) {
			if isYes(answer) {
				b.save(v, name)
			}
		})
	})
}

func isYes(answer string) bool {
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y")
}

// save saves the document of v. It is fetched again only if not all of it is in memory.
func (b *Browser) save(v *visit, name string) {
	t := v.target
	var get fetch.Getter = kept{b.config.Client, v.page, b.width}
	if v.page.cut {
		get = b.config.Client
	}
	o := b.options(t)
	b.background("Saving", func(ctx context.Context, _ func(string)) (string, error) {
		r, err := save.File(ctx, get, t.uri, o, &save.Options{Path: name})
		return fmt.Sprintf("Saved %s, %d bytes.", render.Escape(r.Path), r.Size), err
	})
}

// fileName returns the last segment of a path.
func fileName(u uri.URI) string {
	name := path.Base(strings.TrimSuffix(u.Path().Decode(), "/"))
	if name == "." || name == "/" {
		name = "index"
	}
	return save.Clean(name)
}

// kept returns a page from memory as if it was fetched.
type kept struct {
	fetch.Getter
	page  *page
	width int
}

func (k kept) Get(context.Context, uri.URI, *fetch.Options) (*fetch.Document, error) {
	d := k.page.document()
	d.Entries = nil
	if len(k.page.raw) == 0 { // a listing that has no bytes
		text, _ := k.page.show(k.width)
		d.Body, d.Size = fetch.NewBody(strings.NewReader(text), func() error { return nil }), int64(len(text))
	}
	return d, nil
}

// askDirectory asks where to mirror the document.
func (b *Browser) askDirectory() {
	v := b.visit()
	if v.target.own != "" {
		b.say("This page cannot be mirrored.")
		return
	}
	b.ask("Mirror everything below into the directory: ", "", func(name string) {
		if name == "" {
			return
		}
		t := v.target
		o := b.options(t)
		b.background("Mirroring", func(ctx context.Context, progress func(string)) (string, error) {
			n := 0
			s, err := mirror.Run(ctx, b.config.Client, t.uri, name, &mirror.Options{Request: o, NoParent: true, Done: func(e mirror.Event) {
				n++
				progress(fmt.Sprintf("%d, %s", n, render.Escape(b.schemes.Redact(e.URI))))
			}})
			if err == nil && s.Saved+s.Unchanged == 0 {
				err = s.First
			}
			return fmt.Sprintf("Mirrored: %d saved, %d unchanged, %d failed.", s.Saved, s.Unchanged, s.Failed), err
		})
	})
}
