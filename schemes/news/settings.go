package news

import (
	"cmp"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/maildoc"
)

// settingsList returns the settings of the schemes.
func settingsList() []fetch.Setting {
	return []fetch.Setting{
		{Key: "news.host", Help: "HOST[:PORT], spool:DIR, mbox:FILE or maildir:DIR: the source for URIs without a host"},
		{Key: "news.ssl", Values: "never try require",
			Help: "never, try, require: STARTTLS; default: try before a password is sent, else never"},
		{Key: "news.pipeline", Values: "yes no", Help: "no: each command waits for the reply to the previous one"},
		{Key: "news.last", Help: "only the last N numbers of a group", Valid: maildoc.Valid("news.last", maildoc.ParseCount)},
		{Key: "news.since", Valid: maildoc.Valid("news.since", maildoc.ParseSince),
			Help: "only articles of this date or later: YYYY-MM-DD, RFC 3339 or RFC 9110; for all groups or a wildmat, by NEWNEWS"},
		{Key: "news.thread", Values: "yes no", Help: "yes: the thread of an article, found by References"},
		{Key: "news.view", Values: "list mbox", Help: "mbox: the article, or those of a group or range, in one file (mboxrd)"},
		{Key: "news.part", Help: "N: a part of an article, decoded; parts are numbered as its entries are (MIME, uuencode, yEnc)",
			Valid: maildoc.Valid("news.part", maildoc.ParsePart)},
		{Key: "news.archive",
			Help: "WILDMAT=URI: an archive of old articles of these groups; {id}, {group} and {number} are replaced"},
		{Key: "news.from", Help: "the user's address, for posted articles without one"},
		{Key: "news.command", Values: "article head body stat", Help: "article, head, body, stat: which part of an article"},
	}
}

// settings are the parsed settings of one request.
type settings struct {
	ssl      string
	serial   bool
	last     int
	since    time.Time
	thread   bool
	mbox     bool
	part     int
	command  string
	from     string
	archives []Archive // of the setting news.archive
}

func parseSettings(o *fetch.Options) (s settings, err error) {
	s = settings{
		ssl: o.Get("news.ssl"), serial: o.Get("news.pipeline") == "no",
		thread: o.Get("news.thread") == "yes", mbox: o.Get("news.view") == "mbox", from: o.Get("news.from"),
		command: cmp.Or(o.Get("news.command"), "article"),
	}
	if strings.ContainsAny(s.from, "\r\n\x00") {
		return s, fetch.Errorf(fetch.ErrRefusedURL, "news.from contains a control character")
	}
	if s.last, err = maildoc.ParseCount("news.last", o.Get("news.last")); err != nil {
		return s, err
	}
	if s.part, err = maildoc.ParsePart("news.part", o.Get("news.part")); err != nil {
		return s, err
	}
	if s.archives, err = parseArchives(o.Set["news.archive"]); err != nil {
		return s, err
	}
	since, err := maildoc.ParseSince("news.since", o.Get("news.since"))
	s.since = since.UTC() // NEWNEWS has its date in UTC
	return s, err
}
