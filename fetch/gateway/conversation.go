package gateway

import (
	"bytes"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// mostSaid bounds the transcript of a page.
const mostSaid = 32 << 10

// A conversation keeps the beginning of what was said, as `deref -v` shows it: lines of line protocols, steps of the others, no
// bodies. Secrets are blanked by the Client.
type conversation struct {
	recorder *dialogue.Recorder
	mu       sync.Mutex
	text     bytes.Buffer
	cut      bool
}

func newConversation() *conversation {
	c := &conversation{}
	c.recorder = dialogue.NewRecorder(c)
	c.recorder.Brief = true
	return c
}

func (c *conversation) trace(e fetch.Event) { c.recorder.Trace(e) }

// Write takes what fits.
func (c *conversation) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fits := min(len(b), mostSaid-c.text.Len())
	c.text.Write(b[:fits])
	c.cut = c.cut || fits < len(b)
	return len(b), nil
}

// String returns what was kept.
func (c *conversation) String() string {
	c.recorder.Flush()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		return c.text.String() + "\n(and so on)\n"
	}
	return c.text.String()
}

// plan is the command sequence for u, nil if there is none.
func (g *Gateway) plan(u uri.URI, o *fetch.Options) *fetch.Plan {
	p, err := g.client.Plan(u, o)
	if err != nil {
		return nil
	}
	return p
}

// how ends the main part of a page with the fold-out that tells how its object was fetched.
func (p *page) how(plan *fetch.Plan, c *conversation) {
	p.put("</main>\n<footer>\n<details>\n<summary>How was this fetched?</summary>\n")
	if plan != nil {
		var b bytes.Buffer
		render.Plan(&b, plan)
		p.put("<h2>The plan</h2>\n<pre>\n", render.EscapeHTML(b.String()), "</pre>\n")
	}
	p.put("<h2>What was said</h2>\n<pre>\n", render.EscapeHTML(c.String()), "</pre>\n</details>\n</footer>\n")
}
