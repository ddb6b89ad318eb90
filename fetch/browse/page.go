package browse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync/atomic"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/fetch/hint"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/uri"
)

// A page is a document that was read, or one of the browser's own.
type page struct {
	doc     *fetch.Document // its Body is closed; nil for the browser's own texts
	raw     []byte
	entries []fetch.Entry // of a listing
	listed  bool
	cut     bool   // the document is longer than what is here
	binary  bool   // it is not text
	text    string // of the browser's own texts
	links   []fetch.Entry
	targets []target               // of the links of the history, which may have words of a search
	forms   map[int]*htmltext.Form // by the numbers of their links
	talk    []byte                 // the conversation
	err     error                  // why there is no document

	layout layout
}

// size returns the bytes that the page takes in memory, roughly.
func (p *page) size() int {
	const each = 400 // of an entry, with its strings
	return len(p.raw) + len(p.text) + len(p.talk) + each*(len(p.entries)+len(p.links))
}

// A counter counts bytes that were received.
type counter struct{ n atomic.Int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

// maxTalk bounds the conversation that is kept of a page.
const maxTalk = 256 << 10

// A transcript keeps the beginning of what is written to it.
type transcript struct{ bytes.Buffer }

func (t *transcript) Write(p []byte) (int, error) {
	if room := maxTalk - t.Len(); room < len(p) {
		t.Buffer.Write(p[:max(room, 0)])
		return len(p), nil
	}
	return t.Buffer.Write(p)
}

// read fetches a page.
func (b *Browser) read(ctx context.Context, t target, received io.Writer) *page {
	p := &page{}
	var talk transcript
	o := b.options(t)
	r := dialogue.NewRecorder(&talk)
	r.Brief = true
	o.Trace = r.Trace
	d, err := b.config.Client.Get(ctx, t.uri, o)
	if d != nil {
		defer d.Body.Close()
		p.doc = d
	}
	if err == nil {
		err = p.fill(d, received)
	} else if d != nil {
		for _, r := range d.Referrals { // not followed by itself
			p.links = append(p.links, fetch.Entry{URI: r.URI, Title: r.Reason, Kind: fetch.KindLink, Size: -1})
		}
	}
	p.err = err
	r.Flush()
	p.talk = talk.Bytes()
	return p
}

// errEnough ends the reading of a document that is too long to be shown.
var errEnough = errors.New("enough")

// fill reads the document.
func (p *page) fill(d *fetch.Document, received io.Writer) error {
	if mediatype.IsPage(d.Type) {
		htmltext.Head(d)
	}
	render.List(d)
	var raw bytes.Buffer
	body := d.Body
	d.Body = fetch.NewBody(io.TeeReader(body, io.MultiWriter(received, &raw)), body.Close)
	var err error
	if p.listed = render.IsListed(d); p.listed {
		p.entries, err = collect(d.Entries, func() bool { return raw.Len() > maxPage })
	} else {
		_, err = io.Copy(io.Discard, io.LimitReader(d.Body, maxPage+1))
		if err == nil && raw.Len() > maxPage {
			err = errEnough
		}
	}
	if p.cut = err == errEnough; p.cut {
		err = nil
	}
	p.raw = raw.Bytes()
	if err != nil {
		return err
	}
	if !p.listed && mediatype.IsXML(d.Type) {
		p.entries = readFeed(d.Source().NewReader(bytes.NewReader(p.raw)), d.Base)
		p.listed = p.entries != nil
	}
	p.links, err = collect(render.Links(p.document(), htmltext.Links), func() bool { return false })
	if err == errEnough {
		err = nil
	}
	isSearch := func(e fetch.Entry) bool { return e.Kind == fetch.KindSearch }
	if !d.Search.IsZero() && !p.listed && !slices.ContainsFunc(p.links, isSearch) {
		p.links = append(p.links, fetch.Entry{URI: d.Search, Title: "Search", Kind: fetch.KindSearch, Size: -1})
	}
	return err
}

// collect returns the entries of a sequence, up to a bound.
func collect(seq iter.Seq2[fetch.Entry, error], full func() bool) (list []fetch.Entry, err error) {
	for e, err := range seq {
		if err != nil {
			return list, err
		}
		if len(list) == maxEntries || full() {
			return list, errEnough
		}
		list = append(list, e)
	}
	return list, nil
}

// document returns the document again, to be read from memory.
func (p *page) document() *fetch.Document {
	d := *p.doc
	d.Body = fetch.NewBody(bytes.NewReader(p.raw), func() error { return nil })
	switch {
	case p.listed:
		d.Entries = p.eachEntry
	case d.Entries != nil:
		d.Entries = d.EntriesIn(bytes.NewReader(p.raw))
	}
	return &d
}

func (p *page) eachEntry(yield func(fetch.Entry, error) bool) {
	for _, e := range p.entries {
		if !yield(e, nil) {
			return
		}
	}
}

// show returns the page as text for a width, and the marks in a page of HTML. Parts of messages have none: their links are not those of the message.
func (p *page) show(width int) (text string, marks []mark) {
	var b bytes.Buffer
	if p.doc == nil || p.err != nil {
		t := render.NewTerminal(&b)
		io.WriteString(t, p.text)
		t.Flush()
		return b.String(), nil
	}
	var add func(htmltext.Mark)
	if mediatype.IsPage(p.doc.Type) {
		p.forms = map[int]*htmltext.Form{}
		add = func(m htmltext.Mark) {
			if marks = append(marks, mark{b.Len(), m}); m.Form != nil {
				p.forms[m.Link] = m.Form
			}
		}
	}
	err := render.View(&b, p.document(), render.Text, &render.Options{Terminal: true, Width: width,
		Page: func(w io.Writer, r io.Reader, isXML bool, base uri.Resolver, width int) error {
			return htmltext.Text(w, r, isXML, base, width, add)
		}})
	if e, ok := errors.AsType[*fetch.Error](err); ok && e.Hint == hint.Binary {
		p.binary = add == nil // a broken page of HTML is not for a browser, where its scripts would be of this machine
		return fmt.Sprintf("%s, %d bytes\n\nThis cannot be shown as text. s saves it, o opens it in another program.\n",
			render.Escape(p.doc.Type), max(p.doc.Size, int64(len(p.raw)))), nil
	}
	if err != nil {
		fmt.Fprintf(&b, "\n[%s]\n", render.Escape(err.Error()))
	}
	if p.cut {
		b.WriteString("\n" + longer + "\n")
	}
	return b.String(), marks
}

// longer is the last line of a page of which only the beginning is shown.
const longer = "[The document is longer. s saves all of it.]"

// newListing returns an own page for sections of links.
func newListing() *page {
	d := fetch.NewDocument(fetch.NewBody(bytes.NewReader(nil), func() error { return nil }))
	d.Type = "text/gemini"
	return &page{doc: d, listed: true}
}

// section adds a heading and links, or a text if there are none. A target without an address is text, too.
func (p *page) section(level, name, none string, list []target) {
	p.entries = append(p.entries, fetch.Entry{Title: name, Kind: fetch.KindText, Size: -1, Attr: map[string][]string{fetch.AttrHeading: {level}}})
	if len(list) == 0 {
		list = []target{{title: none}}
	}
	for _, t := range append(list, target{}) {
		e := fetch.Entry{URI: t.uri, Title: t.title, Kind: fetch.KindText, Size: -1}
		if !t.uri.IsZero() {
			e.Kind = fetch.KindFile
			p.links, p.targets = append(p.links, e), append(p.targets, t)
		}
		p.entries = append(p.entries, e)
	}
}
