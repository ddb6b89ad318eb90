package save

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// hostOf is who sent a document. The port counts: another one is another program.
func hostOf(u uri.URI) string { return strings.ToLower(u.Hostname()) + ":" + u.Port() }

// isForeign returns why d cannot be a state of the object whose beginning is old, nil if it can: its type and the host that sent it are
// others, as those of a login page of a network are which answers in place of the server.
func (j *job) isForeign(old *found, d *fetch.Document) error {
	if d.Offset > 0 && old.valid.Exact() && old.valid.Same(d.Validator) {
		return nil // a part of the very same state, whatever type this answer has: some servers guess it anew each time
	}
	now := mediatype.Essence(d.Type)
	declared := d.TypeReason == declaredType
	switch from := hostOf(d.URI); {
	case old.host != "" && from != old.host, old.host == "" && d.Offset == 0 && from != hostOf(j.uri):
		return j.keepOld(old, "the answer comes from another host, %s", d.URI.Host())
	case old.mediaType != "" && now != old.mediaType && (declared || d.Offset == 0): // the type of a part without a declared one is guessed
		return j.keepOld(old, "the answer is %s, not %s", d.Type, old.mediaType)
	case old.mediaType == "" && d.Offset == 0 && now == "text/html" && !old.isHTML():
		return j.keepOld(old, "the answer is a page of HTML, and what is here is not")
	}
	return nil
}

// isShort returns why a document of size octets must not replace old: it is shorter, and no validator says that it is a new state.
func (j *job) isShort(old *found, d *fetch.Document, size int64) error {
	if size < 0 || size >= old.size || isNew(old.valid, d.Validator) {
		return nil
	}
	return j.keepOld(old, "the answer has %d octets, which is less than what is here", size)
}

// isNew reports whether the validator now names another state than old does.
func isNew(old, now fetch.Validator) bool {
	if now.Tag != "" {
		return now.Tag != old.Tag
	}
	return now.Modified != "" && now.Modified != old.Modified
}

// keepOld is the error where old stays.
func (j *job) keepOld(old *found, format string, args ...any) error {
	name := j.target.name
	if !old.copy {
		name += partSuffix
		j.result.Part, j.result.Size = j.target.folder.join(name), old.size
	}
	return &fetch.Error{Kind: fetch.ErrChanged,
		Text: fmt.Sprintf("not continued: %s; the %d octets in %s are kept", fmt.Sprintf(format, args...), old.size, j.target.folder.join(name)),
		Hint: "remove that file to begin anew"}
}

// declaredType is the TypeReason of a type that the server sent.
const declaredType = "Content-Type"

// isHTML reports whether the octets begin as a page does.
func (f *found) isHTML() bool {
	head := make([]byte, 512)
	n, err := f.file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return false
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf")), " \t\r\n")
	return len(head) > 0 && head[0] == '<'
}

// mayBecome reports by an error that a whole document of size octets must not get the final name.
func (j *job) mayBecome(d *fetch.Document, size int64) error {
	if j.old != nil {
		if err := j.isShort(j.old, d, size); err != nil {
			return err
		}
	}
	if size > 0 || isConfirmed(d) || !j.replacesText() {
		return nil
	}
	return &fetch.Error{Kind: fetch.ErrTransfer,
		Text: "the document is empty, and nothing confirms that; " + j.target.folder.join(j.target.name) + " is kept",
		Hint: "remove that file to accept the empty document"}
}

// isConfirmed reports whether a document is known to be empty: its size is said to be 0, and where that stands in the answer itself, as in
// HTTP, a validator shows that the server knows the object. Servers that are overloaded, and programs behind them that fail, send empty
// documents too.
func isConfirmed(d *fetch.Document) bool {
	if d.Size != 0 || d.End == fetch.EndClosed {
		return false
	}
	return d.Status == 0 || d.Validator.Tag != "" || d.Validator.Modified != ""
}

// replacesText reports whether the final name is that of a file which is not empty.
func (j *job) replacesText() bool {
	t := &j.target
	if !t.replace || j.options.Number {
		return false
	}
	fi, err := t.folder.lookup(t.name)
	return err == nil && fi != nil && fi.Mode().IsRegular() && fi.Size() > 0
}
