package mirror

import (
	"context"
	"path"
	"strings"

	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri/links"
)

// extended returns a local name for a document of the media type kind. With Extensions it ends as browsers need it: they judge local files by their
// names, and accept no style sheet named "style.css@v=2".
func (m *mirror) extended(name, kind string) string {
	end := missingExtension(name, kind)
	if !m.options.Extensions || end == "" {
		return name
	}
	if most := maxName - len(end); len(name) > most {
		name = strings.ToValidUTF8(name[:most], "")
	}
	return name + end
}

// maxName is the length of a name to which the endings of incomplete files are added.
const maxName = 240

// missingExtension returns the extension that a document of the media type kind needs besides its name, or "".
func missingExtension(name, kind string) string {
	ofName := mediatype.OfFile(name)
	switch kind {
	case ofName:
	case "text/html":
		return ".html"
	case "application/xhtml+xml":
		if ofName != "text/html" {
			return ".xhtml"
		}
	case styleSheet:
		return ".css"
	case "image/svg+xml":
		return ".svg"
	case "text/gemini":
		return ".gmi"
	case "text/xml", "application/xml":
		if path.Ext(name) == "" {
			return ".xml"
		}
	case "text/plain": // browsers show its tags
		if links.FormatOf(ofName).Declares {
			return ".txt"
		}
	}
	return ""
}

// extend renames copies that lack the extension: an earlier Run had other options, or the server another media type.
func (m *mirror) extend(ctx context.Context) error {
	if !m.options.Extensions {
		return nil
	}
	return m.manifest.each(ctx, func(r Record) error {
		if !r.isDocument() || missingExtension(path.Base(r.Path), r.Type) == "" || !m.intact(&r) {
			return nil
		}
		dir, name := path.Split(r.Path)
		to, err := m.choosePath(path.Clean("./"+dir), m.extended(name, r.Type), r.URI, false)
		if err != nil {
			return err
		}
		return m.rename(r, to)
	})
}

// rename gives the copy of a record another path.
func (m *mirror) rename(r Record, to string) error {
	from := r.Path
	r.Path = to
	if err := m.manifest.add(r); err != nil {
		return err
	}
	err := m.docs.Rename(from, to)
	if err == nil && r.Local != "" {
		err = m.docs.Rename(originalOf(from), originalOf(to))
	}
	return diskError(err)
}
