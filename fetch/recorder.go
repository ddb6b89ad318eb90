package fetch

import (
	"encoding/json"
	"io"
	"iter"
)

// A Recorder sees what a Client does, one URI at a time and down to the octets: package warc makes archives of it. What it sees has
// no secrets in it but those that a server repeats in a document, as in every trace.
type Recorder interface {
	// Begin is called before a checked Plan is carried out, for each referral's anew. nil takes no notice of it.
	Begin(p *Plan) Recording
}

// A Recording is what a Recorder makes of one Plan. Trace may be called concurrently; the others are called one after the other.
type Recording interface {
	Trace(Event)        // the conversation, as Options.Trace has it
	Opened(d *Document) // what Run has returned; its Body must not be read
	Octets(p []byte)    // of the Body, as they are read; valid only during the call
	// End is called once and last: with nil when the Body was read to its confirmed end, io.ErrClosedPipe when it was closed before
	// that, otherwise with the error of the request.
	End(err error)
}

// A Decoder is an Account that reads what octets say in a code (HPACK), where no secret could be blanked before. Hiding is called first, with
// a function that blanks those of a line.
type Decoder interface {
	Hiding(blank func(line []byte) []byte)
}

// witness lets the Client's Recorder see the request.
func (e *Env) witness() {
	if e.client.Recorder == nil {
		return
	}
	if e.recording = e.client.Recorder.Begin(e.plan); e.recording == nil {
		return
	}
	if d, ok := e.recording.(Decoder); ok {
		d.Hiding(e.secrets.MaskReply)
	}
	e.recording = outsideAccount{e.recording, e}
	if own := e.trace; own != nil {
		e.trace = func(ev Event) { own(ev); e.recording.Trace(ev) }
	} else {
		e.trace = e.recording.Trace
	}
}

// Recorded reports whether somebody takes down all that a server says: then what is no part of the Document is read to its end too,
// as long as it is short (the page that comes with a refusal).
func (e *Env) Recorded() bool { return e.recording != nil }

// show lets the Recorder see the Document. The entries of a listing without octets are its octets in JSON.
func (e *Env) show(d *Document) {
	if e.recording == nil {
		return
	}
	e.recording.Opened(d)
	if d.made != nil && d.Entries != nil {
		d.Entries = e.retold(d.Entries, d.made)
	}
}

// ended tells the Recorder how the request ended.
func (e *Env) ended(err error) {
	if e.recording == nil {
		return
	}
	if err == io.EOF {
		err = nil
	}
	e.recording.End(err)
}

// retold are entries that the Recorder sees as the lines that the Body would have had.
func (e *Env) retold(entries iter.Seq2[Entry, error], l *listing) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for entry, err := range entries {
			if err == nil {
				line, _ := json.Marshal(entry)
				e.recording.Octets(append(line, '\n'))
			} else {
				l.err = err
			}
			if !yield(entry, err) {
				return
			}
		}
		if l.err == nil {
			l.err = io.EOF
		}
	}
}

// teller writes, and lets the Recorder see it.
type teller struct {
	io.Writer
	recording Recording
}

func (t teller) Write(p []byte) (int, error) {
	n, err := t.Writer.Write(p)
	t.recording.Octets(p[:n])
	return n, err
}

// leave closes a document that has led elsewhere. What a Recorder takes down of it is whole if it is short.
func (c *Client) leave(d *Document) {
	if c.Recorder != nil {
		io.CopyN(io.Discard, d.Body, maxLeft)
	}
	d.Body.Close()
}

// maxLeft bounds how much of a document that leads elsewhere is read for a Recorder.
const maxLeft = 64 << 10
