package render

import (
	"fmt"
	"iter"
	"strconv"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// An attribute is one value of an entry of a directory, as the views for people show it: text, or a link to the octets.
type attribute struct {
	name, text string
	link       uri.URI
}

// described says whether the attributes of an entry are for people: those of a directory or a registry are.
func described(e fetch.Entry) bool {
	_, ok := directoryName(e)
	return ok || e.Type == rdapType
}

// attributes are those of an entry that are for people. What is no text (a photo, a certificate) is a link by the extension x-value of
// package ldap.
func attributes(e fetch.Entry) iter.Seq[attribute] {
	return func(yield func(attribute) bool) {
		if !described(e) {
			return
		}
		for _, name := range attributeNames(e) {
			for i, v := range e.Attr[name] {
				a := attribute{name: name, text: v}
				if !utf8.ValidString(v) {
					a.text = fmt.Sprintf("%d octets", len(v))
					a.link, _ = uri.Parse(e.URI.String() + "?" + name + "???x-value=" + strconv.Itoa(i+1))
				}
				if !yield(a) {
					return
				}
			}
		}
	}
}
