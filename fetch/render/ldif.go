package render

import (
	"bufio"
	"encoding/base64"
	"io"
	"slices"
	"strings"

	"example.org/deref/fetch"
)

// ldif writes the entries of a directory as RFC 2849 has them, with line ends of this machine. What other servers have is a comment.
func ldif(w io.Writer, d *fetch.Document) error {
	if d.Entries == nil {
		return fetch.Errorf(fetch.ErrUnsupported, "ldif is a view of a directory's entries")
	}
	t := &trouble{w: w}
	b := bufio.NewWriterSize(t, chunk)
	b.WriteString("version: 1\n")
	for e, err := range d.Entries {
		if err != nil {
			b.Flush()
			return err
		}
		dn, ok := directoryName(e)
		switch {
		case ok:
			b.WriteByte('\n')
			ldifRecord(b, dn, e.Attr)
		case e.Kind == fetch.KindLink || e.Kind == fetch.KindUnknown:
			b.WriteString("\n# ref: " + Escape(title(e)) + "\n")
		default:
			return fetch.Errorf(fetch.ErrUnsupported, "ldif is a view of a directory's entries")
		}
		if t.err != nil {
			break
		}
	}
	b.Flush()
	return t.err
}

// ldifRecord is ldif-attrval-record.
func ldifRecord(b *bufio.Writer, dn string, attr map[string][]string) {
	ldifLine(b, "dn", dn)
	for _, name := range attributeNames(attr) {
		for _, v := range attr[name] {
			ldifLine(b, name, v)
		}
	}
}

// ldifWidth is where lines are folded, as OpenLDAP does.
const ldifWidth = 76

// ldifLine is attrval-spec: in base64 where the value is no SAFE-STRING, and where it has controls, which a terminal might obey.
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

// directoryName returns the distinguished name of an entry: the path of the ldap URI that leads to it (RFC 4516).
func directoryName(e fetch.Entry) (dn string, ok bool) {
	_, search := e.URI.Query()
	if s := e.URI.Scheme(); e.Kind != fetch.KindEntry || search || s != "ldap" && s != "ldaps" {
		return "", false
	}
	return strings.TrimPrefix(e.URI.Path().Decode(), "/"), true
}

// attributeNames are those that are names (RFC 4512 section 2.5), classes first.
func attributeNames(attr map[string][]string) (names []string) {
	for name := range attr {
		if name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-;.") == "" {
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
