package warc

import (
	"time"

	"golang.org/x/net/http2/hpack"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// SetNow replaces the clock of a Writer.
func SetNow(o *Options, now func() time.Time) { o.now = now }

// InMemory is how much of a block is held in memory.
const InMemory = inMemory

// LostConversation returns the error of a capture whose conversation was not buffered completely.
func LostConversation(err error) error {
	c := (&Recorder{w: &Writer{o: Options{now: time.Now}}}).begin(&fetch.Plan{URI: uri.MustParse("finger://h/"), Options: &fetch.Options{}}, "")
	c.dialogue.err = err
	c.conversation()
	return c.spoolError()
}

// FramedHead returns the head of an HTTP/2 response with these fields in an archive.
func FramedHead(fields ...hpack.HeaderField) string { return string(headOf("200", fields, nil)) }
