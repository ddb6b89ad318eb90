package gopher

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// parseMenu parses a menu of host h.
func parseMenu(text, scheme string, most int) (list []fetch.Entry, d *fetch.Document, err error) {
	d = fetch.NewDocument(nil)
	m := newMenu(&request{Scheme: scheme, Host: "h", Port: 70}, d, most, unreported)
	for e, err := range m.entries(strings.NewReader(text)) {
		if err != nil {
			return list, d, err
		}
		list = append(list, e)
	}
	return list, d, nil
}

// show returns an entry in one line.
func show(e fetch.Entry) string {
	s := []string{string(e.Kind), strconv.Quote(e.Title)}
	for _, w := range []string{e.URI.String(), e.Type} {
		if w != "" {
			s = append(s, w)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(e.Attr)) {
		s = append(s, fmt.Sprintf("%s=%q", k, e.Attr[k]))
	}
	return strings.Join(s, " ")
}

func TestItems(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"0About\t/about.txt\th\t70", `file "About" gopher://h/0/about.txt text/plain`},
		{"0About\tabout.txt\th\t7070", `file "About" gopher://h:7070/0about.txt text/plain`},
		{"0Doubled\t0/about.txt\th\t70", `file "Doubled" gopher://h/00/about.txt text/plain`},
		{"1Menu\t\th\t70", `menu "Menu" gopher://h/1 application/gopher-menu`},
		{"7Search\t/s?x\th\t70", `search "Search" gopher://h/7/s%3Fx application/gopher-menu`}, // its question mark is part of the selector
		{"0Odd\ta b#c%41?\xe9\th\t70", `file "Odd" gopher://h/0a%20b%23c%2541%3F%E9 text/plain`},
		{"0Quoted\t/a#040dir/\th\t70", `file "Quoted" gopher://h/0/a%23040dir/ text/plain`}, // gophernicus
		{"9Archive\t/a.tar.gz\th\t70", `file "Archive" gopher://h/9/a.tar.gz application/gzip`},
		{"9Unknown\t/a\th\t70", `file "Unknown" gopher://h/9/a`},
		{"4Mac\t/a\th\t70", `file "Mac" gopher://h/4/a application/mac-binhex40`},
		{"5DOS\t/a.zip\th\t70", `file "DOS" gopher://h/5/a.zip application/zip`},
		{"6UU\t/a\th\t70", `file "UU" gopher://h/6/a text/x-uuencode`},
		{"gGIF\t/a\th\t70", `file "GIF" gopher://h/g/a image/gif`},
		{"IPNG\t/a.png\th\t70", `file "PNG" gopher://h/I/a.png image/png`},
		{":Bitmap\t/a.bmp\th\t70", `file "Bitmap" gopher://h/:/a.bmp image/bmp`},
		{"sSound\t/a.au\th\t70", `file "Sound" gopher://h/s/a.au audio/basic`},
		{"<Sound\t/a.mp3\th\t70", `file "Sound" gopher://h/%3C/a.mp3 audio/mpeg`},
		{";Movie\t/a.mpg\th\t70", `file "Movie" gopher://h/;/a.mpg video/mpeg`},
		{"dDocument\t/a.pdf\th\t70", `file "Document" gopher://h/d/a.pdf application/pdf`},
		{"pPNG\t/a\th\t70", `file "PNG" gopher://h/p/a image/png`},
		{"PPDF\t/a\th\t70", `file "PDF" gopher://h/P/a application/pdf`},
		{"MMail\t/a\th\t70", `file "Mail" gopher://h/M/a message/rfc822`},
		{"cCalendar\t/a\th\t70", `file "Calendar" gopher://h/c/a text/calendar`},
		{"rRTF\t/a\th\t70", `file "RTF" gopher://h/r/a application/rtf`},
		{"uUnknown\t/a.txt\th\t70", `file "Unknown" gopher://h/u/a.txt text/plain`},
		{"ZUnknown\t/a\th\t70", `file "Unknown" gopher://h/Z/a`},
		{"\xe9Latin\t/a\th\t70", `file "Latin" gopher://h/%E9/a`},
		{"hPage\t/a.html\th\t70", `file "Page" gopher://h/h/a.html text/html`},
		{"hWeb\tURL:http://w.example/a?b#c\th\t70", `link "Web" http://w.example/a?b#c`},
		{"hWeb\t/URL:ftp://f.example/\th\t70", `link "Web" ftp://f.example/`},
		{"hWeb\tURL:mailto:a@b.example\th\t70", `link "Web" mailto:a@b.example`},
		{"hGopher\tURL:gopher://g.example/0x\th\t70", `link "Gopher" gopher://g.example/0x`},
		{"hOld\tGET /a%20b HTTP/1.0\tw.example\t80", `link "Old" http://w.example/a%20b`},
		{"hWeb\turl:http://w.example/\th\t70", `link "Web" http://w.example/`},
		{"hBad\tURL:no uri\th\t70", `file "Bad" gopher://h/hURL:no%20uri text/html`}, // the server may know better
		{"8Catalogue\tguest\tlib.example\t23", `session "Catalogue" telnet://guest@lib.example/`},
		{"8Catalogue\t\tlib.example\t2323", `session "Catalogue" telnet://lib.example:2323/`},
		{"8Catalogue\ta@b:c/d\tlib.example\t0", `session "Catalogue" telnet://a%40b%3Ac%2Fd@lib.example/`},
		{"TMainframe\t\tlib.example\t23", `session "Mainframe" tn3270://lib.example/`},
		{"2Phone book\t\tns.example\t105", `session "Phone book" cso://ns.example/`},
		{"0IPv6\t/a\t2001:db8::1\t70", `file "IPv6" gopher://[2001:db8::1]/0/a text/plain`},
		{"0IPv6\t/a\t[2001:db8::1]\t7070", `file "IPv6" gopher://[2001:db8::1]:7070/0/a text/plain`}, // in the form of a URI
		{"0Blanks\t/a\t h \t 70 ", `file "Blanks" gopher://h/0/a text/plain`},
		{"0Plus\t/a\th\t70\t+", `file "Plus" gopher://h/0/a text/plain`},
		{"0Form\t/a\th\t70\t?", `file "Form" gopher://h/0/a text/plain ask=["+ASK"]`},
		{"iText\tfake\t(NULL)\t0", `text "Text"`},
		{"iText alone", `text "Text alone"`},
		{"i", `text ""`},
		{"3Not there\t\terror.host\t1", `text "Not there" item=["3"]`},
		{"0No fields", `unknown "0No fields" malformed=["fields are missing"]`},
		{"\tTab\t/a\th\t70", `unknown "\tTab\t/a\th\t70" malformed=["fields are missing"]`},
		{"\t/a\th\t70", `unknown "\t/a\th\t70" malformed=["fields are missing"]`},
		{"\x00NUL\t/a\th\t70", `unknown "\x00NUL\t/a\th\t70" malformed=["fields are missing"]`},
		{"0Two\t/a\th", `unknown "0Two\t/a\th" malformed=["fields are missing"]`},
		{"0Port\t/a\th\tseventy", `unknown "0Port\t/a\th\tseventy" malformed=["host, port or URL do not form a URI"]`},
		{"0Port\t/a\th\t65536", `unknown "0Port\t/a\th\t65536" malformed=["host, port or URL do not form a URI"]`},
		{"0Port\t/a\th\t0", `unknown "0Port\t/a\th\t0" malformed=["host, port or URL do not form a URI"]`},
		{"0Host\t/a\t\t70", `unknown "0Host\t/a\t\t70" malformed=["host, port or URL do not form a URI"]`},
		{"0Host\t/a\tgood@evil\t70", `unknown "0Host\t/a\tgood@evil\t70" malformed=["host, port or URL do not form a URI"]`},
		{"0Host\t/a\th/..\t70", `unknown "0Host\t/a\th/..\t70" malformed=["host, port or URL do not form a URI"]`},
	} {
		list, _, err := parseMenu(tt.line+"\r\n", "gopher", 0)
		if err != nil || len(list) != 1 || show(list[0]) != tt.want {
			got := []string{}
			for _, e := range list {
				got = append(got, show(e))
			}
			t.Errorf("%q: got %v\n%s\nwant\n%s", tt.line, err, strings.Join(got, "\n"), tt.want)
		}
	}
}

