package gateway

import (
	"bytes"
	"io"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

// maxTranscript bounds the transcript of a page.
const maxTranscript = 32 << 10

// A transcript keeps the beginning of a dialogue, as `deref -v` shows it: the lines of line protocols, the steps of others, without bodies.
// The Client hides secrets.
type transcript struct {
	recorder *dialogue.Recorder
	mu       sync.Mutex
	text     bytes.Buffer
	cut      bool
}

func newTranscript() *transcript {
	c := &transcript{}
	c.recorder = dialogue.NewRecorder(c)
	c.recorder.Brief = true
	return c
}

func (c *transcript) trace(e fetch.Event) { c.recorder.Trace(e) }

// Write stores p up to the size limit.
func (c *transcript) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fits := min(len(b), maxTranscript-c.text.Len())
	c.text.Write(b[:fits])
	c.cut = c.cut || fits < len(b)
	return len(b), nil
}

// String returns the stored text.
func (c *transcript) String() string {
	c.recorder.Flush()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		return c.text.String() + "\n(and so on)\n"
	}
	return c.text.String()
}

// captured makes c the conversation of the capture that has answered. Without an archive it does nothing.
func (c *transcript) captured(m *warc.Moment) {
	if m != nil {
		io.WriteString(c, m.Conversation(maxTranscript))
	}
}

// plan returns the Plan for u, or nil.
func (g *Gateway) plan(u uri.URI, o *fetch.Options) *fetch.Plan {
	p, err := g.client.Plan(u, o)
	if err != nil {
		return nil
	}
	return p
}

// howFetched writes the section about how the object of a page was fetched.
func (p *page) howFetched(plan *fetch.Plan, c *transcript) {
	p.put("<details>\n<summary>How was this fetched?</summary>\n")
	if plan != nil {
		var b bytes.Buffer
		render.Plan(&b, plan)
		p.put("<h2>The plan</h2>\n<pre>\n", render.EscapeHTML(b.String()), "</pre>\n")
	}
	p.put("<h2>The dialogue</h2>\n<pre>\n", render.EscapeHTML(c.String()), "</pre>\n</details>\n")
}
