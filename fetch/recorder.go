package fetch

import (
	"crypto/x509"
	"encoding/json"
	"io"
	"iter"
)

// A Recorder records what a Client does, one URI at a time and every byte: package warc makes archives of it. Like a trace it contains no
// secrets, except those that a server repeats in a document.
type Recorder interface {
	// Begin is called before a checked Plan is carried out, also for that of a referral. It returns nil to record nothing.
	Begin(p *Plan) Recording
}

// A Recording records one Plan. Trace may be called concurrently; the other methods are called one after the other.
type Recording interface {
	Trace(Event)        // the conversation, as Options.Trace has it
	Opened(d *Document) // the Document of Run; its Body must not be read
	Octets(p []byte)    // bytes of the Body as they are read; valid only during the call
	// End is called once, at the end: with nil if the Body was read to its confirmed end, io.ErrClosedPipe if it was closed earlier,
	// otherwise with the error of the request.
	End(err error)
}

// A Decoder is a Recording that decodes bytes (HPACK) in which secrets could not be masked before. Hiding is called first, with a function
// that masks the secrets in a line.
type Decoder interface {
	Hiding(blank func(line []byte) []byte)
}

// A Witness is a Recording of the certificates with which servers identify themselves. Certificates is called after each TLS handshake,
// before the note of it in Trace: chain is what the server sent, its own certificate first. It must not be changed.
type Witness interface {
	Certificates(conn int, chain []*x509.Certificate)
}

// beginRecording starts the Client's Recorder for the request.
func (e *Env) beginRecording() {
	if e.client.Recorder == nil {
		return
	}
	if e.recording = e.client.Recorder.Begin(e.plan); e.recording == nil {
		return
	}
	if d, ok := e.recording.(Decoder); ok {
		d.Hiding(e.secrets.MaskReply)
	}
	e.witness, _ = e.recording.(Witness)
	e.recording = callersRecording{e.recording, e}
	if own := e.trace; own != nil {
		e.trace = func(ev Event) { own(ev); e.recording.Trace(ev) }
	} else {
		e.trace = e.recording.Trace
	}
}

// Recorded reports whether everything that a server sends is recorded. Then a handler also reads short bodies that are not part of the
// Document to their end, such as the page of a refusal.
func (e *Env) Recorded() bool { return e.recording != nil }

// recordDocument passes the Document to the Recorder. For a listing without bytes of its own, it records the JSON of its entries.
func (e *Env) recordDocument(d *Document) {
	if e.recording == nil {
		return
	}
	e.recording.Opened(d)
	if d.made != nil && d.Entries != nil {
		d.Entries = e.recordEntries(d.Entries, d.made)
	}
}

// endRecording passes the result of the request to the Recorder.
func (e *Env) endRecording(err error) {
	if e.recording == nil {
		return
	}
	if err == io.EOF {
		err = nil
	}
	e.recording.End(err)
}

// recordEntries returns entries that are recorded, when they are yielded, as the lines that the Body would have had.
func (e *Env) recordEntries(entries iter.Seq2[Entry, error], l *listing) iter.Seq2[Entry, error] {
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

// A recordingWriter writes to a connection, and records the written bytes.
type recordingWriter struct {
	io.Writer
	recording Recording
}

func (t recordingWriter) Write(p []byte) (int, error) {
	n, err := t.Writer.Write(p)
	t.recording.Octets(p[:n])
	return n, err
}

// closeRedirected closes a document that refers to another. A recording of it is complete if the document is short.
func (c *Client) closeRedirected(d *Document) {
	if c.Recorder != nil {
		io.CopyN(io.Discard, d.Body, maxRedirectBody)
	}
	d.Body.Close()
}

// maxRedirectBody bounds how much of a document that refers to another is read for a Recorder.
const maxRedirectBody = 64 << 10
