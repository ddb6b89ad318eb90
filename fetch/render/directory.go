package render

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/uri"
)

// An attribute is one value of a directory entry, for the text and HTML views: text, or a link to the bytes.
type attribute struct {
	name, text string
	link       uri.URI
}

// showsAttributes reports whether the views show the attributes of an entry: those of directories and registries.
func showsAttributes(e fetch.Entry) bool {
	_, ok := directoryName(e)
	return ok || e.Type == rdapType
}

// attributes yields the attributes that the views show. A value that is not text (a photo, a certificate) is a link, by the extension x-value of
// package ldap, and so is one whose charset is a guess. The name of a tree is a link to its entries.
func attributes(e fetch.Entry) iter.Seq[attribute] {
	return func(yield func(attribute) bool) {
		if !showsAttributes(e) {
			return
		}
		for _, name := range attributeNames(e) {
			for i, v := range e.Attr[name] {
				text, ok := charset.Value(v)
				a := attribute{name: name, text: text}
				if !ok {
					a.text = fmt.Sprintf("%d bytes", len(v))
				}
				switch {
				case strings.EqualFold(name, "namingContexts"):
					a.link = entriesBelow(e.URI, v)
				case !charset.IsText(v):
					a.link, _ = uri.Parse(e.URI.String() + "?" + name + "???x-value=" + strconv.Itoa(i+1))
				}
				if !yield(a) {
					return
				}
			}
		}
	}
}

// entriesBelow returns the URI of the entries directly below the one called dn, on the server of u.
func entriesBelow(u uri.URI, dn string) uri.URI {
	server, _ := u.Authority()
	below, _ := uri.Parse(u.Scheme() + "://" + string(server) + "/" + string(uri.Segment.Escape(uri.RFC3986, dn)) + "??one")
	return below
}
