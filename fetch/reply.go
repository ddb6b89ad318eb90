package fetch

import (
	"io"
	"time"
)

// A readMode is the kind of input that a Conn is reading.
type readMode int

const (
	readBody       readMode = iota // a document: each silence has its own deadline
	readReply                      // a reply: one deadline and one limit for all of it
	readUntilClose                 // a reply that the peer's close may end
)

// BeginReply starts the wait for one reply, header block or frame, which is due now. It must arrive within Timeouts.Idle, and one second
// more for each replyRate bytes of it that have arrived; no silence within it may be longer than Timeouts.Idle. So a large reply over a
// slow line is read to its end, while a peer that drips gains nothing. Limits.Reply bounds its length, and with that its time.
//
// If the peer closes the connection before the first byte of the reply, Read and ReadLine return ErrConnection. If it closes later, they
// return ErrTruncated. A handler therefore does not look for io.EOF in a reply.
//
// A reply that is itself a document up to the close begins with BeginReply and BeginBody, one after the other: a close before its first
// byte is ErrConnection, a later one io.EOF. Without BeginReply, a close before the first byte is io.EOF, too: an empty document, which nex
// makes ErrTruncated.
func (c *Conn) BeginReply() { c.begin(readReply, true) }

// BeginPart starts the wait for a further part of a reply: the next frame of a search result, the trailer after a body. It is like
// BeginReply, with a deadline and limit of its own, but a close is ErrTruncated also before the part's first byte, unless all of the
// reply is still due.
func (c *Conn) BeginPart() { c.begin(readReply, false) }

// BeginUntilClose is BeginReply for a reply that the peer may end by closing the connection, such as the first screen of a terminal. A
// close after its first byte is io.EOF.
func (c *Conn) BeginUntilClose() { c.begin(readUntilClose, true) }

// BeginBody ends a reply: what follows is a body, whose length is not bounded here. Each Read has a deadline of its own. The peer's close
// is io.EOF, unless the first byte of a reply is still due; a handler that expects more returns it as it is, and the Client makes it
// ErrTruncated. If the reply has brought something, a break in the body is ErrTruncated, too.
func (c *Conn) BeginBody() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mode = readBody
	c.talk.phase = ""
	c.inReply.Store(false)
	c.replyEnd, c.replyLeft = time.Time{}, -1
	c.pace = Pace{}
}

func (c *Conn) begin(m readMode, first bool) {
	announced := ""
	if r := c.working(); r != nil {
		announced = r.lastStep()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mode = m
	c.noteReply(first, announced)
	c.inReply.Store(true)
	c.replyLeft = c.limits.Reply
	if first {
		c.received = int64(c.reader.buffered()) // sent together with an earlier reply
		c.due = c.received == 0
	}
	c.replyEnd = c.newDeadline(time.Now())
	c.setReadDeadline(c.replyEnd)
}

// endOfReply sets the kind of the end of the connection if a reply is due or has begun. It is called after the end is in the trace.
func (c *Conn) endOfReply(err error) error {
	if err != io.EOF && KindOf(err) != ErrTruncated {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.due:
		return &Error{Kind: ErrConnection, Text: "the server closed the connection without an answer", Err: io.ErrUnexpectedEOF}
	case err == io.EOF && c.mode == readReply:
		return &Error{Kind: ErrTruncated, Text: "the server closed the connection within a reply", Err: io.ErrUnexpectedEOF}
	}
	return err
}
