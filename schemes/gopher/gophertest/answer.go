package gophertest

import (
	"io"
	"io/fs"
	"path"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/lineproto"
)

// answer responds to one request.
func (s *server) answer(w *writer, q request) {
	for {
		s.once(w, q)
		if !s.f.Endless || w.Err != nil || w.Sent == 0 {
			return
		}
	}
}

func (s *server) once(w *writer, q request) {
	sel := s.unquote(q.selector)
	if q.plus != "" && s.plus() {
		s.answerPlus(w, q)
		return
	}
	switch {
	case strings.HasPrefix(sel, "URL:"):
		io.WriteString(w, redirectPage(strings.TrimPrefix(sel, "URL:")))
	case sel == s.o.Search || "/"+sel == s.o.Search:
		s.menu(w, s.search(q.words))
	default:
		s.answerFile(w, sel)
	}
}

// inFS returns the fs.FS name of a selector. ".." at the root is the root.
func inFS(selector string) string {
	if p := path.Clean("/" + selector); p != "/" {
		return p[1:]
	}
	return "."
}

func (s *server) answerFile(w *writer, sel string) {
	name := inFS(sel)
	fi, err := fs.Stat(s.fsys, name)
	if err != nil || strings.HasSuffix(sel, "/") && !fi.IsDir() {
		s.notFound(w, sel)
		return
	}
	if fi.IsDir() {
		items, err := s.directory(name)
		if err != nil {
			s.notFound(w, sel)
			return
		}
		s.menu(w, items)
		return
	}
	if s.o.Manner == Gophernicus && path.Base(name) == gophermap {
		plainError(w, "Access denied! Refusing to serve out a gophermap file")
		return
	}
	f, err := s.fsys.Open(name)
	if err != nil {
		s.notFound(w, sel)
		return
	}
	defer f.Close()
	if isText(s.itemType(name, fi)) {
		s.text(w, f)
		return
	}
	io.Copy(w, f)
}

// text sends a text as the manner requires.
func (s *server) text(w io.Writer, r io.Reader) {
	switch s.o.Manner {
	case RFC1436:
		d := lineproto.NewDotWriter(w)
		if _, err := io.Copy(lineproto.NewLineWriter(d), r); err == nil {
			d.Close()
		}
	case Gophernicus: // QUIRK: an incomplete last line is completed
		e := &lineEnder{w: w}
		if _, err := io.Copy(lineproto.NewLineWriter(e), r); err == nil {
			e.close()
		}
	default:
		io.Copy(w, r)
	}
}

// A lineEnder completes the last line.
type lineEnder struct {
	w    io.Writer
	last byte
}

func (e *lineEnder) Write(p []byte) (int, error) {
	if len(p) > 0 {
		e.last = p[len(p)-1]
	}
	return e.w.Write(p)
}

func (e *lineEnder) close() {
	if e.last != 0 && e.last != '\n' {
		io.WriteString(e.w, "\r\n")
	}
}

// menu sends items, and the final dot, which pygopherd omits.
func (s *server) menu(w *writer, items []Item) {
	host, port := s.place(w.Conn)
	if s.o.Manner == Gophernicus {
		for _, l := range footer() {
			items = append(items, s.info(l))
		}
	}
	text := s.lines(items, place{host, port})
	if s.o.Manner != Pygopherd {
		text += ".\r\n"
	}
	io.WriteString(w, text)
}

// notFound sends the error for a missing file as the manner requires.
func (s *server) notFound(w *writer, sel string) {
	sel = loopback.Printable(sel)
	switch {
	case s.o.Manner == Pygopherd:
		io.WriteString(w, "3'"+sel+"' does not exist (no handler found)\t\terror.host\t1\r\n")
	case s.o.Manner == Gophernicus && !strings.HasSuffix(sel, "/"):
		plainError(w, "File or directory not found! (null)")
	case s.o.Manner == Gophernicus:
		it := s.title("Error: File or directory not found! (null)")
		it.Type = '3'
		s.menu(w, []Item{it})
	default:
		io.WriteString(w, "3'"+sel+"' does not exist\t\terror.host\t1\r\n.\r\n")
	}
}

// redirectPage returns the response to a "URL:" selector, for old clients that treat type h as a file.
func redirectPage(to string) string {
	to = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(loopback.Printable(to))
	return `<!DOCTYPE html>` + "\n" + `<html><head><meta http-equiv="refresh" content="5;url=` + to + `"><title>Elsewhere</title></head>` + "\n" +
		`<body><p>This leads out of gopher, to <a href="` + to + `">` + to + `</a>.</p></body></html>` + "\n"
}
