package render

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mediatype"
)

// A layout is the form of a listing: the columns of its table. The first has the name and the link.
type layout struct {
	caption string
	heads   []head
	values  func(e fetch.Entry) []Markup // of the columns after the first
}

// A head is the head of a column.
type head struct {
	name     string
	more     string  // not shown where there is little room
	key      SortKey // "" if the listing cannot be sorted by it
	number   bool
	optional bool // not shown where there is little room
}

// A SortKey names a property by which listings can be sorted.
type SortKey string

const (
	SortName     SortKey = "name"
	SortSize     SortKey = "size"
	SortModified SortKey = "modified"
	SortType     SortKey = "type"
	SortScore    SortKey = "score"
	SortArticles SortKey = "articles"
	SortAuthor   SortKey = "author" // of messages
	SortThread   SortKey = "thread" // messages below the ones they reply to, in the order of the listing; not a column
)

// layoutOf returns the layout of a listing whose first entry is e.
func layoutOf(e fetch.Entry) layout {
	name, bytes, kindHead := head{name: "Name", key: SortName}, head{name: "Size", key: SortSize, number: true},
		head{name: "Type", key: SortType, optional: true}
	switch {
	case e.Attr["score"] != nil:
		return layout{"Hits, best first", []head{{name: "Title", key: SortName}, {name: "Score", key: SortScore, number: true}, bytes, kindHead},
			func(e fetch.Entry) []Markup { return []Markup{first(e, "score"), sizeHTML(e), kind(e)} }}
	case e.Kind == fetch.KindGroup:
		return layout{"Newsgroups", []head{{name: "Group", key: SortName}, {name: "Articles", key: SortArticles, number: true}, {name: "About"}},
			func(e fetch.Entry) []Markup { return []Markup{first(e, "articles"), first(e, "description")} }}
	case e.Attr["oid"] != nil:
		return layout{"Objects", []head{{name: "Object"}, {name: "Type", optional: true}, {name: "Value"}}, func(e fetch.Entry) []Markup {
			return []Markup{first(e, "type"), folded(orHex(strings.Join(e.Attr["value"], "\n")))}
		}}
	case e.Kind == fetch.KindMessage:
		return messageLayout(e, bytes)
	case e.Size >= 0 || !e.Modified.IsZero():
		modified := head{name: "Modified (UTC)", key: SortModified}
		if e.ZoneUnknown {
			modified.name = "Modified (server’s time)"
		}
		return layout{"Entries", []head{name, bytes, modified, kindHead},
			func(e fetch.Entry) []Markup { return []Markup{sizeHTML(e), dateHTML(e), kind(e)} }}
	}
	kindHead.optional = false
	return layout{"Entries", []head{name, kindHead}, func(e fetch.Entry) []Markup { return []Markup{kind(e)} }}
}

// messageLayout returns the layout of messages in another order than that of threads. They have sizes if the first one has.
func messageLayout(e fetch.Entry, bytes head) layout {
	heads := []head{{name: "Subject", key: SortName}, {name: "Author", key: SortAuthor}, {name: "Date", more: " (UTC)", key: SortModified}}
	if e.Size >= 0 {
		heads = append(heads, bytes)
	}
	return layout{"Messages", heads, func(e fetch.Entry) []Markup {
		return []Markup{first(e, "from"), dateHTML(e), sizeHTML(e)}[:len(heads)-1]
	}}
}

// open returns the beginning of the table. sort is Options.Sort.
func (l layout) open(sort func(SortKey) (href, order string)) Markup {
	var heads Markup
	for _, h := range l.heads {
		name, order := HTMLf("%s", h.name), Markup("")
		if sort != nil && h.key != "" {
			href, now := sort(h.key)
			name = HTMLf("<a href=\"%s\">%s</a>", href, name)
			switch now {
			case "ascending":
				name += " ▲"
			case "descending":
				name += " ▼"
			}
			if now != "" {
				order = HTMLf(" aria-sort=\"%s\"", now)
			}
		}
		if h.more != "" {
			name += HTMLf("<span class=\"opt\">%s</span>", h.more)
		}
		heads += HTMLf("<th scope=\"col\"%s%s>%s</th>", h.class(), order, name)
	}
	return HTMLf("<table>\n<caption>%s</caption>\n<thead><tr>%s</tr></thead>\n<tbody>\n", l.caption, heads)
}

