package gopher

import (
	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
)

// headLen is how much of a response may be inspected before the document begins. Error messages are shorter.
const headLen = 4 << 10

var errEmpty = &fetch.Error{Kind: fetch.ErrTruncated, Text: "empty response: the document is empty or was lost"}

// checkError returns the beginning of a document, or an error if the response is an error message. A message ends with the connection, so a
// response that begins like one is read until that is decided.
func checkError(c *fetch.Conn, env *fetch.Env) (head []byte, err error) {
	head, whole, err := lineproto.Head(c, headLen, mayBeError)
	switch {
	case err != nil:
		return nil, err
	case len(head) == 0:
		return nil, errEmpty
	case whole:
		return head, failure(head, strictly(env))
	}
	return head, nil
}
