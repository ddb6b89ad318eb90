package gopher

import (
	"bytes"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/replies"
)

// gophernicusError begins the error page that gophernicus returns to a request for a text.
//
// QUIRK: gophernicus 3.1.1 has items of type 3 for selectors that end with a slash only (seen).
const gophernicusError = "Error: "

// mayBeError reports whether a response that begins with head may be an error message.
func mayBeError(head []byte) bool {
	first, _, complete := bytes.Cut(head, []byte("\n"))
	switch {
	case head[0] == itemError:
		return !complete || bytes.Count(first, []byte("\t")) >= 2
	case len(head) < len(gophernicusError):
		return strings.HasPrefix(gophernicusError, string(head))
	}
	return bytes.HasPrefix(head, []byte(gophernicusError))
}

// failure parses the error message of a complete response. It returns nil if the response is a document: a menu with anything besides
// errors and text, or a text that happens to begin with a 3, whose first line has no TABs.
func failure(response []byte, strict reporter) error {
	first, rest, _ := strings.Cut(string(response), "\n")
	if said, ok := strings.CutPrefix(first, gophernicusError); ok {
		if !strings.HasPrefix(rest, "__________") { // the rule below a message is unlikely in a document
			return nil
		}
		if strict != nil {
			strict("RFC 1436 section 3.8", "the error", "a text instead of an item of type 3")
		}
		return messageError(said)
	}
	if response[0] != itemError || strings.Count(first, "\t") < 2 {
		return nil
	}
	for line := range strings.Lines(rest) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line != "." && line[0] != itemInfo && line[0] != itemError {
			return nil
		}
	}
	message, _, _ := strings.Cut(first[1:], "\t")
	return messageError(message)
}

// messageError returns the error of a message. There are no codes: a message with "denied" ("Access denied!", "Permission denied") is a
// refusal, and any other means that the item is not available.
func messageError(message string) error {
	kind := fetch.ErrNotFound
	if strings.Contains(message, " denied") {
		kind = fetch.ErrRefused
	}
	e := fetch.Errorf(kind, "the server returned: %s", strings.TrimSpace(message))
	e.Gone = kind == fetch.ErrNotFound && replies.SaysNotFound(message)
	return e
}
