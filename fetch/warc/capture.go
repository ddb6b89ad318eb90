package warc

import (
	"cmp"
	"encoding/json"
	"io"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/uri"
)

// A capture is what one Plan brings: HTTP's messages, or a conversation and the object. It is used again and again, and so is all that
// it holds: what an archive costs of a short document is mostly memory taken and given back.
type capture struct {
	rec   *Recorder
	plan  *fetch.Plan
	start time.Time

	talk   spool                    // the conversation in words
	script *dialogue.Recorder       // nil until there is something to say
	words  []fetch.Event            // until then
	done   []*message               // all exchanges of HTTP in order; beyond len those of earlier captures
	asked  *message                 // the exchange in hand of HTTP/2
	first  int                      // the first connection
	blank  func(line []byte) []byte // what is decoded here loses its secrets by it
	told   int64

	out     Outcome
	doc     *fetch.Document
	object  spool
	entries spool // of the object, where it is a listing
	all     []*Record
}

// Bounds of the conversation, beyond which it says only how much there was.
const (
	briefly = 1 << 10  // octets of a Body that is kept in a record of its own
	wholly  = 16 << 20 // octets of all else

	maxWords = 64
)

// begin makes c a capture of p.
func (c *capture) begin(r *Recorder, p *fetch.Plan) {
	c.rec, c.plan, c.start = r, p, r.w.o.now()
	c.talk, c.object, c.entries = r.spool(), r.spool(), r.spool()
	c.object.long = sumsOfObject
	c.out.URI, c.out.Asked = target(wanted(p)), asked(p.URI, p.Options)
}

// clear forgets all that c holds, but keeps the room for it.
func (c *capture) clear() {
	c.talk.close()
	c.object.close()
	c.entries.close()
	for _, m := range c.done {
		m.close()
	}
	clear(c.words)
	*c = capture{words: c.words[:0], done: c.done[:0], all: c.all[:0]}
}

// trace takes the conversation: HTTP's octets as they are, and of all other protocols a readable script.
func (c *capture) trace(e *fetch.Event) {
	if e.Step != nil {
		c.ask(*e.Step)
	}
	if c.first == 0 {
		c.first = e.Conn
	}
	if e.Mark == fetch.MarkEnd {
		if m := c.inHand(e.Conn); m != nil {
			m.closed = true
		}
	}
	switch {
	case e.Dir == fetch.InWords && len(c.words) < maxWords && c.script == nil:
		c.words = append(c.words, *e)
	case e.Dir != fetch.InWords && c.hear(e): // it has records of its own
	case !c.leavesOut(e):
		c.say(e)
	}
}

// say writes the conversation. It is not begun before it is known to be wanted: HTTP's messages need none.
func (c *capture) say(e *fetch.Event) {
	c.speak()
	c.script.Trace(*e)
}

func (c *capture) speak() {
	if c.script != nil {
		return
	}
	c.script = dialogue.NewRecorder(&c.talk)
	for _, w := range c.words {
		c.script.Trace(w)
	}
}