func TestMenus(t *testing.T) {
	for _, tt := range []struct{ name, in, want, bad string }{
		{"lines of one dot are ignored", "0a\t/a\th\t70\r\n.\r\n0b\t/b\th\t70\r\n.\r\n.\r\n", "gopher://h/0/a gopher://h/0/b", ""},
		{"LF alone, no end", "0a\t/a\th\t70\n\n0b\t/b\th\t70", "gopher://h/0/a gopher://h/0/b", ""},
		{"a mirror has the type of the previous item", "9a\t/a\th\t70\r\n+a\t/a\ti\t70\r\n+a\t/a\tj\t70\r\n",
			"gopher://h/9/a gopher://i/9/a gopher://j/9/a", ""},
		{"bad lines are counted", "junk\r\n0a\t/a\th\t70\r\nmore junk\r\n", " gopher://h/0/a ", "2"},
		{"empty", "", "", ""},
	} {
		list, d, err := parseMenu(tt.in, "gopher", 0)
		var got []string
		for _, e := range list {
			got = append(got, e.URI.String())
		}
		if s := strings.Join(got, " "); err != nil || s != tt.want || d.Header.Get(malformedHeader) != tt.bad {
			t.Errorf("%s: got %q, %v, %q bad, want %q, %q bad", tt.name, s, err, d.Header.Get(malformedHeader), tt.want, tt.bad)
		}
	}
}

