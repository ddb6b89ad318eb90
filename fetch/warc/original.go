package warc

// A StoredRecord describes a record that a Writer has written, and that an index has.
type StoredRecord struct {
	Target   string   // of the document (see Target), also if the record is about its failure
	File     string   // name of the finished archive
	Offset   int64    // in it, as in the index
	Original Original // the zero value if the record does not store a payload, or not completely
}

// An Original identifies the record that stores a payload. The records of later copies refer to it.
type Original struct {
	ID     string `json:"id"` // WARC-Record-ID
	Target string `json:"target,omitempty"`
	Date   string `json:"date"`           // WARC-Date
	Digest string `json:"digest"`         // WARC-Payload-Digest
	HTTP   bool   `json:"http,omitempty"` // the record is an HTTP response
}

// identity returns what revisits of r need.
func (r *Record) identity() Original {
	return Original{r.ID(), r.Target(), r.Fields.Get("WARC-Date"), r.Fields.Get("WARC-Payload-Digest"), r.Type() == Response}
}

// AddOriginal makes the Writer refer to a record of another archive, which both archives' readers must have, in place of storing its payload
// again. Of several with a payload, it is the last. It ignores an Original without a SHA-1 digest.
func (w *Writer) AddOriginal(o Original) {
	if sum, ok := parseSHA1(o.Digest); ok {
		o.Digest = payloadDigest{sum: sum}.String()
		w.stored.put(o, true)
	}
}
