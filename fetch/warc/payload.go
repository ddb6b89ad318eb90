package warc

import (
	"bufio"
	"bytes"
	"io"
	"net/http/httputil"
	"net/textproto"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
)

// splitMessage splits the block of a record into the head and body of an HTTP message. If the block is not one, also after an error, head is nil and
// body is the whole block.
func splitMessage(r *Record) (head []byte, body *pieces.Ahead, err error) {
	body = &pieces.Ahead{Rest: r.Block}
	if !strings.HasPrefix(r.MediaType(), "application/http") {
		return nil, body, nil
	}
	if body.Fill(len("HTTP/")); r.Type() == Response && !bytes.HasPrefix(body.Held, []byte("HTTP/")) {
		return nil, body, nil // an HTTP/0.9 Simple-Response has no head (RFC 1945 section 6)
	}
	for {
		end := headEnd(body.Held)
		switch {
		case end >= 0:
			head, body.Held = body.Held[:end:end], body.Held[end:]
			return head, body, nil
		case body.Err != nil && body.Err != io.EOF:
			return nil, body, body.Err
		case body.Err != nil || len(body.Held) > maxHead:
			return nil, body, fetch.Errorf(fetch.ErrProtocol, "incomplete header in the archived message")
		}
		body.More(max(4<<10, len(body.Held)))
	}
}

// unchunked returns a body without its transfer coding.
//
// QUIRK: some crawlers decode bodies but store them under the head that declares the coding; the readers of warcio, warcio.js and jwarc
// return such bodies unchanged (their tests have them).
func unchunked(head []byte, body *pieces.Ahead) io.Reader {
	if !isChunked(fields(head)) || !beginsChunk(body) {
		return body
	}
	return httputil.NewChunkedReader(body)
}

func isChunked(h textproto.MIMEHeader) bool {
	return strings.HasSuffix(strings.ToLower(h.Get("Transfer-Encoding")), "chunked")
}

// maxChunkLine is how much is read to recognize the first chunk's line.
const maxChunkLine = 64

// beginsChunk reports whether body begins with a chunk's line: a hexadecimal number, and perhaps an extension (RFC 9112 section 7.1).
func beginsChunk(body *pieces.Ahead) bool {
	body.Fill(maxChunkLine)
	b := body.Held[:min(maxChunkLine, len(body.Held))]
	digits := len(b) - len(bytes.TrimLeft(b, "0123456789abcdefABCDEF"))
	rest := bytes.TrimLeft(b[digits:], " \t")
	return 0 < digits && digits <= 16 && (len(rest) == 0 && len(b) < maxChunkLine || len(rest) > 0 && strings.IndexByte("\r\n;", rest[0]) >= 0)
}

// repaired returns the message of a response record. It removes from the head the codings that the body does not have (any more): see
// unchunked.
func repaired(r *Record) (io.Reader, error) {
	head, body, err := splitMessage(r)
	if isFormat(err) {
		return nil, err
	}
	if err != nil || head == nil {
		return body, nil
	}
	body.Fill(4 << 10)
	h, begin := fields(head), make([]byte, len(gzipMagic))
	n, _ := io.ReadFull(unchunked(head, &pieces.Ahead{Rest: bytes.NewReader(body.Held)}), begin)
	isCoded := n == 0 || beginsCoding(strings.ToLower(strings.TrimSpace(h.Get("Content-Encoding"))), begin[:n])
	if isCoded && (!isChunked(h) || len(body.Held) == 0 || beginsChunk(body)) {
		return io.MultiReader(bytes.NewReader(head), body), nil
	}
	honest := unframed(head)
	if !isCoded {
		honest = without(honest, "content-encoding")
	}
	return io.MultiReader(bytes.NewReader(honest), unchunked(head, body)), nil
}

// gzipMagic begins every gzip member.
const gzipMagic = "\x1f\x8b"

// beginsCoding reports whether b may begin a body in the named content coding. A coding without a magic number always may.
func beginsCoding(name string, b []byte) bool {
	if name == "gzip" || name == "x-gzip" {
		return strings.HasPrefix(string(b), gzipMagic)
	}
	return true
}

// fields parses the header fields of a message's head as far as possible.
func fields(head []byte) textproto.MIMEHeader {
	_, rest, _ := bytes.Cut(head, []byte("\n"))
	h, _ := textproto.NewReader(bufio.NewReaderSize(bytes.NewReader(rest), 256)).ReadMIMEHeader()
	return h
}

// unframed returns a head without the fields about the body's length: the body ends with the connection.
func unframed(head []byte) []byte {
	return without(head, "transfer-encoding", "content-length", "connection", "keep-alive")
}

// without returns a head without the named fields.
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

// statusLine parses the first line of a response's head. The status is 0 if it is not one.
func statusLine(head []byte) (version string, status int) {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	version, rest, _ := strings.Cut(string(line), " ")
	if strings.HasPrefix(version, "HTTP/") {
		status, _ = strconv.Atoi(rest[:min(3, len(rest))])
	}
	return version, status
}