// hear takes the octets of HTTP, and reports whether they are that.
func (c *capture) hear(e *fetch.Event) bool {
	m := c.inHand(e.Conn)
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

// inHand is the latest exchange of HTTP/1 on a connection, nil if there is none.
func (c *capture) inHand(conn int) *message {
	for i := len(c.done) - 1; i >= 0; i-- {
		if m := c.done[i]; m.conn == conn && !m.framed {
			return m
		}
	}
	return nil
}

// leavesOut keeps long bodies out of the conversation: they have records of their own.
func (c *capture) leavesOut(e *fetch.Event) bool {
	if e.Dir == fetch.InWords || e.Text && !c.out.LeftOut {
		return false
	}
	most := int64(wholly)
	if c.out.Opened && !c.out.Entries && e.Dir == fetch.FromServer && !e.Text {
		most = briefly
	}
	if c.told += int64(len(e.Data)); c.told > most {
		c.out.LeftOut = c.out.LeftOut || !e.Text
	}
	return c.told > most && !e.Text
}

// opened notes what Run says of the document.
func (c *capture) opened(d *fetch.Document) {
	c.out.note(d)
	c.doc = d
}

// octets takes the object, unless HTTP's response has it.
func (c *capture) octets(p []byte) {
	if len(c.done) == 0 {
		c.object.Write(p)
	}
}

// end writes the records.
func (c *capture) end(err error) {
	c.out.ended(err)
	c.records()
	if err := c.spoiled(); err != nil {
		c.rec.w.fail(err)
		return
	}
	if c.rec.w.Write(c.all...) == nil {
		c.rec.seen.add(c.all)
	}
}

// spoiled is the first error of holding what came: half of it is not written as if it were the whole.
func (c *capture) spoiled() error {
	err := cmp.Or(c.talk.err, c.object.err, c.entries.err)
	for _, m := range c.done {
		err = cmp.Or(err, m.request.err, m.response.err)
	}
	return err
}

// newRecord begins the next record.
func (c *capture) newRecord(kind string, at stamp) *Record {
	n := len(c.all)
	if n == cap(c.all) {
		c.all = append(c.all, &Record{Fields: make(Fields, 0, 16)})
	} else if c.all = c.all[:n+1]; c.all[n] == nil {
		c.all[n] = &Record{Fields: make(Fields, 0, 16)}
	}
	c.all[n].begin(kind, c.out.URI, at)
	return c.all[n]
}

// records are what is written of the capture.
func (c *capture) records() {
	if len(c.done) == 0 {
		c.resource()
		return
	}
	for i, m := range c.done {
		m.weigh(c.rec)
		why := "unspecified"
		if i == len(c.done)-1 {
			why = cmp.Or(c.out.reason(), why)
		}
		c.exchange(m, why)
	}
	if !c.done[len(c.done)-1].intact {
		c.conversation()
	}
}

// resource is the object of a protocol without messages of its own, and the conversation that brought it.
func (c *capture) resource() {
	c.out.Range = c.isStretch()
	if c.object.size > 0 || c.out.isObject() {
		r := c.newRecord(Resource, stampOf(c.start))
		r.describe(c.rec.conns.get(c.first), c.protocol())
		r.Fields.add("Content-Type", cmp.Or(c.out.Type, "application/octet-stream"))
		r.Fields.add("WARC-Truncated", c.out.reason())
		r.entry = entry{status: 200, media: c.out.Type}
		c.store(r, &c.object, 0, 0, c.rec.digestOf(&c.object, 0, c.object.size))
		if c.list(); c.entries.size > 0 {
			c.conversion(r)
		}
	}
	c.conversation()
}

// list reads the entries of a listing from its octets: nothing else needs to know then how its protocol writes them.
func (c *capture) list() {
	if c.doc == nil {
		return
	}
	entries := c.doc.EntriesIn(c.object.from(0))
	if entries == nil {
		return
	}
	enc := json.NewEncoder(&c.entries)
	enc.SetEscapeHTML(false)
	for e, err := range entries {
		if err != nil || enc.Encode(e) != nil {
			return
		}
	}
}

// conversion is a listing in the form of fetch.ListingType.
func (c *capture) conversion(of *Record) {
	r := c.newRecord(Conversion, stampOf(c.start))
	r.Fields.add("WARC-Refers-To", of.ID())
	r.Fields.add("Content-Type", fetch.ListingType)
	r.put(&c.entries, 0, c.entries.size)
}

// conversation is the metadata record that goes with the others.
func (c *capture) conversation() {
	c.speak()
	c.script.Flush()
	said := c.rec.spool()
	said.Write(c.out.comments())
	io.Copy(&said, c.talk.from(0))
	c.talk.close()
	c.talk = said
	others := c.all
	r := c.newRecord(Metadata, stampOf(c.start))
	r.describe(c.rec.conns.get(c.first), c.protocol())
	for _, o := range others {
		r.Fields.add("WARC-Concurrent-To", o.ID())
	}
	r.Fields.add("Content-Type", DialogueType)
	r.put(&c.talk, 0, c.talk.size)
}

// target is the URI as it is written into records: without a password, as every Plan's, and without what would end a field's value.
func target(u uri.URI) string {
	s := u.WithoutFragment().String()
	if strings.ContainsAny(s, "<> ") {
		s = strings.NewReplacer("<", "%3C", ">", "%3E", " ", "%20").Replace(s)
	}
	return s
}

// protocol is the word of WARC-Protocol, "" where its proposal has none: the URI says it then.
func (c *capture) protocol() string {
	switch s := c.plan.URI.Scheme(); strings.TrimSuffix(s, "s") {
	case "ftp", "gopher", "gemini":
		return strings.TrimSuffix(s, "s")
	}
	return ""
}
