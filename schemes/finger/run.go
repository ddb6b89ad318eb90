package finger

import (
	"bufio"
	"context"
	"io"
	"strings"

	"example.org/deref/fetch"
)

// run sends the line. The answer is the document, unless all of it is an error message.
func run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	c, err := env.Dial(ctx, p.Network, p.Addr, &fetch.DialOptions{Record: fetch.RecordLines})
	if err != nil {
		return nil, err
	}
	if err := c.Send(p.When("")...); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(c, headLen)
	switch head, err := in.Peek(headLen); {
	case err == io.EOF: // this is all
		if err := failure(string(head)); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	}
	d := fetch.NewDocument(body{in, c})
	d.Type, d.TypeReason, d.End = p.Type, "finger gives text", fetch.EndClosed
	return d, nil
}

// headLen is how much is read before the document begins: an error message is shorter.
const headLen = 512

// body reads what was read ahead, then the connection.
type body struct {
	io.Reader
	io.Closer
}

// failure finds the error message in an answer that is whole; nil if it is a document.
//
// QUIRK: finger 0.17, which Debian's fingerd runs, says "finger: NAME: no such user."; efingerd 1.6.7 "No such user: NAME" (seen).
func failure(whole string) error {
	line := strings.TrimSpace(whole)
	if line == "" {
		return fetch.Errorf(fetch.ErrTruncated, "the server closed the connection without an answer")
	}
	says, ended := strings.ToLower(line), strings.HasSuffix(whole, "\n")
	switch {
	case !begins(says, "finger: ") && !begins(says, "no such user"), strings.Contains(line, "\n"):
		return nil
	case !ended:
		return fetch.Errorf(fetch.ErrTruncated, "the answer ends within its first line: %s", line)
	case strings.Contains(says, "no such user"):
		return fetch.Errorf(fetch.ErrNotFound, "the server says: %s", line)
	}
	return nil
}

// begins reports whether s begins with prefix, or is a beginning of it.
func begins(s, prefix string) bool {
	return strings.HasPrefix(s, prefix) || strings.HasPrefix(prefix, s)
}
