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
	sel := q.selector
	if q.plus != "" && s.o.Plus {
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
	f, err := s.fsys.Open(name)
	if err != nil {
		s.notFound(w, sel)
		return
	}
	defer f.Close()
	if isText(s.itemType(name, fi)) {
		d := lineproto.NewDotWriter(w)
		if _, err := io.Copy(lineproto.NewLineWriter(d), f); err == nil {
			d.Close()
		}
		return
	}
	io.Copy(w, f)
}

// menu sends items, and the final dot.
func (s *server) menu(w *writer, items []Item) {
	io.WriteString(w, s.lines(items, s.place(w.Conn))+".\r\n")
}

// notFound sends the error for a missing file.
func (s *server) notFound(w *writer, sel string) {
	io.WriteString(w, "3'"+loopback.Printable(sel)+"' does not exist\t\terror.host\t1\r\n.\r\n")
}

// redirectPage returns the response to a "URL:" selector, for old clients that treat type h as a file.
func redirectPage(to string) string {
	to = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(loopback.Printable(to))
	return `<!DOCTYPE html>` + "\n" + `<html><head><meta http-equiv="refresh" content="5;url=` + to + `"><title>Elsewhere</title></head>` + "\n" +
		`<body><p>This leads out of gopher, to <a href="` + to + `">` + to + `</a>.</p></body></html>` + "\n"
}
