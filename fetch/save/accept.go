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

// hostOf returns the host and port that sent a document. Another port means another program.
func hostOf(u uri.URI) string { return strings.ToLower(u.Hostname()) + ":" + u.Port() }

// checkSource returns an error if d cannot be a version of the object that old is the beginning of: its type or the host that sent it
// differs, as with the login page that a network sends in place of the document.
func (j *job) checkSource(old *oldFile, d *fetch.Document) error {
	if d.Offset > 0 && old.valid.Exact() && old.valid.Same(d.Validator) {
		return nil // part of the same version, even if the type differs: some servers guess it for each response
	}
	now := mediatype.Essence(d.Type)
	declared := d.TypeReason == declaredType
	switch from := hostOf(d.URI); {
	case old.Host != "" && from != old.Host, old.Host == "" && d.Offset == 0 && from != hostOf(j.uri):
		return j.refuse(old, "the response comes from another host, %s", d.URI.Host())
	case old.Type != "" && now != old.Type && (declared || d.Offset == 0): // without a declared type, the type of a part is a guess
		return j.refuse(old, "the response is %s, not %s", d.Type, old.Type)
	case old.Type == "" && d.Offset == 0 && now == "text/html" && !old.isHTML():
		return j.refuse(old, "the response is an HTML page, and the existing file is not")
	}
	return nil
}

// checkLength returns an error if a document of size bytes must not replace old: it is shorter, and no validator shows a new version.
func (j *job) checkLength(old *oldFile, d *fetch.Document, size int64) error {
	if size < 0 || size >= old.size || isNew(old.valid, d.Validator) {
		return nil
	}
	return j.refuse(old, "the response has only %d bytes", size)
}

// isNew reports whether the validator now identifies another version than old does.
func isNew(old, now fetch.Validator) bool {
	if now.Tag != "" {
		return now.Tag != old.Tag
	}
	return now.Modified != "" && now.Modified != old.Modified
}

// refuse returns the error for a document that must not replace old.
func (j *job) refuse(old *oldFile, format string, args ...any) error {
	name := j.target.name
	if !old.copy {
		name += partSuffix
		j.keptPart(old.size)
	}
	return &fetch.Error{Kind: fetch.ErrChanged,
		Text: fmt.Sprintf("not continued: %s; the %d bytes in %s are kept", fmt.Sprintf(format, args...), old.size, j.target.dir.join(name)),
		Hint: "remove that file to start again"}
}

// declaredType is the TypeReason of a type that the server sent.
const declaredType = "Content-Type"

// isHTML reports whether the content starts like an HTML page.
func (f *oldFile) isHTML() bool {
	head := make([]byte, 512)
	n, err := f.file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return false
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf")), " \t\r\n")
	return len(head) > 0 && head[0] == '<'
}

// checkResult returns an error if a whole document of size bytes must not get the final name.
func (j *job) checkResult(d *fetch.Document, size int64) error {
	if err := j.readRest(); err != nil {
		return err
	}
	if j.old != nil {
		if err := j.checkLength(j.old, d, size); err != nil {
			return err
		}
	}
	if size > 0 || isConfirmed(d) || !j.replacesText() {
		return nil
	}
	return &fetch.Error{Kind: fetch.ErrTransfer,
		Text: "unconfirmed empty document; " + j.target.file() + " is kept",
		Hint: "remove that file to accept the empty document"}
}

// isConfirmed reports whether a document is known to be empty: the server declared size 0, and, where the response itself declares it as in
// HTTP, a validator shows that the server knows the object. Overloaded servers and failing backends send empty documents, too.
func isConfirmed(d *fetch.Document) bool {
	if d.Size != 0 || d.End == fetch.EndClosed {
		return false
	}
	return d.Status == 0 || d.Validator.Tag != "" || d.Validator.Modified != ""
}

// replacesText reports whether the final name belongs to a file that is not empty.
func (j *job) replacesText() bool {
	t := &j.target
	if !t.replace {
		return false
	}
	fi, err := t.dir.lookup(t.name)
	return err == nil && fi != nil && fi.Mode().IsRegular() && fi.Size() > 0
}
