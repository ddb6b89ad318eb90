package geminitest

import (
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/gemtext"
	"example.org/deref/fetch/mediatype"
)

// answer writes the status line, and the document if there is one.
func (s *server) answer(w io.Writer, request string, identified bool) {
	u, err := url.Parse(request)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
		io.WriteString(w, "59 the request is not a URI\r\n")
	case u.Scheme != "gemini":
		io.WriteString(w, "53 this is not a proxy\r\n")
	case s.o.Reply[u.RequestURI()] != "":
		io.WriteString(w, s.o.Reply[u.RequestURI()])
	case s.o.Reply[u.Path] != "":
		io.WriteString(w, s.o.Reply[u.Path])
	case u.Path == s.o.Search && u.RawQuery == "":
		io.WriteString(w, "10 Which words?\r\n")
	case u.Path == s.o.Search:
		s.search(w, u.RawQuery)
	case s.o.Private != "" && strings.HasPrefix(u.Path, s.o.Private) && !identified:
		io.WriteString(w, "60 who are you?\r\n")
	default:
		s.document(w, u)
	}
}

func (s *server) document(w io.Writer, u *url.URL) {
	name := path.Clean(strings.TrimPrefix(u.Path, "/"))
	info, err := fs.Stat(s.fsys, name)
	if err != nil {
		io.WriteString(w, "51 there is no such document\r\n")
		return
	}
	if info.IsDir() {
		s.directory(w, u, name)
		return
	}
	s.file(w, name)
}

func (s *server) file(w io.Writer, name string) {
	if loopback.SendFile(w, s.fsys, name, "20 "+mediatype.OfFile(name)+"\r\n") != nil {
		io.WriteString(w, "40 the document cannot be read\r\n")
	}
}

func (s *server) directory(w io.Writer, u *url.URL, name string) {
	index := path.Join(name, "index.gmi")
	if !strings.HasSuffix(u.Path, "/") && u.Path != "" {
		fmt.Fprintf(w, "31 %s/\r\n", u.EscapedPath())
		return
	}
	if _, err := fs.Stat(s.fsys, index); err == nil {
		s.file(w, index)
		return
	}
	members, err := fs.ReadDir(s.fsys, name)
	if err != nil {
		io.WriteString(w, "40 the directory cannot be read\r\n")
		return
	}
	fmt.Fprintf(w, "20 text/gemini\r\n# %s\n", loopback.Label(path.Join("/", name)))
	gemtext.WriteMembers(w, members, loopback.Label)
}

// search finds the files whose names or texts have the input.
func (s *server) search(w io.Writer, query string) {
	words, err := url.PathUnescape(query)
	if err != nil {
		io.WriteString(w, "59 the input does not decode\r\n")
		return
	}
	fmt.Fprintf(w, "20 text/gemini\r\n# %q\n", words)
	fs.WalkDir(s.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, _ := loopback.ReadFile(s.fsys, name)
		if strings.Contains(name, words) || strings.Contains(string(b), words) {
			gemtext.WriteLink(w, "/"+name, loopback.Label(name))
		}
		return nil
	})
}
