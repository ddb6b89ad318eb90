package waistest

import (
	"cmp"
	"io/fs"
	"path"
	"strings"
	"sync"

	"example.org/deref/schemes/internal/waissource"
)

// A Database is a set of documents with a name.
type Database struct {
	Name  string
	Files []string // in order; nil means all files below Root
	Root  string   // a directory; "" is the top
	Type  string   // of every document; "" means by suffix
	Lines bool     // every line is a document
	// Headline names a document. If it is nil, the headline is the subject or title, the first line of a text, or the name of the file.
	Headline func(file string, text []byte) string

	Description, Maintainer string
	Keywords                []string
	Fields                  []string // of messages, in lower case ("subject"): a query can search them as subject=word
}

// info is the database of the databases.
const info = "INFO"

// A database is an index, built when it is first needed.
type database struct {
	Database
	s     *server
	path  string // in DocIDs
	once  sync.Once
	docs  []*document
	words map[string][]posting
}

func (s *server) addDatabases() {
	s.databases = map[string]*database{}
	for _, d := range append(s.o.Databases[:len(s.o.Databases):len(s.o.Databases)], Database{Name: info, Description: "The databases of this server."}) {
		if s.databases[d.Name] == nil {
			s.names = append(s.names, d.Name)
			s.databases[d.Name] = &database{Database: d, s: s, path: s.o.Folder + d.Name}
		}
	}
}

// load reads the documents and builds the index.
func (d *database) load() {
	d.once.Do(func() {
		d.words = map[string][]posting{}
		if d.Name == info {
			d.loadSources()
		} else {
			for _, name := range d.files() {
				d.loadFile(name)
			}
		}
		for i, doc := range d.docs {
			d.index(i, doc)
		}
	})
}

// maxDocs limits an index.
const maxDocs = 20000

func (d *database) files() []string {
	if d.Files != nil {
		return d.Files
	}
	var list []string
	fs.WalkDir(d.s.fsys, cmp.Or(d.Root, "."), func(name string, e fs.DirEntry, err error) error {
		switch {
		case len(list) >= maxDocs || d.s.Net.Context().Err() != nil:
			return fs.SkipAll
		case err != nil || name != "." && strings.HasPrefix(path.Base(name), "."):
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
		case e.Type().IsRegular():
			list = append(list, name)
		}
		return nil
	})
	return list
}

// loadSources adds the descriptions as documents.
func (d *database) loadSources() {
	for _, name := range d.s.names {
		if other := d.s.databases[name]; name != info {
			text := other.source()
			d.docs = append(d.docs, &document{file: other.path + ".src", types: []string{"WSRC"}, end: len(text), text: text, headline: name + ".src", lines: lines(text)})
		}
	}
}

// source returns the database's source file.
func (d *database) source() []byte {
	host, port := d.s.place()
	w := &waissource.Source{Host: host, Port: port, Database: d.Name, Maintainer: d.Maintainer, Keywords: d.Keywords, Fields: d.Fields, Description: d.Description}
	return []byte(w.String())
}

// catalogue lists the documents.
func (d *database) catalogue() []byte {
	var b strings.Builder
	b.WriteString("Catalog for database: " + d.path + "\n")
	for _, doc := range d.docs {
		b.WriteString("\nHeadline: " + doc.headline + "\nDocID: " + doc.localID() + "\n")
	}
	return []byte(b.String())
}
