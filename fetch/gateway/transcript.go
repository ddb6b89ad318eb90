package gateway

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

// maxTranscript bounds the transcript of a page.
const maxTranscript = 32 << 10

// A transcript keeps the beginning of a dialogue with its times, as `deref -v` shows it: the lines of line protocols, the decoded frames or the
// steps of others, without bodies. The Client hides secrets.
type transcript struct {
	mu       sync.Mutex
	recorder *dialogue.Recorder
	began    time.Time
	now      time.Time // of the event that is being recorded
	lines    []said
	last     strings.Builder // the text of the last line
	conn     int             // the Client's number of the first connection; 0 if there is none
	fresh    bool            // it was opened for this request
	size     int
	cut      bool
}

// A said is what the client has sent together, a reply or what else the server has sent in a row, or one event.
type said struct {
	after time.Duration // since the first event
	who   string        // "C", "S" or "*", and the number of a connection that is not the first
	text  string        // lines with a head, as "C: "
	final bool          // the last line ends a reply
}

func newTranscript() *transcript {
	c := &transcript{}
	c.recorder = dialogue.NewRecorder(c)
	c.recorder.Brief = true
	return c
}

// traced makes o report the conversation to the transcript that it returns.
func traced(o *fetch.Options) *transcript {
	c := newTranscript()
	o.Trace = c.trace
	return c
}

func (c *transcript) trace(e fetch.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut { // the rest of a long listing costs nothing
		return
	}
	if c.began.IsZero() {
		c.began = e.Time
	}
	c.now = e.Time
	c.conn = cmp.Or(c.conn, e.Conn)
	c.fresh = c.fresh || e.Mark == fetch.MarkOpen && e.Conn == c.conn
	c.recorder.Trace(e)
}

// Write stores the Recorder's lines up to the size limit.
func (c *transcript) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		if c.size += len(line); c.size > maxTranscript {
			c.cut = true
			break
		}
		next := said{c.now.Sub(c.began), speaker(line), line, isFinal(line)}
		if n := len(c.lines); n > 0 && c.lines[n-1].continues(next) {
			c.last.WriteString(line)
			c.lines[n-1].text, c.lines[n-1].final = c.last.String(), next.final
			continue
		}
		c.last.Reset()
		c.last.WriteString(line)
		c.lines = append(c.lines, next)
	}
	return len(b), nil
}

// continues reports whether a line belongs to s: to what the client sends at the same time, or to a reply that has not ended.
func (s *said) continues(line said) bool {
	return s.who == line.who && (s.who[0] == 'C' && s.after == line.after || s.who[0] == 'S' && !s.final)
}

// speaker returns the head of a line: C, S or *, and the number of the connection.
func speaker(line string) string {
	if line[0] != 'C' && line[0] != 'S' {
		return "*"
	}
	return line[:1+len(line[1:])-len(strings.TrimLeft(line[1:], "0123456789"))]
}

// captured makes c the conversation of the capture that has answered, which has no times. Without an archive it does nothing.
func (c *transcript) captured(m *warc.Moment) {
	if m != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		io.WriteString(c, m.Conversation(maxTranscript))
	}
}

// said returns what was said so far, and whether it is only the beginning.
func (c *transcript) said() (list []said, cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recorder.Flush()
	return slices.Clone(c.lines), c.cut
}

// connection returns the Client's number of the first connection, and whether it was opened for this request.
func (c *transcript) connection() (number int, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conn, c.fresh
}

// isFinal reports whether a line of the transcript is the last one of a final reply: it has a code from 200, and then a blank or nothing.
// So is the end of a text.
func isFinal(line string) bool {
	who, reply, _ := strings.Cut(line, ": ")
	code, _, _ := strings.Cut(strings.TrimRight(reply, "\r\n"), " ")
	n, err := strconv.Atoi(code)
	return strings.HasPrefix(who, "S") && (code == "." || err == nil && len(code) == 3 && n >= 200 && n < 600)
}