func TestTLSIsKeptOnTheMenusOwnServer(t *testing.T) {
	list, _, _ := parseMenu("0a\t/a\tH\t70\r\n0b\t/b\th\t7070\r\n0c\t/c\ti\t70\r\n", "gophers", 0)
	for i, want := range []string{"gophers://H/0/a", "gopher://h:7070/0/b", "gopher://i/0/c"} {
		if list[i].URI.String() != want {
			t.Errorf("got %s, want %s", list[i].URI, want)
		}
	}
}

func TestMenuLimits(t *testing.T) {
	if _, _, err := parseMenu("0a\t/a\th\t70\r\n"+strings.Repeat("x", 200), "gopher", 100); !errors.Is(err, fetch.ErrLimit) {
		t.Errorf("long line: got %v, want %s", err, fetch.ErrLimit)
	}
	endless := "+INFO: 0a\t/a\th\t70\r\n+ABSTRACT:\r\n" + strings.Repeat(" and so on\r\n", maxAttributes/8)
	if _, _, err := parseMenu(endless, "gopher", 0); !errors.Is(err, fetch.ErrLimit) {
		t.Errorf("endless attributes: got %v, want %s", err, fetch.ErrLimit)
	}
	if n := testing.AllocsPerRun(10, func() { parseMenu("0About\t/about.txt\th\t70\r\n", "gopher", 0) }); n > 20 {
		t.Errorf("got %v allocations, want at most 20", n)
	}
}

