package warc

import (
	"bufio"
	"bytes"
	"io"
	"net/http/httputil"
	"net/textproto"
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
func decoded(head []byte, body io.Reader) io.Reader {
	if strings.HasSuffix(strings.ToLower(fields(head).Get("Transfer-Encoding")), "chunked") {
		return httputil.NewChunkedReader(body)
	}
	return body
}

// fields are those of a message's head, as far as they can be read.
func fields(head []byte) textproto.MIMEHeader {
	_, rest, _ := bytes.Cut(head, []byte("\n"))
	h, _ := textproto.NewReader(bufio.NewReader(bytes.NewReader(rest))).ReadMIMEHeader()
	return h
}

// unframed is a head without the fields that say where the body ends: the connection's end does.
func unframed(head []byte) []byte {
	out := make([]byte, 0, len(head))
	for line := range bytes.Lines(head) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		switch strings.ToLower(string(name)) {
		case "transfer-encoding", "content-length", "connection", "keep-alive":
		default:
			out = append(out, line...)
		}
	}
	return out
}