// plan returns the Plan for u, or nil.
func (g *Gateway) plan(u uri.URI, o *fetch.Options) *fetch.Plan {
	p, err := g.client.Plan(u, o)
	if err != nil {
		return nil
	}
	return p
}

// howFetched writes the section about how the object of a page was fetched: the plan next to the conversation.
func (p *page) howFetched(plan *fetch.Plan, c *transcript) {
	p.put("<details>\n<summary>How was this fetched?</summary>\n")
	p.planAndTalk(plan, c)
	if plan != nil {
		p.put("<p class=\"facts\"><a href=\"%s\">Fetch it again</a> shows the conversation to its end.</p>\n", p.at+conversationPath(plan.URI))
	}
	p.put("</details>\n")
}

// planAndTalk writes a plan next to a conversation. Either may be nil.
func (p *page) planAndTalk(plan *fetch.Plan, c *transcript) {
	p.put("<div class=\"how\">\n")
	if plan != nil {
		p.put("<section>\n<h2>The plan</h2>\n")
		p.plan(plan)
		p.put("<p class=\"facts\"><a href=\"%s\">Explain</a> shows the plan without fetching anything.</p>\n</section>\n",
			path(ownPath+"explain", plan.URI))
	}
	if c != nil {
		p.put("<section>\n<h2>The conversation</h2>\n")
		p.conversation(c, plan)
		p.put("</section>\n")
	}
	p.put("</div>\n")
}

// plan writes what a plan sends.
func (p *page) plan(plan *fetch.Plan) {
	var b bytes.Buffer
	render.Plan(&b, plan)
	p.put("<pre>\n%s</pre>\n", b.String())
}

// conversation writes a sequence diagram: an item for the commands that were sent together with their replies, and for each event. It begins with
// how a kept connection was opened earlier.
func (p *page) conversation(c *transcript, plan *fetch.Plan) {
	list, cut := c.said()
	if len(list) == 0 {
		p.put("<p>Nothing was sent.</p>\n")
		return
	}
	p.put("<p class=\"ends\"><span>client (C)</span> <span>server (S)</span></p>\n<ol class=\"talk\">\n<li>\n")
	earlier := p.g.openings.before(c, plan, list)
	list = append(earlier, list...)
	for i, s := range list {
		if i > 0 && (s.who[0] != 'S' || list[i-1].who[0] == '*') {
			p.put("</li>\n<li>\n")
		}
		kind := map[byte]string{'C': "c", 'S': "s"}[s.who[0]]
		if kind == "" {
			kind = "e"
		}
		when := "earlier"
		if i >= len(earlier) {
			when = sinceStart(c, s)
		}
		p.put("<div class=\"%s\"><time>%s</time> <pre>%s</pre></div>\n", kind, when, strings.TrimRight(s.text, "\n"))
	}
	p.put("</li>\n</ol>\n")
	if cut {
		p.put("<p>(and so on)</p>\n")
	}
}

// sinceStart returns when s began in milliseconds, "" if the times are not known.
func sinceStart(c *transcript, s said) string {
	d := s.after
	if c.began.IsZero() {
		return ""
	}
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// explain serves the plan for u. Nothing is sent.
func (g *Gateway) explain(w http.ResponseWriter, r *http.Request, u uri.URI) {
	note(r).form = "explain"
	note(r).object = u
	o, err := g.options(r)
	var plan *fetch.Plan
	if err == nil {
		if err = g.allowed(u.Scheme()); err == nil {
			plan, err = g.client.Plan(u, o)
		}
	}
	if err != nil {
		g.failure(w, r, u, err)
		return
	}
	g.framed(w, r, frame{status: http.StatusOK, object: u, title: "What would be sent"}, func(p *page) {
		p.put("<p>Nothing has been sent. <a href=\"%s\">Fetch it</a> · <a href=\"%s\">Fetch it and show only the conversation</a></p>\n",
			p.at+Path(u), p.at+conversationPath(u))
		p.plan(plan)
	})
}
