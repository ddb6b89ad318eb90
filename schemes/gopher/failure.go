package gopher

import (
	"bytes"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/gone"
)

// gophernicusError begins the error page that gophernicus sends where a text was asked for.
//
// QUIRK: gophernicus 3.1.1 has items of type 3 for selectors that end with a slash only (seen).
const gophernicusError = "Error: "

// mayFail reports whether an answer that begins with head may be an error message.
func mayFail(head []byte) bool {
	first, _, whole := bytes.Cut(head, []byte("\n"))
	switch {
	case head[0] == itemError:
		return !whole || bytes.Count(first, []byte("\t")) >= 2
	case len(head) < len(gophernicusError):
		return strings.HasPrefix(gophernicusError, string(head))
	}
	return bytes.HasPrefix(head, []byte(gophernicusError))
}

// failure finds the error message in an answer that is whole; nil if it is a document. A menu is one as long as there is anything
// in it but errors and text; a text that happens to begin with a 3 is one, as its first line has no TABs.
func failure(whole []byte) error {
	first, rest, _ := strings.Cut(string(whole), "\n")
	if strings.HasPrefix(first, gophernicusError) {
		return gophernicusFailure(first, rest)
	}
	if whole[0] != itemError || strings.Count(first, "\t") < 2 {
		return nil
	}
	for line := range strings.Lines(rest) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line != "." && line[0] != itemInfo && line[0] != itemError {
			return nil
		}
	}
	message, _, _ := strings.Cut(first[1:], "\t")
	return serverSays(message)
}

// gophernicusFailure wants the rule under the message too, which a document with such a beginning hardly has.
func gophernicusFailure(first, rest string) error {
	if !strings.HasPrefix(rest, "__________") {
		return nil
	}
	return serverSays(strings.TrimPrefix(first, gophernicusError))
}

// serverSays makes an error of a message. There are no codes: both servers say "denied" of what they may not show ("Access denied!",
// "Permission denied"), and whatever else it is, the item is not to be had.
func serverSays(message string) error {
	kind := fetch.ErrNotFound
	if strings.Contains(message, " denied") {
		kind = fetch.ErrRefused
	}
	e := fetch.Errorf(kind, "the server says: %s", strings.TrimSpace(message))
	e.Gone = kind == fetch.ErrNotFound && gone.Said(message)
	return e
}
