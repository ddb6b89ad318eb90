package gateway

import (
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// cutMessage splits the path of an imap URI into the mailbox and the message (RFC 5092 section 4).
func cutMessage(path string) (mailbox, message string, ok bool) {
	mailbox, message, ok = cutFold(path, ";UID=")
	return strings.TrimSuffix(mailbox, "/"), message, ok
}

// cutFold is strings.Cut, but ignores the case of sep, which must be ASCII.
func cutFold(s, sep string) (before, after string, ok bool) {
	for i := 0; i+len(sep) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(sep)], sep) {
			return s[:i], s[i+len(sep):], true
		}
	}
	return s, "", false
}

func isMail(scheme string) bool { return scheme == "imap" || scheme == "imaps" }

// mailboxOf returns the mailbox of the whole message u. It returns false for anything else.
func mailboxOf(u uri.URI) (crumb, bool) {
	_, message, ok := cutMessage(string(u.Path()))
	if !isMail(u.Scheme()) || !ok || strings.Contains(message, ";") {
		return crumb{}, false
	}
	return above(u)
}

// isMessage reports whether e is the message u of a mailbox. The mailbox is that of both.
func isMessage(e fetch.Entry, u uri.URI) bool {
	_, a, _ := cutMessage(string(e.URI.Path()))
	_, b, _ := cutMessage(string(u.Path()))
	return a == b && a != ""
}

// threadOf returns the function that finds the thread of the message u among the entries of its mailbox.
func threadOf(u uri.URI) func([]fetch.Entry) []fetch.Entry {
	return func(list []fetch.Entry) []fetch.Entry {
		for _, thread := range render.Threads(byDate(list)) {
			if slices.ContainsFunc(thread, isHere(u)) {
				return thread
			}
		}
		return nil
	}
}

// byDate sorts messages by their dates. Their order in a mailbox is that of arrival, or any: a reply may be before its message.
func byDate(list []fetch.Entry) []fetch.Entry {
	slices.SortStableFunc(list, func(a, b fetch.Entry) int { return a.Modified.Compare(b.Modified) })
	return list
}

// latestMail is latestThreads for messages of a mailbox.
func latestMail(list []fetch.Entry) []fetch.Entry { return latestThreads(byDate(list)) }
