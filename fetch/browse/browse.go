// Package browse is the model of a browser for terminals: pages, history, links, prompts, and what each key does. It neither reads a keyboard
// nor writes to a screen, so that tests and other front ends can drive it:
//
//	b := browse.New(ctx, &browse.Config{Client: client})
//	defer b.Close()
//	b.Resize(80, 24)
//	b.Open(uri.MustParse("gopher://gopher.example/"))
//	for !b.Over() {
//		show(b.Frame())
//		select {
//		case key := <-keys:
//			b.Key(key)
//		case result := <-b.Results():
//			result()
//		}
//	}
//
// All methods except Login and Confirm belong to that one goroutine. Loading happens in others, and each result is a function that the loop
// calls. Nothing is fetched twice in one visit unless the user reloads or mirrors it: pages are kept in memory with their positions, up to 64 MiB in total.
//
// Text of servers contains no control characters when it is in a Frame: package render has replaced them (promise 9 of SECURITY.md).
package browse

import (
	"context"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/tofu"
	"example.org/deref/uri"
)

// A Config connects a Browser to its surroundings. Only Client is required.
type Config struct {
	Client  *fetch.Client
	Options *fetch.Options // for each request; what belongs to one server goes only to that of the first page
	// Parse reads an address that the user has typed. A nil Parse is uri.Parse.
	Parse func(string) (uri.URI, error)
	// Hint words the hint of an error. A nil Hint leaves it as it is.
	Hint func(string) string
	// Session attaches the terminal to a session, such as telnet, and returns when that has ended. Without it, sessions cannot be opened.
	Session func(u uri.URI, o *fetch.Options) error
	// View has another program show a document that is not text. Without it, such a document is only saved.
	View      func(ctx context.Context, mediaType string, document []byte) error
	Bookmarks string        // the file, in the format text/uri-list; "" means that there are none
	Places    []fetch.Entry // links of the start page
}

// A Browser is one visit. Use New.
type Browser struct {
	config  Config
	schemes fetch.Registry // of the Client
	ctx     context.Context
	cancel  context.CancelFunc
	work    sync.WaitGroup

	results chan func()

	width, height int
	first         uri.URI  // the address of the first page, zero if there was none
	visits        []*visit // the history
	at            int      // the visit that is shown, -1 before the first
	cache         cache
	forms         map[string][]string // the questions of Gopher+ forms, by the keys of their pages
	load          *load
	job           *job // a save or a mirror
	prompt        *prompt
	waiting       []func() // for the end of the prompt
	message       string
	failed        bool // the message is about a failure
	pattern       string
	unwrapped     bool
	shift         int // columns that are scrolled to the left, if unwrapped
	over          bool

	viewed       map[string]bool // whether media types are shown by other programs, as the user has answered
	decided      decisions
	certificates map[string]string // files of client certificates, by origin
}

// A Screen shows a browser on the terminal.
type Screen interface {
	// Show shows b until the user leaves or ctx ends. It restores the terminal's settings.
	Show(ctx context.Context, b *Browser) error
	// Outside runs f while Show has given the terminal back.
	Outside(f func() error) error
}

// A visit is an item of the history.
type visit struct {
	target target
	page   *page
	top    int // the first row on the screen
	link   int // the selected link, 0 for none
}

// New returns a Browser without a page. The context ends everything that it does.
func New(ctx context.Context, c *Config) *Browser {
	b := &Browser{config: *c, schemes: c.Client.Schemes, at: -1, results: make(chan func()), width: 80, height: 24, certificates: map[string]string{}, viewed: map[string]bool{},
		forms: map[string][]string{}, decided: decisions{always: map[tofu.Key]bool{}}}
	if b.config.Parse == nil {
		b.config.Parse = uri.Parse
	}
	if b.config.Hint == nil {
		b.config.Hint = func(s string) string { return s }
	}
	if b.config.Options == nil {
		b.config.Options = &fetch.Options{}
	}
	b.ctx, b.cancel = context.WithCancel(ctx)
	return b
}

// Close ends everything that the Browser does, and waits for it.
func (b *Browser) Close() {
	b.cancel()
	b.work.Wait()
}

// Results returns a channel of functions. The loop that calls Key calls each of them.
func (b *Browser) Results() <-chan func() { return b.results }

// Over reports whether the user has left.
func (b *Browser) Over() bool { return b.over }

// Busy reports whether something is in progress, so that Frame changes with time.
func (b *Browser) Busy() bool { return b.load != nil || b.job != nil }

// Asking reports whether a question is waiting for the user. Keys are text then.
func (b *Browser) Asking() bool { return b.prompt != nil }

// Resize sets the size of the screen in cells.
func (b *Browser) Resize(width, height int) {
	b.width, b.height = max(width, 2), max(height, 2)
	b.relayout(b.visit())
}

// post gives the loop something to do. It gives up when the Browser is closed.
func (b *Browser) post(do func()) {
	select {
	case b.results <- do:
	case <-b.ctx.Done():
	}
}

// postQuiet is post for what shows another page or may ask a question. It waits until no question is open: what the user types as the answer to one, such
// as a password, must not become that to another.
func (b *Browser) postQuiet(do func()) {
	b.post(func() {
		b.waiting = append(b.waiting, do)
		b.goOn()
	})
}

// goOn does what has waited for the end of a question.
func (b *Browser) goOn() {
	for b.prompt == nil && len(b.waiting) > 0 {
		do := b.waiting[0]
		b.waiting = b.waiting[1:]
		do()
	}
}

// visit returns the visit that is shown. Before the first it is an empty page.
func (b *Browser) visit() *visit {
	if b.at < 0 {
		return &visit{target: target{own: "deref"}, page: &page{}}
	}
	return b.visits[b.at]
}

// say shows a message until the next key.
func (b *Browser) say(text string) { b.message, b.failed = text, false }

// fail shows a failure until the next key.
func (b *Browser) fail(err error) { b.message, b.failed = b.wording(err), true }
