package retrieve

import (
	"errors"
	"strings"

	"example.org/deref/cmd/internal/request"
	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
)

// withHabitHint adds a hint to the error of an argument that is not a URI, if it is probably the value of a flag that takes none here.
func (c *command) withHabitHint(t request.Target, err error) error {
	e, ok := errors.AsType[*fetch.Error](err)
	if ok && e.Kind == fetch.ErrUnsupported && t.Err == nil {
		return c.withSchemeHint(t, e)
	}
	if !ok || e.Hint != hint.Base || t.Err != nil {
		return err
	}
	hint := e.Hint
	switch { // wget's flags of these names take a value
	case c.flags.remoteName && t.Arg == "-":
		hint = "-O takes no file name; deref -o - prints the document, which is the default"
	case c.flags.remoteName:
		hint = "-O takes no file name; deref -o " + t.Arg + " writes to that file"
	case c.flags.include:
		hint = "-i takes no file; --input FILE does"
	case len(c.options.Set["ftp.active"]) > 0:
		hint = "-P takes no directory; --output-dir DIR does"
	}
	return &fetch.Error{Kind: e.Kind, Text: e.Text, Hint: hint, Err: err}
}

// curlSchemes are schemes that curl has, and the program besides curl that users know.
const curlSchemes = " scp:scp sftp:sftp tftp:tftp smb:smbclient smbs:smbclient rtsp: rtmp: mqtt: pop3: pop3s: ws: wss: "

// withSchemeHint adds a hint to the error of a scheme without a handler that curl has.
func (c *command) withSchemeHint(t request.Target, e *fetch.Error) error {
	scheme := t.URI.Scheme()
	if _, known := c.schemes.Lookup(scheme); known {
		return e
	}
	_, rest, ok := strings.Cut(curlSchemes, " "+scheme+":")
	if !ok {
		return e
	}
	other, _, _ := strings.Cut(rest, " ")
	hint := scheme + " is not supported; curl retrieves it"
	if other != "" {
		hint = scheme + " is not supported; curl and " + other + " retrieve it"
	}
	return &fetch.Error{Kind: e.Kind, Text: e.Text, Hint: hint, Err: e}
}
