package z3950

import (
	"strconv"
	"strings"

	"example.org/deref/uri"
)

// Tags of the elements of a DocID. Servers prefer the distributor's elements to the original's.
const (
	OriginalServer = iota + 1
	OriginalDatabase
	OriginalLocalID
	DistributorServer
	DistributorDatabase
	DistributorLocalID
	Copyright
)

// A Field is an element of a DocID.
type Field struct {
	Tag   int
	Value string
}

// A DocID names a document. It is opaque to clients, and sent back unchanged.
type DocID []Field

// ParseDocID parses an encoded DocID.
func ParseDocID(octets string) (id DocID, err error) {
	err = each([]byte(octets), func(tag int, v []byte) error {
		id = append(id, Field{tag, string(v)})
		return nil
	})
	return id, err
}

// String returns the encoded DocID.
func (id DocID) String() string {
	var b []byte
	for _, f := range id {
		b = AppendElement(b, f.Tag, f.Value)
	}
	return string(b)
}

// Get returns the value of the first element with one of the tags, which are tried in order.
func (id DocID) Get(tags ...int) (string, bool) {
	for _, tag := range tags {
		for _, f := range id {
			if f.Tag == tag {
				return f.Value, true
			}
		}
	}
	return "", false
}

// Tokens returns the form of a DocID in URIs of RFC 1630, libwww and Lynx: 1=server;2=database;3=local%20id;
func (id DocID) Tokens() string {
	var b strings.Builder
	for _, f := range id {
		b.WriteString(strconv.Itoa(f.Tag))
		b.WriteByte('=')
		b.WriteString(Escape(f.Value))
		b.WriteByte(';')
	}
	return b.String()
}

// Escape escapes as libwww and Lynx do: all but letters, digits and . / - _ $.
func Escape(s string) string { return uri.EscapeBut(s, "./-_$") }
