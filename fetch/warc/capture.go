package warc

import (
	"cmp"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
)

// A capture collects what one Plan produces: HTTP messages, or a dialogue and the object.
type capture struct {
	rec   *Recorder
	plan  *fetch.Plan
	start time.Time

	dialogue  spool                    // the dialogue as text
	script    *dialogue.Recorder       // writes to it
	messages  []*message               // all HTTP exchanges in order
	h2Message *message                 // the current exchange over HTTP/2
	first     int                      // the first connection
	redact    func(line []byte) []byte // masks the secrets in decoded text
	recorded  int64
	isKnown   bool        // the document is in an earlier archive
	names     hiddenNames // of users, in the conversation

	out     Outcome
	doc     *fetch.Document
	object  spool
	entries spool // of the object, if it is a listing
	records []*Record
	chains  []*Record // of certificates, after the others
}

// Bounds of the dialogue. Beyond them it contains only how much was left out.
const (
	maxBodyDialogue = 1 << 10  // bytes of a Body that has a record of its own
	maxDialogue     = 16 << 20 // bytes of anything else
)

// begin returns a capture of p, which requests the URI to.
func (r *Recorder) begin(p *fetch.Plan, to string) *capture {
	c := &capture{rec: r, plan: p, start: r.w.o.now(), dialogue: r.spool(), object: r.spool(), entries: r.spool()}
	c.script = dialogue.NewRecorder(&c.dialogue)
	if r.w.o.Date != nil {
		if t := r.w.o.Date(p); !t.IsZero() {
			c.start = t
		}
	}
	if r.w.o.HideUsers {
		c.names = namesIn(p)
	}
	c.out.URI, c.out.Selection = to, selectionOf(p.URI, p.Options)
	return c
}

// close frees the resources of c.
func (c *capture) close() {
	if k := c.rec.w.o.Known; k != nil {
		k.same.Delete(c.plan)
	}
	c.dialogue.close()
	c.object.close()
	c.entries.close()
	for _, m := range c.messages {
		m.close()
	}
}

// trace records the dialogue: HTTP as its raw messages, and every other protocol as a readable script.
func (c *capture) trace(e *fetch.Event) {
	if e.Step != nil {
		c.addStep(*e.Step)
	}
	if c.first == 0 {
		c.first = e.Conn
	}
	if e.Mark == fetch.MarkEnd {
		if m := c.currentMessage(e.Conn); m != nil {
			m.closed = true
		}
	}
	isHTTP := e.Dir != fetch.InWords && c.recordHTTP(e) // its messages have their own records
	if !isHTTP && !c.omits(e) {
		c.script.Trace(c.names.hideIn(*e))
	}
}

// recordHTTP records the bytes of HTTP messages. It reports whether e is part of one.
func (c *capture) recordHTTP(e *fetch.Event) bool {
	m := c.currentMessage(e.Conn)
	if m == nil && c.h2(e) {
		return true
	}
	if e.Dir == fetch.FromServer {
		if m != nil {
			m.response.Write(e.Data)
		}
		return m != nil
	}
	if m == nil && !isRequest(e.Data) {
		return false
	}
	if m == nil || m.response.size > 0 {
		m = c.newMessage(e.Conn, e.Data)
	}
	m.request.Write(e.Data)
	return true
}

// currentMessage returns the latest HTTP/1 exchange on a connection, or nil.
func (c *capture) currentMessage(conn int) *message {
	for i := len(c.messages) - 1; i >= 0; i-- {
		if m := c.messages[i]; m.conn == conn && !m.framed {
			return m
		}
	}
	return nil
}

// omits keeps long bodies out of the dialogue: they have records of their own.
func (c *capture) omits(e *fetch.Event) bool {
	if e.Dir == fetch.InWords || e.Text && !c.out.LeftOut {
		return false
	}
	most := int64(maxDialogue)
	if c.out.Opened && !c.out.Entries && e.Dir == fetch.FromServer && !e.Text {
		most = maxBodyDialogue
	}
	if c.recorded += int64(len(e.Data)); c.recorded > most {
		c.out.LeftOut = c.out.LeftOut || !e.Text
	}
	return c.recorded > most && !e.Text
}

// opened notes the fields of the document.
func (c *capture) opened(d *fetch.Document) {
	c.out.setDocument(d)
	c.doc = d
}

// octets records the object, unless it is in an HTTP response.
func (c *capture) octets(p []byte) {
	if len(c.messages) > 0 {
		return
	}
	if _, ok := c.confirmed(); !ok {
		c.object.Write(p)
	}
}

// end writes the records.
func (c *capture) end(err error) {
	c.out.setError(err)
	if c.doc != nil {
		c.out.Missing = c.doc.Missing // may be known only now
	}
	c.out.Error, c.out.Reason = c.names.hideText(c.out.Error), c.names.hideText(c.out.Reason)
	c.makeRecords()
	if err := c.spoolError(); err != nil {
		c.rec.w.fail(err)
		return
	}
	c.rec.w.log(c)
	c.records = append(c.records, c.chains...)
	for _, r := range c.records {
		r.compact = c.isKnown
	}
	if c.rec.w.Write(c.records...) == nil && !c.rec.w.o.OnlyAdded {
		c.rec.w.stored.addAll(c.records)
	}
}

// spoolError returns the first error of buffering data: a part must not be written as if it were everything.
func (c *capture) spoolError() error {
	err := cmp.Or(c.dialogue.err, c.object.err, c.entries.err)
	for _, m := range c.messages {
		err = cmp.Or(err, m.request.err, m.response.err)
	}
	return err
}
