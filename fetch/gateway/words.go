package gateway

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
)

// typeName returns the type of a document in words, and whether its media type adds to them.
func typeName(d *fetch.Document) (name string, more bool) {
	kind, scheme := mediatype.Essence(d.Type), d.URI.Scheme()
	switch kind {
	case "application/gopher-menu", "application/gopher+-menu":
		return "Gopher menu", false
	case "text/gemini":
		return "Gemtext", false
	case "text/ftp-dir-listing":
		return "Directory", false
	case "text/x-nntp-overview":
		return "Newsgroup", false
	case "text/x-nntp-active", "text/x-nntp-counts":
		return "Newsgroups", false
	case "message/rfc822":
		if isNews(scheme) {
			return "News article", false
		}
		return "Message", false
	case "text/html", "application/xhtml+xml":
		return "HTML page", true
	case "text/plain":
		return "Text", d.Entries == nil
	case fetch.ListingType:
		return listingName(scheme), false
	}
	if d.Entries != nil {
		return "Listing", true
	}
	switch top, _, _ := strings.Cut(kind, "/"); top {
	case "text":
		return "Text", true
	case "image", "audio", "video":
		return strings.ToUpper(top[:1]) + top[1:], true
	}
	return "Document", true
}

// listingName returns what a listing without a media type of its own is.
func listingName(scheme string) string {
	switch scheme {
	case "wais":
		return "Search results"
	case "ldap", "ldaps", "x500":
		return "Directory entries"
	case "snmp":
		return "Managed objects"
	case "imap", "imaps":
		return "Mailbox"
	}
	switch {
	case isFiles(scheme):
		return "Directory"
	case isNews(scheme):
		return "Thread"
	}
	return "Listing"
}

func isNews(scheme string) bool {
	switch scheme {
	case "news", "snews", "nntp", "nntps":
		return true
	}
	return false
}

// isFiles reports whether the listings of a scheme are directories of files, which are shown sorted.
func isFiles(scheme string) bool {
	switch scheme {
	case "ftp", "ftps", "ftpes", "file", "afs", "prospero":
		return true
	}
	return false
}
