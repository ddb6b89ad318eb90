package warc

import (
	"io"
	"net/http"
	"net/http/httputil"

	"example.org/deref/fetch/mediatype"
)

// identified returns the value of WARC-Identified-Payload-Type for a payload that begins with head: its type by its bytes alone (ISO
// 28500:2017 section 5.16).
func identified(head []byte) string {
	t := mediatype.OfContent(head)
	if t == "text/plain" {
		return mediatype.Essence(http.DetectContentType(head)) // it also knows HTML and XML
	}
	return t
}

// payloadHead returns the beginning of the payload, without the chunked coding.
func (m *message) payloadHead() []byte {
	if !m.head.chunked {
		return m.response.bytes(m.head.end, m.head.end+min(m.payload.size, mediatype.HeadLen))
	}
	b := make([]byte, mediatype.HeadLen)
	n, _ := io.ReadFull(httputil.NewChunkedReader(m.response.from(m.head.end)), b)
	return b[:n]
}
