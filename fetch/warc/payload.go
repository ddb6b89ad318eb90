package warc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http/httputil"
	"net/textproto"
	"slices"
	"strings"

	"example.org/deref/fetch"
)

// divide divides the block of a record into the head of the message that it is, if it is one, and what follows.
func divide(r *Record) (head []byte, body io.Reader, err error) {
	if !strings.HasPrefix(r.MediaType(), "application/http") {
		return nil, r.Block, nil
	}
	in := bufio.NewReaderSize(r.Block, maxLine)
	if b, _ := in.Peek(len("HTTP/")); r.Type() == Response && string(b) != "HTTP/" {
		return nil, in, nil // the Simple-Response of HTTP/0.9 is the document alone (RFC 1945 section 6)
	}
	for {
		line, err := in.ReadSlice('\n')
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return nil, nil, err
		}
		if head = append(head, line...); err != nil || len(head) > maxHead {
			return nil, nil, fetch.Errorf(fetch.ErrProtocol, "the archived message has no whole header")
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return head, in, nil
		}
	}
}

// decoded is a body without the coding of its transfer.
//
// QUIRK: some crawlers store bodies that they have decoded under the head that declares the coding; the readers of warcio, warcio.js and jwarc
// give such bodies as they are (their tests have them).
func decoded(head []byte, body io.Reader) io.Reader {
	if !isChunked(fields(head)) {
		return body
	}
	in := bufio.NewReader(body)
	if b, _ := in.Peek(maxChunkLine); !beginsChunk(b) {
		return in
	}
	return httputil.NewChunkedReader(in)
}

func isChunked(h textproto.MIMEHeader) bool {
	return strings.HasSuffix(strings.ToLower(h.Get("Transfer-Encoding")), "chunked")
}

// maxChunkLine is how much is looked at for the line of the first chunk.
const maxChunkLine = 64

// beginsChunk reports whether b begins with the line of a chunk: a number of base 16, and perhaps an extension (RFC 9112 section 7.1).
func beginsChunk(b []byte) bool {
	digits := len(b) - len(bytes.TrimLeft(b, "0123456789abcdefABCDEF"))
	rest := bytes.TrimLeft(b[digits:], " \t")
	return 0 < digits && digits <= 16 && (len(rest) == 0 && len(b) < maxChunkLine || len(rest) > 0 && strings.IndexByte("\r\n;", rest[0]) >= 0)
}

// mended is the message of a response record. Codings that its head declares, and that its body does not have (any more), are removed from the head:
// see decoded.
func mended(r *Record) (io.Reader, error) {
	var seen bytes.Buffer
	all := *r
	all.Block = io.TeeReader(r.Block, &seen)
	head, body, err := divide(&all)
	if isFormat(err) {
		return nil, err
	}
	whole := func() io.Reader { return io.MultiReader(&seen, r.Block) }
	if err != nil || head == nil {
		return whole(), nil
	}
	h := fields(head)
	in := bufio.NewReader(decoded(head, body))
	b, _ := in.Peek(len(gzipMagic))
	isCoded := len(b) == 0 || beginsCoding(strings.ToLower(strings.TrimSpace(h.Get("Content-Encoding"))), b)
	begin, _ := bufio.NewReader(bytes.NewReader(seen.Bytes()[len(head):])).Peek(maxChunkLine)
	if isCoded && (!isChunked(h) || beginsChunk(begin) || len(begin) == 0) {
		return whole(), nil
	}
	rest := io.MultiReader(bytes.NewReader(bytes.Clone(seen.Bytes()[len(head):])), r.Block)
	honest := unframed(head)
	if !isCoded {
		honest = without(honest, "content-encoding")
	}
	return io.MultiReader(bytes.NewReader(honest), decoded(head, rest)), nil
}

// gzipMagic begins every gzip member.
const gzipMagic = "\x1f\x8b"

// beginsCoding reports whether b may begin a body in a content coding. Those without a mark at their beginning always may.
func beginsCoding(name string, b []byte) bool {
	if name == "gzip" || name == "x-gzip" {
		return strings.HasPrefix(string(b), gzipMagic)
	}
	return true
}

// fields are those of a message's head, as far as they can be read.
func fields(head []byte) textproto.MIMEHeader {
	_, rest, _ := bytes.Cut(head, []byte("\n"))
	h, _ := textproto.NewReader(bufio.NewReader(bytes.NewReader(rest))).ReadMIMEHeader()
	return h
}

// unframed is a head without the fields that say where the body ends: the connection's end does.
func unframed(head []byte) []byte {
	return without(head, "transfer-encoding", "content-length", "connection", "keep-alive")
}

// without is a head without the fields of those names.
func without(head []byte, names ...string) []byte {
	out := make([]byte, 0, len(head))
	for line := range bytes.Lines(head) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		if !slices.Contains(names, strings.ToLower(string(name))) {
			out = append(out, line...)
		}
	}
	return out
}

// statusOf is the status of a message's head, 0 if it has none.
func statusOf(head []byte) int {
	var status int
	if line, _, _ := strings.Cut(string(head), "\n"); strings.HasPrefix(line, "HTTP/") {
		_, rest, _ := strings.Cut(line, " ")
		fmt.Sscanf(rest, "%3d", &status)
	}
	return status
}
