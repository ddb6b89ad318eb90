package warc

import (
	"cmp"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/uri"
)

// A capture is what one Plan brings: HTTP's messages, or a conversation and the object.
type capture struct {
	rec   *Recorder
	plan  *fetch.Plan
	start time.Time

	mu     sync.Mutex         // Trace may come from anywhere
	talk   *spool             // the conversation in words
	script *dialogue.Recorder // nil until there is something to say
	words  []fetch.Event      // until then
	http   map[int]*message   // by connection, the exchange in hand
	done   []*message         // all exchanges in order
	asked  *message           // the exchange in hand of HTTP/2
	first  int                // the first connection
	told   int64

	out     Outcome
	doc     *fetch.Document
	object  *spool
	entries *spool // of the object, where it is a listing
}

// Bounds of the conversation, beyond which it says only how much there was.
const (
	briefly = 1 << 10  // octets of a Body that is kept in a record of its own
	wholly  = 16 << 20 // octets of all else

	maxWords = 64
)

func newCapture(r *Recorder, p *fetch.Plan) *capture {
	c := &capture{rec: r, plan: p, start: r.w.o.now(), talk: r.spool(), object: r.spool(), entries: r.spool(), http: map[int]*message{}}
	c.object.long = func([]byte) *sums { return &sums{newRunning(0, sha256.New()), newRunning(0, sha1.New())} }
	c.out.URI = target(p.URI)
	return c
}

// Trace takes the conversation: HTTP's octets as they are, and of all other protocols a readable script.
func (c *capture) Trace(e fetch.Event) {
	if e.Dir == fetch.InWords && e.Mark != "" {
		c.rec.conns.note(e)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.Step != nil {
		c.ask(*e.Step)
	}
	if c.first == 0 {
		c.first = e.Conn
	}
	if e.Mark == fetch.MarkEnd && c.http[e.Conn] != nil {
		c.http[e.Conn].closed = true
	}
	switch {
	case e.Dir == fetch.InWords && len(c.words) < maxWords && c.script == nil:
		c.words = append(c.words, e)
	case e.Dir != fetch.InWords && c.hear(e): // it has records of its own
	case !c.leavesOut(e):
		c.say(e)
	}
}

// say writes the conversation. It is not begun before it is known to be wanted: HTTP's messages need none.
func (c *capture) say(e fetch.Event) {
	c.begin()
	c.script.Trace(e)
}

func (c *capture) begin() {
	if c.script != nil {
		return
	}
	c.script = dialogue.NewRecorder(c.talk)
	for _, w := range c.words {
		c.script.Trace(w)
	}
}

// hear takes the octets of HTTP, and reports whether they are that.
func (c *capture) hear(e fetch.Event) bool {
	if c.h2(e) {
		return true
	}
	m := c.http[e.Conn]
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
		c.http[e.Conn] = m
	}
	m.request.Write(e.Data)
	return true
}

// leavesOut keeps long bodies out of the conversation: they have records of their own.
func (c *capture) leavesOut(e fetch.Event) bool {
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

// Opened notes what Run says of the document.
func (c *capture) Opened(d *fetch.Document) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.note(d)
	c.doc = d
}

// Octets takes the object, unless HTTP's response has it.
func (c *capture) Octets(p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.done) == 0 {
		c.object.Write(p)
	}
}

// End writes the records.
func (c *capture) End(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.close()
	c.out.ended(err)
	records := c.records()
	if err := c.spoiled(); err != nil {
		c.rec.w.fail(err)
		return
	}
	if c.rec.w.Write(records...) == nil {
		c.rec.seen.add(records)
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

func (c *capture) close() {
	c.talk.close()
	c.object.close()
	c.entries.close()
	for _, m := range c.done {
		m.close()
	}
}

// records are what is written of the capture.
func (c *capture) records() []*Record {
	if len(c.done) == 0 {
		return c.resource()
	}
	var all []*Record
	for i, m := range c.done {
		m.weigh(c.rec)
		why := "unspecified"
		if i == len(c.done)-1 {
			why = cmp.Or(c.out.reason(), why)
		}
		all = append(all, c.exchange(m, why)...)
	}
	if !c.done[len(c.done)-1].intact {
		all = append(all, c.conversation(all))
	}
	return all
}

// resource is the object of a protocol without messages of its own, and the conversation that brought it.
func (c *capture) resource() []*Record {
	var all []*Record
	if c.object.size > 0 || c.out.isObject() {
		r := newRecord(Resource, c.out.URI, stampOf(c.start))
		c.describe(r, c.first, c.protocol())
		r.Fields.add("Content-Type", cmp.Or(c.out.Type, "application/octet-stream"))
		r.Fields.add("WARC-Truncated", c.out.reason())
		r.entry = entry{status: 200, media: c.out.Type}
		c.store(r, c.object, 0, 0, c.rec.digestOf(c.object, 0, c.object.size))
		all = append(all, r)
		if c.list(); c.entries.size > 0 {
			all = append(all, c.conversion(r))
		}
	}
	return append(all, c.conversation(all))
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
	enc := json.NewEncoder(c.entries)
	enc.SetEscapeHTML(false)
	for e, err := range entries {
		if err != nil || enc.Encode(e) != nil {
			return
		}
	}
}

// conversion is a listing in the form of fetch.ListingType.
func (c *capture) conversion(of *Record) *Record {
	r := newRecord(Conversion, c.out.URI, stampOf(c.start))
	r.Fields.add("WARC-Refers-To", of.ID())
	r.Fields.add("Content-Type", fetch.ListingType)
	r.put(c.entries, 0, c.entries.size)
	return r
}

// conversation is the metadata record that goes with others.
func (c *capture) conversation(others []*Record) *Record {
	c.begin()
	c.script.Flush()
	all := c.rec.spool()
	all.Write(c.out.comments())
	io.Copy(all, c.talk.from(0))
	c.talk.close()
	c.talk = all
	r := newRecord(Metadata, c.out.URI, stampOf(c.start))
	c.describe(r, c.first, c.protocol())
	for _, o := range others {
		r.Fields.add("WARC-Concurrent-To", o.ID())
	}
	r.Fields.add("Content-Type", DialogueType)
	r.put(all, 0, all.size)
	return r
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
