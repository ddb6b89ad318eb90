package lint

import (
	"fmt"

	"example.org/deref/fetch"
)

func ftpTable() table {
	const replies = "RFC 959 section 5.4"
	return table{schemes: []string{"ftp", "ftps", "ftpes"}, isFile: isKind(fetch.KindFile), checks: []check{
		{name: "the URI", rule: "it is sent", section: replies},
		{name: "a directory", rule: "it is listed", section: replies, at: atDirectory, judge: isListing},
		{name: "a file", rule: "it is sent, and the transfer is confirmed", section: replies, at: atFile, judge: remember},
		{name: "the file as a text", rule: "lines end with CRLF on the wire", section: "RFC 959 section 3.1.1.1", at: atFile, options: set("ftp.type", "a")},
		{name: "the facts of the file", rule: "SIZE is the number of bytes in TYPE I", section: "RFC 3659 section 4", at: atFile, options: metadata, judge: hasSize},
		partial("the file without its first byte", "REST is followed by the rest, or refused", "RFC 3659 section 5", atFile, 1, 0),
		partial("the last byte of the file", "REST is followed by the rest, or refused", "RFC 3659 section 5", atFile, -1, 0),
		{name: "the file after its end", rule: "REST beyond the end is refused, at the latest by the reply to RETR", section: "RFC 3659 section 5.3", at: atFile,
			options: part(afterEnd, 0), refused: fetch.ErrRange},
		absent("a missing file", "a name that does not exist is refused", replies, atMissing(".txt")),
		absent("a missing directory", "a name that does not exist is refused", replies, atMissing("/")),
		{name: "the file again", rule: "the same bytes are sent", section: replies, at: atFile, judge: isSame},
	}}
}

// hasSize compares the size by SIZE with the bytes of the file and with the listing.
func hasSize(s *site, a *answer) string {
	switch n := a.doc.Size; {
	case n < 0:
		return "" // the server need not support SIZE
	case s.whole != nil && s.whole.whole && n != int64(len(s.whole.body)):
		return fmt.Sprintf("SIZE is %d, but the file has %d bytes", n, len(s.whole.body))
	case s.entry.URI == a.uri && s.entry.Size >= 0 && n != s.entry.Size:
		return fmt.Sprintf("SIZE is %d, but the listing has %d", n, s.entry.Size)
	}
	return ""
}
