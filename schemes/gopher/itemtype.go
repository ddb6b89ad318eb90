package gopher

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
)

// Item types that mean more than a media type: RFC 1436 section 3.8, and T from Gopher+.
const (
	itemText     = '0'
	itemMenu     = '1'
	itemCSO      = '2'
	itemError    = '3'
	itemSearch   = '7'
	itemTelnet   = '8'
	itemMirror   = '+' // the item before it, on another server
	itemTN3270   = 'T'
	itemHTML     = 'h'                        // or, with "URL:", a link
	itemInfo     = 'i'                        // a line of text in a menu
	menuType     = "application/gopher-menu"  // the names of Gopher+ for the two forms
	plusMenuType = "application/gopher+-menu" // of a directory
)

// fixedType returns the media type of an item type that has exactly one, "" for others.
func fixedType(item byte) string {
	switch item {
	case itemText:
		return "text/plain"
	case itemMenu, itemSearch:
		return menuType
	case '4':
		return "application/mac-binhex40"
	case '6':
		return "text/x-uuencode"
	case 'g':
		return "image/gif"
	case itemHTML:
		return "text/html"
	case 'c':
		return "text/calendar"
	case 'M':
		return "message/rfc822" // "Item contains MIME data"
	case 'P':
		return "application/pdf"
	case 'p':
		return "image/png"
	case 'r':
		return "application/rtf"
	}
	return ""
}

// family returns the beginning of the media types of an item type. It returns "" for those that can have any (5, 9, d), and for those
// without an agreed meaning (u).
func family(item byte) string {
	switch item {
	case 'I', ':': // ":" and "<" and ";" are the bitmaps, sounds and movies of Gopher+
		return "image/"
	case 's', '<':
		return "audio/"
	case ';':
		return "video/"
	}
	return ""
}

// nameType returns the media type that follows from item type and selector, "" if none does, and the suffix of the selector if that
// decided. The item type of a text does not say that it is gemtext.
func nameType(item byte, selector string) (mediaType, suffix string) {
	t, suffix := mediatype.OfName(selector)
	fixed := fixedType(item)
	if item == itemText && t == "text/gemini" || fixed == "" && t != "" && strings.HasPrefix(t, family(item)) {
		return t, suffix
	}
	return fixed, ""
}

// documentType is nameType with the reason. It uses the first bytes of the document as a last resort.
func documentType(item byte, selector string, head []byte) (mediaType, reason string) {
	why := "item type " + string(rune(item))
	t, suffix := nameType(item, selector)
	switch {
	case suffix != "":
		return t, why + " and suffix " + suffix
	case t != "":
		return t, why
	}
	if t := mediatype.OfContent(head); head != nil && strings.HasPrefix(t, family(item)) {
		return t, why + " and its first bytes"
	}
	if family(item) == "audio/" {
		return "audio/basic", why // the usual format when the item type was defined
	}
	return mediatype.Unknown, why
}

// isLines reports whether an item is sent in lines, with a line of one dot at the end if the server follows the Appendix of RFC 1436.
func isLines(item byte) bool {
	switch item {
	case itemText, itemMenu, itemSearch, itemError, itemInfo, '4', '6', itemHTML, 'c', 'M':
		return true
	}
	return false
}

// isKnown reports whether an item type is one of RFC 1436 section 3.8 and Gopher+, or one that clients agree on.
func isKnown(item byte) bool { return strings.IndexByte("0123456789+TgI"+":;<"+"hisdMcPpr", item) >= 0 }

// isMenu reports whether an item's document has Entries.
func isMenu(item byte) bool { return item == itemMenu || item == itemSearch }

// entryKind returns the Kind of the entry of an item.
func entryKind(item byte) fetch.EntryKind {
	switch item {
	case itemMenu:
		return fetch.KindMenu
	case itemSearch:
		return fetch.KindSearch
	case itemTelnet, itemTN3270, itemCSO:
		return fetch.KindSession
	case itemInfo, itemError:
		return fetch.KindText
	}
	return fetch.KindFile
}
