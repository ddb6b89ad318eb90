package prosperotest

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"path"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/prospero/internal/wire"
)

// published is the served part of the name space.
const published = "AFTP"

// maxLine limits a line of a request.
const maxLine = 16 << 10

// answer handles one message.
func (s *Server) answer(message []byte) []byte {
	var out, said bytes.Buffer
	scan := wire.NewScanner(bytes.NewReader(message), maxLine)
	dir := ""
	for {
		line, err := scan.Line()
		if err == io.EOF {
			break
		}
		if err != nil {
			return []byte("ERROR Malformed request\n")
		}
		if line[0] != "VERSION" && line[0] != "AUTHENTICATE" {
			fmt.Fprintf(&said, "%s\n", strings.Join(line, " "))
		}
		switch {
		case line[0] == "VERSION" && len(line) == 1:
			out.WriteString("VERSION 5 prosperotest\n")
		case line[0] == "VERSION" && line[1] != "5":
			return []byte("VERSION-NOT-SUPPORTED TRY 5-5")
		case line[0] == "VERSION", line[0] == "AUTHENTICATE", line[0] == "SELECT":
		case line[0] == "GET-OBJECT-INFO" && len(line) >= 4:
			s.info(&out, line[1], line[3])
		case line[0] == "DIRECTORY" && len(line) >= 3:
			dir = line[2]
		case line[0] == "LIST" && len(line) >= 3:
			s.list(&out, dir, line[3:])
		default:
			fmt.Fprintf(&out, "ERROR Unknown message: %s\n", line[0])
		}
	}
	s.Net.Note(strings.TrimSuffix(said.String(), "\n"))
	return out.Bytes()
}

// name returns the path of an object in the file system.
func (s *Server) name(hsoname string) (string, string) {
	rest, ok := strings.CutPrefix(hsoname, published)
	if !ok || rest != "" && rest[0] != '/' {
		return "", "FAILURE NOT-AUTHORIZED\n"
	}
	name := strings.TrimPrefix(path.Clean("/"+rest), "/")
	if name == "" {
		name = "."
	}
	return name, ""
}

func (s *Server) info(w *bytes.Buffer, attributes, hsoname string) {
	if to := s.o.Forward[hsoname]; to != "" {
		if to == Self {
			at := netip.MustParseAddrPort(s.Addr)
			to = fmt.Sprintf("%s(%d)", at.Addr(), at.Port())
		}
		fmt.Fprintf(w, "FORWARDED INTERNET-D %s ASCII %s 0\n", to, wire.Quote(hsoname))
		return
	}
	wants := func(a string) bool { return attributes == "#ALL" || strings.Contains("+"+attributes+"+", "+"+a+"+") }
	if answer, ok := s.o.Contents[hsoname]; ok && attributes == "CONTENTS" {
		w.WriteString(answer)
		return
	}
	if methods, ok := s.o.Methods[hsoname]; ok {
		for _, m := range methods {
			fmt.Fprintf(w, "ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE %s\n", m)
		}
		return
	}
	if _, ok := s.o.Links[hsoname]; ok {
		w.WriteString("FAILURE NOT-FOUND\n") // as dirsrv for its virtual directories, if only methods are requested
		return
	}
	name, refused := s.name(hsoname)
	if refused != "" {
		w.WriteString(refused)
		return
	}
	about, err := fs.Stat(s.fsys, name)
	if err != nil {
		w.WriteString("FAILURE NOT-FOUND\n")
		return
	}
	if attributes == "CONTENTS" && about.IsDir() {
		w.WriteString("NONE-FOUND\n")
		return
	}
	if attributes == "CONTENTS" {
		s.contents(w, name)
		return
	}
	s.attributes(w, name, about, wants)
}

func (s *Server) attributes(w *bytes.Buffer, name string, about fs.FileInfo, wants func(string) bool) {
	say := func(attribute, value string) {
		if wants(attribute) {
			fmt.Fprintf(w, "ATTRIBUTE OBJECT INTRINSIC %s SEQUENCE %s\n", attribute, value)
		}
	}
	say("SIZE", wire.Quote(fmt.Sprintf("%d bytes", about.Size())))
	if !about.ModTime().IsZero() {
		say("LAST-MODIFIED", about.ModTime().UTC().Format("20060102150405Z"))
	}
	say("UNIX-MODES", about.Mode().String())
	if about.IsDir() && wants("UNIX-MODES") {
		return // QUIRK: dirsrv returns methods for directories, too, unless UNIX-MODES is requested
	}
	say("ACCESS-METHOD", "PROSPERO-CONTENTS '' '' '' ''")
	say("ACCESS-METHOD", "LOCAL '' '' '' ''") // as dirsrv to every client on its own machine
	if s.o.FTP != "" {
		host, port, _ := net.SplitHostPort(s.o.FTP)
		say("ACCESS-METHOD", fmt.Sprintf("AFTP INTERNET-D %s(%s) ASCII %s BINARY", host, port, wire.Quote("/"+name)))
	}
}

func (s *Server) contents(w *bytes.Buffer, name string) {
	b, err := loopback.ReadFile(s.fsys, name)
	if err != nil {
		w.WriteString("FAILURE NOT-FOUND\n")
		return
	}
	w.WriteString("ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA '")
	w.Write(bytes.ReplaceAll(b, []byte("'"), []byte("''")))
	w.WriteString("'\n")
}

func (s *Server) list(w *bytes.Buffer, hsoname string, only []string) {
	if lines, ok := s.o.Links[hsoname]; ok {
		w.WriteString(strings.Join(lines, "\n") + "\n")
		return
	}
	name, refused := s.name(hsoname)
	if refused != "" {
		w.WriteString(refused)
		return
	}
	members, err := fs.ReadDir(s.fsys, name)
	if err != nil {
		w.WriteString("FAILURE NOT-A-DIRECTORY\n")
		return
	}
	before := w.Len()
	for _, m := range members {
		if len(only) > 0 && only[0] != m.Name() {
			continue
		}
		if about, err := fs.Stat(s.fsys, path.Join(name, m.Name())); err == nil {
			s.link(w, path.Join(name, m.Name()), m.Name(), about)
		}
	}
	if w.Len() == before {
		w.WriteString("NONE-FOUND\n")
	}
}

func (s *Server) link(w *bytes.Buffer, name, member string, about fs.FileInfo) {
	target := "FILE"
	if about.IsDir() {
		target = "DIRECTORY"
	}
	host, port, _ := net.SplitHostPort(s.Addr)
	fmt.Fprintf(w, "LINK  L %s %s INTERNET-D %s(%s) ASCII %s 0\n", target, wire.Quote(member), host, port, wire.Quote(published+"/"+name))
	s.attributes(w, name, about, func(string) bool { return true })
}
