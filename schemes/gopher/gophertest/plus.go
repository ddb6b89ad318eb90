package gophertest

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/lineproto"
)

// Gopher+ (Anklesaria and others, "Gopher+, upward compatible enhancements to the Internet Gopher protocol", 1993) adds a third field to
// the request:
//
//	+        the item, after its length
//	+VIEW    one of its views: a media type, and perhaps a language
//	!        the attributes of the item: INFO, ADMIN, VIEWS, ABSTRACT, ASK
//	$        the attributes of all items in a menu
//
// "TAB 1" after it announces a data block with the answers to an ASK.

// How Gopher+ responses end; see Options.PlusEnd.
const (
	endCounted = 1
	endDot     = -1
	endClose   = -2
)

// admin is the address in the attributes and in errors.
const admin = "Keeper <gophertest@localhost>"

// maxPlus bounds a text that is buffered to count its bytes.
const maxPlus = 16 << 20

// answerPlus responds to a Gopher+ request.
func (s *server) answerPlus(w *writer, q request) {
	sel := q.selector
	name := inFS(sel)
	here := s.place(w.Conn)
	fi, err := fs.Stat(s.fsys, name)
	switch {
	case sel == s.o.Search:
		s.sendMenu(w, s.search(q.words), here)
	case err != nil:
		s.plusError(w, 1, "'"+loopback.Printable(sel)+"' does not exist")
	case q.plus[0] == '!':
		s.attributes(w, s.about(name, fi, here, q.plus[1:]))
	case q.plus[0] == '$' && fi.IsDir():
		s.attributes(w, s.aboutAll(name, here, q.plus[1:]))
	case q.plus[0] == '$':
		s.plusError(w, 1, "'"+loopback.Printable(sel)+"' is not a menu")
	case q.data && asks(name):
		s.answerForm(w, name, q)
	default:
		s.view(w, name, fi, q.plus[1:], here)
	}
}

// A place is the host and port of items in a menu.
type place struct{ host, port string }

func (s *server) lines(items []Item, p place) string {
	var b strings.Builder
	for _, it := range items {
		b.WriteString(s.line(it, p))
	}
	return b.String()
}

// view sends an item in the requested representation.
func (s *server) view(w *writer, name string, fi fs.FileInfo, want string, here place) {
	if fi.IsDir() {
		items, err := s.directory(name)
		if err != nil {
			s.plusError(w, 1, "the menu cannot be read")
			return
		}
		s.sendMenu(w, items, here)
		return
	}
	if want != "" {
		v, ok := pick(s.views(name), want)
		if !ok {
			s.plusError(w, 1, "there is no view "+loopback.Printable(want))
			return
		}
		name = v.file
	}
	s.file(w, name)
}

// sendMenu sends items after their length.
func (s *server) sendMenu(w *writer, items []Item, here place) {
	s.counted(w, []byte(s.lines(items, here)))
}

// pick returns the view with the label "type/subtype Lang", or with either part of it.
func pick(views []view, want string) (view, bool) {
	want = strings.TrimSpace(want)
	for _, v := range views {
		if strings.EqualFold(want, v.label()) || strings.EqualFold(want, v.typ) || strings.EqualFold(want, v.lang) {
			return v, true
		}
	}
	return view{}, false
}

// file sends a document after its length.
func (s *server) file(w *writer, name string) {
	f, err := s.fsys.Open(name)
	if err != nil {
		s.plusError(w, 1, "the file cannot be read")
		return
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		s.plusError(w, 1, "the file cannot be read")
		return
	}
	if isText(s.itemType(name, fi)) && fi.Size() < maxPlus {
		text, _ := io.ReadAll(io.LimitReader(lineproto.NewLineReader(f), 2*maxPlus))
		s.counted(w, text)
		return
	}
	end := strconv.FormatInt(fi.Size(), 10)
	if s.o.PlusEnd == endClose {
		end = "-2"
	}
	io.WriteString(w, "+"+end+"\r\n")
	io.Copy(w, f)
}

// counted sends lines after their length, or as Options.PlusEnd requires.
func (s *server) counted(w *writer, p []byte) { s.block(w, p, cmp.Or(s.o.PlusEnd, endCounted)) }

// attributes sends the response to ! and $. UMN's gopherd ended it with a dot.
func (s *server) attributes(w *writer, text string) {
	s.block(w, []byte(text), cmp.Or(s.o.PlusEnd, endDot))
}

func (s *server) block(w *writer, p []byte, end int) {
	switch end {
	case endDot:
		io.WriteString(w, "+-1\r\n")
		d := lineproto.NewDotWriter(w)
		d.Write(p)
		d.Close()
	case endClose:
		io.WriteString(w, "+-2\r\n")
		w.Write(p)
	default:
		io.WriteString(w, "+"+strconv.Itoa(len(p))+"\r\n")
		w.Write(p)
	}
}

// plusError sends an error with a code: 1 not available, 2 try again later, 3 moved.
func (s *server) plusError(w *writer, code int, text string) {
	fmt.Fprintf(w, "--1\r\n%d %s\r\n%s\r\n.\r\n", code, admin, text)
}

// isMember reports whether a file is an item. Abstracts are not.
func isMember(name string) bool { return path.Ext(name) != ".abstract" }
