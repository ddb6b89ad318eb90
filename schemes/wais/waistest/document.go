package waistest

import (
	"bytes"
	"io"
	"io/fs"
	"net"
	"net/mail"
	"path"
	"slices"
	"strconv"
	"strings"

	"example.org/deref/schemes/wais/internal/z3950"
)

// A document is a file, or a part [start,end) of one.
type document struct {
	file       string
	start, end int
	types      []string
	headline   string
	lines      int
	date       string
	text       []byte // if it is not a file, and while the index is built
}

// maxFile limits how much of a file is read.
const maxFile = 64 << 20

// read reads a file of the fs.FS.
func (s *server) read(name string) ([]byte, error) {
	f, err := s.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text bytes.Buffer
	if info, err := f.Stat(); err == nil {
		text.Grow(int(min(info.Size(), maxFile)) + bytes.MinRead) // a client requests a document in many parts
	}
	_, err = text.ReadFrom(io.LimitReader(f, maxFile))
	return text.Bytes(), err
}

// loadFile adds the documents of a file. Of the files NAME.TEXT, NAME.HTML, ... the first is the document, and the others its types.
func (d *database) loadFile(name string) {
	types := []string{d.Type}
	if d.Type == "" {
		types = d.typesOf(name)
	}
	text, err := d.s.read(name)
	if err != nil || len(types) == 0 {
		return
	}
	if d.Lines {
		for at := 0; at < len(text); {
			n := bytes.IndexByte(text[at:], '\n') + 1
			if n == 0 {
				n = len(text) - at
			}
			d.add(&document{file: name, start: at, end: at + n, types: types, text: text[at : at+n]})
			at += n
		}
		return
	}
	d.add(&document{file: name, end: len(text), types: types, text: text, date: d.dateOf(text)})
}

func (d *database) add(doc *document) {
	if doc.lines = lines(doc.text); d.Headline != nil {
		doc.headline = d.Headline(doc.file, doc.text)
	} else {
		doc.headline = headline(doc)
	}
	if len(d.docs) < maxDocs {
		d.docs = append(d.docs, doc)
	}
}

// typesOf returns the types of a file, none if it is a type of another file.
func (d *database) typesOf(name string) (list []string) {
	ext := path.Ext(name)
	if !slices.Contains(multiTypes(), strings.TrimPrefix(ext, ".")) {
		return []string{suffixType(ext)}
	}
	stem := strings.TrimSuffix(name, ext)
	for _, t := range multiTypes() {
		if _, err := fs.Stat(d.s.fsys, stem+"."+t); err == nil {
			list = append(list, t)
		}
	}
	if len(list) == 0 || list[0] != ext[1:] {
		return nil
	}
	return list
}

// multiTypes are the suffixes of files that are one document.
func multiTypes() []string { return []string{"TEXT", "HTML", "GIF", "PS"} }

func suffixType(ext string) string {
	switch strings.ToLower(ext) {
	case ".html", ".htm":
		return "HTML"
	case ".gif":
		return "GIF"
	case ".tif", ".tiff":
		return "TIFF"
	case ".jpg", ".jpeg":
		return "JPEG"
	case ".pict":
		return "PICT"
	case ".ppm":
		return "PPM"
	case ".ps":
		return "PS"
	case ".dvi":
		return "DVI"
	case ".src":
		return "WSRC"
	case ".png":
		return "PNG"
	case ".bin", ".gz", ".zip", ".tar", ".z":
		return "BIN"
	}
	return "TEXT"
}

func lines(text []byte) int { return bytes.Count(text, []byte("\n")) }

// maxHeadline is the real servers' limit.
const maxHeadline = 600

func headline(doc *document) string {
	if doc.types[0] != "TEXT" && doc.types[0] != "HTML" {
		return path.Base(doc.file)
	}
	if t, ok := title(doc.text); ok {
		return cut(t)
	}
	for line := range bytes.Lines(doc.text) {
		if t := bytes.TrimSpace(line); len(t) > 0 {
			return cut(string(t))
		}
	}
	return path.Base(doc.file)
}

func cut(s string) string { return s[:min(len(s), maxHeadline)] }

// title returns the subject of a message or article, or the title of a page.
func title(text []byte) (string, bool) {
	if i, j := bytes.Index(text, []byte("<title>")), bytes.Index(text, []byte("</title>")); i >= 0 && j > i+7 {
		return strings.Join(strings.Fields(string(text[i+7:j])), " "), true
	}
	m, err := mail.ReadMessage(bytes.NewReader(text))
	if err != nil || m.Header.Get("Subject") == "" {
		return "", false
	}
	return m.Header.Get("Subject"), true
}

// dateOf returns YYMMDD of a message or article, else "0".
func (d *database) dateOf(text []byte) string {
	if m, err := mail.ReadMessage(bytes.NewReader(text)); err == nil {
		if t, err := m.Header.Date(); err == nil {
			return t.Format("060102")
		}
	}
	return "0"
}

// localID returns a local id in freeWAIS's form.
func (doc *document) localID() string {
	return strconv.Itoa(doc.start) + " " + strconv.Itoa(doc.end) + " " + doc.file
}

// docID returns the DocID of a document of d.
func (d *database) docID(doc *document) string {
	return z3950.DocID{
		{Tag: z3950.OriginalServer, Value: d.s.o.Host}, {Tag: z3950.OriginalDatabase, Value: d.path}, {Tag: z3950.OriginalLocalID, Value: doc.localID()},
		{Tag: z3950.DistributorServer, Value: d.s.o.Host}, {Tag: z3950.DistributorDatabase, Value: d.path}, {Tag: z3950.DistributorLocalID, Value: doc.localID()},
		{Tag: z3950.Copyright, Value: "\x00"},
	}.String()
}

// ownID returns the DocID of the source file or the catalogue of d.
func (d *database) ownID(suffix string) string {
	return z3950.DocID{
		{Tag: z3950.OriginalDatabase, Value: d.Name}, {Tag: z3950.OriginalLocalID, Value: "0 0 " + d.path + suffix}, {Tag: z3950.Copyright, Value: "\x00"},
	}.String()
}

// place returns the host and port for descriptions.
func (s *server) place() (host string, port int) {
	host, digits, err := net.SplitHostPort(s.o.At)
	if port, err2 := strconv.Atoi(digits); err == nil && err2 == nil {
		return host, port
	}
	return s.o.At, wellKnown
}

const wellKnown = 210
