package render

import (
	"bufio"
	"encoding/base64"
	"io"
	"slices"
	"strings"

	"example.org/deref/fetch"
)

// ldif writes the entries of a directory by RFC 2849, with LF as line end. Referrals to other servers are comments.
func ldif(w io.Writer, d *fetch.Document) error {
	if d.Entries == nil {
		return fetch.Errorf(fetch.ErrUnsupported, "the document is not a list of directory entries, which ldif needs")
	}
	b := bufio.NewWriterSize(w, chunk)
	b.WriteString("version: 1\n")
	for e, err := range d.Entries {
		if err != nil {
			b.Flush()
			return err
		}
		dn, ok := directoryName(e)
		switch {
		case ok:
			if err := b.WriteByte('\n'); err != nil {
				return err
			}
			ldifLine(b, "dn", dn) // an ldif-attrval-record
			for _, name := range attributeNames(e) {
				for _, v := range e.Attr[name] {
					ldifLine(b, name, v)
				}
			}
		case e.Kind == fetch.KindLink || e.Kind == fetch.KindUnknown:
			b.WriteString("\n# ref: " + Escape(title(e)) + "\n")
		default:
			return fetch.Errorf(fetch.ErrUnsupported, "the document is not a list of directory entries, which ldif needs")
		}
	}
	return b.Flush()
}

// ldifWidth is the width at which lines are folded, that of OpenLDAP.
const ldifWidth = 76

// ldifLine writes an attrval-spec, in base64 if the value is not a SAFE-STRING or has control characters.
func ldifLine(b *bufio.Writer, name, value string) {
	line := name + ": " + value
	switch {
	case value == "":
		line = name + ":"
	case !isSafe(value):
		line = name + ":: " + base64.StdEncoding.EncodeToString([]byte(value))
	}
	for n := ldifWidth; len(line) > n; n = ldifWidth - 1 {
		b.WriteString(line[:n] + "\n ")
		line = line[n:]
	}
	b.WriteString(line + "\n")
}

func isSafe(s string) bool {
	if strings.IndexByte(" :<", s[0]) >= 0 || s[len(s)-1] == ' ' {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f }) < 0
}

// directoryName returns the distinguished name of an entry: the path of its ldap URI (RFC 4516).
func directoryName(e fetch.Entry) (dn string, ok bool) {
	_, search := e.URI.Query()
	if s := e.URI.Scheme(); e.Kind != fetch.KindEntry || search || s != "ldap" && s != "ldaps" {
		return "", false
	}
	return strings.TrimPrefix(e.URI.Path().Decode(), "/"), true
}

// attributeNames returns the valid names of attributes (RFC 4512 section 2.5), in the server's order, like ldapsearch. If that is unknown, classes
// are first.
func attributeNames(e fetch.Entry) (names []string) {
	if e.Order != nil {
		return slices.DeleteFunc(slices.Clone(e.Order), func(name string) bool { return !isAttributeName(name) })
	}
	for name := range e.Attr {
		if isAttributeName(name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if x, y := strings.EqualFold(a, "objectClass"), strings.EqualFold(b, "objectClass"); x != y {
			if x {
				return -1
			}
			return 1
		}
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	})
	return names
}

func isAttributeName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-;.") == ""
}
