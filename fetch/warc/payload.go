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
)

// splitMessage splits the block of a record into the head and body of an HTTP message. head is nil if the block is not one.
func splitMessage(r *Record) (head []byte, body io.Reader, err error) {
	if !strings.HasPrefix(r.MediaType(), "application/http") {
		return nil, r.Block, nil
	}
	in := bufio.NewReaderSize(r.Block, maxLine)
	if b, _ := in.Peek(len("HTTP/")); r.Type() == Response && string(b) != "HTTP/" {
		return nil, in, nil // an HTTP/0.9 Simple-Response has no head (RFC 1945 section 6)
	}
	for {
		line, err := in.ReadSlice('\n')
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return nil, nil, err
		}
		if head = append(head, line...); err != nil || len(head) > maxHead {
			return nil, nil, fetch.Errorf(fetch.ErrProtocol, "incomplete header in the archived message")
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return head, in, nil
		}
	}
}

// unchunked returns a body without its transfer coding.
//
// QUIRK: some crawlers decode bodies but store them under the head that declares the coding; the readers of warcio, warcio.js and jwarc
// return such bodies unchanged (their tests have them).
func unchunked(head []byte, body io.Reader) io.Reader {
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

// maxChunkLine is how much is read to recognize the first chunk's line.
const maxChunkLine = 64

// beginsChunk reports whether b begins with a chunk's line: a hexadecimal number, and perhaps an extension (RFC 9112 section 7.1).
func beginsChunk(b []byte) bool {
	digits := len(b) - len(bytes.TrimLeft(b, "0123456789abcdefABCDEF"))
	rest := bytes.TrimLeft(b[digits:], " \t")
	return 0 < digits && digits <= 16 && (len(rest) == 0 && len(b) < maxChunkLine || len(rest) > 0 && strings.IndexByte("\r\n;", rest[0]) >= 0)
}

// repaired returns the message of a response record. It removes from the head the codings that the body does not have (any more): see
// unchunked.
func repaired(r *Record) (io.Reader, error) {
	var storedPayloads bytes.Buffer
	all := *r
	all.Block = io.TeeReader(r.Block, &storedPayloads)
	head, body, err := splitMessage(&all)
	if isFormat(err) {
		return nil, err
	}
	whole := func() io.Reader { return io.MultiReader(&storedPayloads, r.Block) }
	if err != nil || head == nil {
		return whole(), nil
	}
	h := fields(head)
	in := bufio.NewReader(unchunked(head, body))
	b, _ := in.Peek(len(gzipMagic))
	isCoded := len(b) == 0 || beginsCoding(strings.ToLower(strings.TrimSpace(h.Get("Content-Encoding"))), b)
	begin, _ := bufio.NewReader(bytes.NewReader(storedPayloads.Bytes()[len(head):])).Peek(maxChunkLine)
	if isCoded && (!isChunked(h) || beginsChunk(begin) || len(begin) == 0) {
		return whole(), nil
	}
	rest := io.MultiReader(bytes.NewReader(bytes.Clone(storedPayloads.Bytes()[len(head):])), r.Block)
	honest := unframed(head)
	if !isCoded {
		honest = without(honest, "content-encoding")
	}
	return io.MultiReader(bytes.NewReader(honest), unchunked(head, rest)), nil
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
