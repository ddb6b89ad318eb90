package browse

import (
	"cmp"
	"encoding/xml"
	"html"
	"io"
	"net/mail"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A feedItem is an item of RSS, or an entry of Atom (RFC 4287).
type feedItem struct {
	Title     string `xml:"title"`
	GUID      string `xml:"guid"`
	Published string `xml:"published"`
	Updated   string `xml:"updated"`
	PubDate   string `xml:"pubDate"`
	Date      string `xml:"date"` // of Dublin Core
	Links     []struct {
		Href string `xml:"href,attr"`
		Rel  string `xml:"rel,attr"`
		Text string `xml:",chardata"`
	} `xml:"link"`
}

// readFeed returns the items of a feed as entries with their dates, after its title. r is its text in UTF-8. It returns nil for another document.
// What precedes an error in the markup is shown.
func readFeed(r io.Reader, base uri.URI) (list []fetch.Entry) {
	in := xml.NewDecoder(r)
	in.Strict, in.Entity, in.CharsetReader = false, xml.HTMLEntity, func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	isFeed, title := false, ""
	for len(list) < maxEntries {
		t, err := in.Token()
		if err != nil {
			break
		}
		s, _ := t.(xml.StartElement)
		switch name := s.Name.Local; {
		case name == "rss", name == "feed", name == "RDF":
			isFeed = true
		case name != "" && !isFeed:
			return nil
		case name == "title" && title == "":
			in.DecodeElement(&title, &s)
		case name == "item", name == "entry":
			var x feedItem
			in.DecodeElement(&x, &s)
			list = append(list, x.entry(base))
		}
	}
	if list == nil {
		return nil
	}
	return append([]fetch.Entry{{Title: oneLine(title), Kind: fetch.KindText, Size: -1}, {Kind: fetch.KindText, Size: -1}}, list...)
}

func (x *feedItem) entry(base uri.URI) fetch.Entry {
	e := fetch.Entry{Title: oneLine(x.Title), Kind: fetch.KindFile, Size: -1}
	ref := ""
	if strings.Contains(x.GUID, "://") {
		ref = x.GUID
	}
	for _, l := range x.Links {
		if l.Rel == "" || l.Rel == "alternate" {
			ref = cmp.Or(l.Href, l.Text)
		}
	}
	if u, err := uri.Parse(strings.TrimSpace(ref)); err == nil && ref != "" {
		e.URI = base.Resolve(u)
	} else {
		e.Kind = fetch.KindText
	}
	date := strings.TrimSpace(cmp.Or(x.Published, x.Updated, x.PubDate, x.Date))
	if e.Modified, _ = time.Parse(time.RFC3339, date); e.Modified.IsZero() {
		e.Modified, _ = mail.ParseDate(date)
	}
	return e
}

// oneLine returns a text of a feed, in which references to characters may be escaped twice.
func oneLine(s string) string { return strings.Join(strings.Fields(html.UnescapeString(s)), " ") }
