//go:build unix || windows

package hub

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"io"
	"sync"
	"time"

	"example.org/deref/fetch"
)

// A state is the message by which an owner records results, and by which a worker becomes the owner, or ceases to be. Each is accepted only if
// the one before it is the last that the writer has seen, so the messages of former owners are rejected. The last one describes the partition.
//
// The message is a JSON object and, if there are results, an LF and the compressed JSON of Results.
type state struct {
	Worker string `json:"w"` // the lease of the owner; "" is free
	Totals
	Rests   map[string]int64 `json:"rests,omitempty"` // seconds from now for which hosts get no request, rounded up
	Results []Result         `json:"-"`
	time    time.Time        // when the hub stored it; only of a reader
}

// A deflater compresses results and URIs. Those of a message resemble each other and, since they often are few, the dictionary. It is safe for
// concurrent use.
type deflater struct {
	mu  sync.Mutex
	out bytes.Buffer
	w   *flate.Writer // nil until it is needed
}

// dictionary contains what is frequent in results, the most frequent last. To change it is to change the format.
const dictionary = `"error":"refused","error":"auth","error":"tls","error":"dns","error":"timeout","error":"connect","error":"unavailable","error":"notfound","text":"` +
	`},{"n":,"dup":true}"http":true"entries":application/pdfapplication/octet-streamimage/jpegimage/pngtext/gemini.html.htm.txt.zip.pdf/index` +
	`gemini://www.https://www.http://www.ftp://ftp.gopher:///0//1/{"uri":"gopher://{"uri":"ftp://{"uri":"http://{"uri":"https://` +
	`","n":,"size":,"more":{"verdict":"broken","verdict":"ok","final":"https://","ms":` +
	`"more":{"type":"application/gopher-menu","type":"text/plain","type":"text/html","ms":,"file":"worker-00000.warc.gz","at":,"original":{"id":"` +
	`\u003curn:uuid:","date":"2026-01-T:Z","digest":"sha1:"}}},{"uri":"`

// maxResults bounds the JSON of the results in a message.
const maxResults = 64 << 20

// encode returns the message of a state.
func (d *deflater) encode(s *state) ([]byte, error) {
	head, err := json.Marshal(s)
	if err != nil || len(s.Results) == 0 {
		return head, err
	}
	list, err := json.Marshal(s.Results)
	if err != nil {
		return nil, err
	}
	return d.deflate(append(head, '\n'), list)
}

// deflate returns a text compressed, after a head.
func (d *deflater) deflate(head, text []byte) (_ []byte, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.out.Reset()
	d.out.Write(head)
	if d.w == nil {
		d.w, err = flate.NewWriterDict(&d.out, flate.BestCompression, []byte(dictionary))
		if err != nil {
			return nil, err
		}
	} else {
		d.w.Reset(&d.out)
	}
	if _, err := d.w.Write(text); err != nil {
		return nil, err
	}
	if err := d.w.Close(); err != nil {
		return nil, err
	}
	return bytes.Clone(d.out.Bytes()), nil
}

// decodeHead returns the state of a message without its results.
func decodeHead(message []byte) (*state, error) {
	head, _, _ := bytes.Cut(message, []byte("\n"))
	s := &state{}
	return s, json.Unmarshal(head, s)
}

// decode returns the state of a message.
func decode(message []byte) (*state, error) {
	s, err := decodeHead(message)
	_, list, ok := bytes.Cut(message, []byte("\n"))
	if err != nil || !ok {
		return s, err
	}
	text, err := inflate(list, maxResults)
	if err == nil {
		err = json.Unmarshal(text, &s.Results)
	}
	return s, err
}

// inflate reverses deflate.
func inflate(body []byte, most int64) ([]byte, error) {
	r := flate.NewReaderDict(bytes.NewReader(body), []byte(dictionary))
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(text)) > most {
		err = fetch.Errorf(fetch.ErrLimit, "a message has more than %d bytes", most)
	}
	return text, err
}