// rowHead begins the first cell of a row. Browsers without style sheets, such as lynx and w3m, center it unless it has the attribute.
const rowHead Markup = "<th scope=\"row\" align=\"left\">"

// cells returns the cells of the row of e.
func (l layout) cells(p *page, e fetch.Entry) Markup {
	s := HTMLf("%s%s%s</th>", rowHead, icon(e), p.link(e))
	for i, v := range l.values(e) {
		s += HTMLf("<td%s>%s</td>", l.heads[i+1].class(), v)
	}
	return s
}

// class returns the class attribute of a cell.
func (h head) class() Markup {
	switch {
	case h.number:
		return ` class="n" align="right"`
	case h.optional:
		return ` class="opt"`
	}
	return ""
}

// icon returns the icon of an entry, which the style sheet draws.
func icon(e fetch.Entry) Markup {
	if e.Attr["oid"] != nil || e.Kind == fetch.KindGroup || e.Kind == fetch.KindMessage {
		return ""
	}
	return HTMLf("<span class=\"i %s\"></span>", iconOf(e))
}

func iconOf(e fetch.Entry) string {
	switch e.Kind {
	case fetch.KindDir, fetch.KindMenu:
		return "dir"
	case fetch.KindLink, fetch.KindSession:
		return "link"
	}
	kind := typeOf(e)
	top, sub, _ := strings.Cut(kind, "/")
	switch {
	case top == "image":
		return "image"
	case top == "audio":
		return "sound"
	case top == "video":
		return "film"
	case isText(kind):
		return "text"
	case strings.Contains(sub, "zip") || strings.Contains(sub, "tar") || strings.Contains(sub, "compress") || strings.Contains(sub, "archive"):
		return "pack"
	}
	return "file"
}

// first returns the first value of an attribute.
func first(e fetch.Entry, name string) Markup {
	return HTMLf("%s", charset.Text(e.Value(name)))
}

// kind returns the kind of the entry's object in a word.
func kind(e fetch.Entry) Markup {
	if e.Kind == fetch.KindDir {
		return "directory"
	}
	return HTMLf("%s", cmp.Or(typeOf(e), string(e.Kind)))
}

// typeOf returns the media type of a file, which may be that of its name. It returns "" for other entries.
func typeOf(e fetch.Entry) string {
	if e.Kind != fetch.KindFile && e.Kind != fetch.KindEntry {
		return ""
	}
	if e.Type == "" && e.Kind == fetch.KindFile {
		if name := mediatype.OfFile(e.Title); name != "application/octet-stream" {
			return mediatype.Essence(name)
		}
	}
	return mediatype.Essence(e.Type)
}

// Bytes returns a size for people: "7 bytes", "71 kB", "3.5 MB". One kB is 1000 bytes.
func Bytes(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	units := [...]string{"kB", "MB", "GB", "TB", "PB", "EB"}
	f, i := float64(n)/1000, 0
	for f >= 999.5 && i < len(units)-1 {
		f, i = f/1000, i+1
	}
	digits := 0
	if f < 9.95 {
		digits = 1
	}
	return strconv.FormatFloat(f, 'f', digits, 64) + " " + units[i]
}

func sizeHTML(e fetch.Entry) Markup {
	if e.Size < 0 {
		return ""
	}
	return HTMLf("<data value=\"%d\">%s</data>", e.Size, strings.ReplaceAll(Bytes(e.Size), " ", " "))
}

func dateHTML(e fetch.Entry) Markup { return TimeHTML(e.Modified, e.Precision, e.ZoneUnknown) }

// TimeHTML returns a TIME element with no more digits than are known: the date if precision is 24 hours, and no zone if it is unknown. It returns
// "" for a time that is zero.
func TimeHTML(t time.Time, precision time.Duration, zoneUnknown bool) Markup {
	if t.IsZero() {
		return ""
	}
	machine, form := "2006-01-02T15:04Z", "2006-01-02 15:04"
	switch precision {
	case 24 * time.Hour:
		machine, form = "2006-01-02", "2006-01-02"
	case time.Second:
		machine = "2006-01-02T15:04:05Z"
	}
	if zoneUnknown {
		machine = strings.TrimSuffix(machine, "Z")
	}
	day, hour, exact := strings.Cut(t.UTC().Format(form), " ")
	shown := Markup(day)
	if exact {
		shown += HTMLf("<span class=\"opt\"> %s</span>", hour)
	}
	return HTMLf("<time datetime=\"%s\">%s</time>", t.UTC().Format(machine), shown)
}