func TestMenuOfAttributes(t *testing.T) {
	list, d, err := parseMenu("+INFO: 0About\t/about.txt\th\t70\t+\r\n"+
		"+ADMIN:\r\n Admin: Keeper <k@h>\r\n Mod-Date: Mon Mar  1 12:00:00 1993 <19930301120000>\r\n"+
		"+VIEWS:\r\n text/plain En_US: <1k>\r\n text/html: <2k>\r\n"+
		"+INFO: 1Menu\t/m\th\t70\t+\r\n+ABSTRACT: short\r\n"+
		"+INFO: bad\r\n", "gopher", 0)
	if err != nil || len(list) != 3 || d.Header.Get(malformedHeader) != "1" {
		t.Fatalf("got %v, %v, %q bad, want three entries and 1 bad", list, err, d.Header.Get(malformedHeader))
	}
	a := list[0]
	modified, views := "19930301120000", []string{"text/plain En_US: <1k>", "text/html: <2k>"}
	if a.URI.String() != "gopher://h/0/about.txt" || a.Modified.Format("20060102150405") != modified || !slices.Equal(a.Attr["views"], views) {
		t.Errorf("got %+v, want gopher://h/0/about.txt, modified %s, views %q", a, modified, views)
	}
	if b := list[1]; b.Kind != fetch.KindMenu || !slices.Equal(b.Attr["abstract"], []string{"short"}) {
		t.Errorf("got %+v, want a menu with the abstract \"short\"", b)
	}
}

// FuzzItem checks that the URI of an item is parsed as exactly that item.
func FuzzItem(f *testing.F) {
	f.Add("0About\t/about.txt\th\t70\t+")
	f.Add("hWeb\tURL:http://h/\th\t70")
	f.Add("7a?b\t\xff?#%\th\t65535")
	f.Fuzz(func(t *testing.T, line string) {
		it, ok := links.ParseMenuItem(line)
		if !ok || strings.ContainsAny(it.Selector, "\r\n") {
			return
		}
		u, ok := it.URI("gopher")
		if !ok || u.Scheme() != "gopher" || strings.HasPrefix(strings.ToUpper(strings.TrimPrefix(it.Selector, "/")), "URL:") {
			return
		}
		r, err := parse(u, uri.RFC3986)
		if err != nil || r.item() != it.Type || string(r.Selector) != it.Selector || r.Search != nil || r.Plus != nil || r.Scheme != "gopher" {
			t.Fatalf("%q: %s: got %+v, %v, want the item", line, u, r, err)
		}
	})
}

// FuzzMenu checks that each line gives at most one entry, and that every entry has a kind.
func FuzzMenu(f *testing.F) {
	f.Add("0a\t/a\th\t70\r\njunk\r\n.\r\n")
	f.Add("+INFO: 0a\t/a\th\t70\r\n+ADMIN:\r\n x\r\n")
	f.Fuzz(func(t *testing.T, s string) {
		list, _, err := parseMenu(s, "gophers", 1000)
		if err != nil && !errors.Is(err, fetch.ErrLimit) {
			t.Fatalf("%q: got %v, want %s or no error", s, err, fetch.ErrLimit)
		}
		if len(list) > strings.Count(s, "\n")+1 {
			t.Fatalf("%q: got %d entries, want at most one for each line", s, len(list))
		}
		for _, e := range list {
			if e.Kind == "" || e.Size != -1 || !e.URI.IsZero() && !e.URI.IsAbs() {
				t.Fatalf("%q: got %+v, want a kind, no size and an absolute URI", s, e)
			}
		}
	})
}

// BenchmarkMenu reads menus of ten to a million items.
func BenchmarkMenu(b *testing.B) {
	const line = "0Document number 1 of this menu\t/folder/document number 1.txt\tgopher.example.org\t70\r\n"
	for count := 10; count <= 1_000_000; count *= 10 {
		b.Run(strconv.Itoa(count), func(b *testing.B) {
			b.SetBytes(int64(count * len(line)))
			b.ReportAllocs()
			for b.Loop() {
				m := newMenu(&request{Scheme: "gopher", Host: "h", Port: 70}, fetch.NewDocument(nil), 16<<10, unreported)
				n := 0
				for _, err := range m.entries(fetchtest.RepeatLine(count, line)) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if n != count {
					b.Fatalf("got %d entries, want %d", n, count)
				}
			}
		})
	}
}

// unreported is a reporter for tests of other things.
func unreported(string, string, string, ...any) {}
