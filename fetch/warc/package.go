package warc

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/wacz"
)

// PackOptions describe a WACZ package.
type PackOptions struct {
	Title, Description, Software string

	MainPage string              // the page that readers show first; "" for the list of pages
	Created  time.Time           // zero is now
	Dir      string              // of temporary files; "" means the system's
	Damaged  func(damaged Fault) // is called for each part of an archive that cannot be read
}

// Pack writes a WACZ package of archives: the archives unchanged, their index, and the list of pages, which are the documents that a reader can
// show as text. The memory does not depend on their size.
func Pack(w io.Writer, o *PackOptions, files []File) error {
	created := o.Created
	if created.IsZero() {
		created = time.Now()
	}
	p := &packing{to: wacz.NewWriter(w, created), index: newIndex(o.Dir), pages: spool{dir: o.Dir}, damaged: o.Damaged}
	defer p.close()
	p.lines = bufio.NewWriter(&p.pages)
	for _, f := range files {
		if err := p.add(f); err != nil {
			return err
		}
	}
	if err := p.addIndex(); err != nil {
		return diskError(err)
	}
	if err := p.lines.Flush(); err != nil {
		return diskError(err)
	}
	if err := p.to.AddPages(io.NewSectionReader(&p.pages, 0, p.pages.size)); err != nil {
		return diskError(err)
	}
	return diskError(p.to.Close(wacz.Info{Title: o.Title, Description: o.Description, Software: o.Software, MainPage: o.MainPage}))
}

// A packing is a package that is being written.
type packing struct {
	to      *wacz.Writer
	index   *index
	pages   spool
	lines   *bufio.Writer
	damaged func(Fault)
}

func (p *packing) close() {
	p.index.Close()
	p.pages.close()
}

// add adds an archive and its lines.
func (p *packing) add(f File) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	if f.Base, err = p.to.AddArchive(f.Base, in); err != nil {
		return diskError(err)
	}
	return p.index.addRecords(f, p.damaged, p.addPage)
}

// addIndex sorts the index and adds it.
func (p *packing) addIndex() error {
	sorted := spool{dir: p.index.Dir}
	defer sorted.close()
	if err := p.index.Write(&sorted); err != nil {
		return err
	}
	return p.to.AddIndex(io.NewSectionReader(&sorted, 0, sorted.size), p.index.Dir)
}

// addPage adds a line to the list of pages, if the record contains one.
func (p *packing) addPage(r *Record) error {
	if !r.isPage() {
		return nil
	}
	return diskError(json.NewEncoder(p.lines).Encode(map[string]string{"id": strings.Trim(r.ID(), "<>"), "url": r.Target(), "ts": r.Date().UTC().Format(time.RFC3339)}))
}

// isPage reports whether a reader can show the record as a page: HTML, text or PDF of HTTP, and any text or menu of another scheme, where each is
// retrieved for itself.
func (r *Record) isPage() bool {
	media := r.entry.media
	isMenu := media == fetch.ListingType || strings.HasSuffix(media, "-menu")
	switch scheme, _ := Origin(r.Target()); scheme {
	case "http", "https":
		isText := slices.Contains([]string{"text/html", "application/xhtml+xml", "text/plain", "application/pdf"}, media)
		return r.Type() == Response && r.entry.status == 200 && isText && !strings.HasSuffix(r.Target(), "/robots.txt")
	case "metadata", "urn", "dns", "warcinfo", "": // records of crawlers about themselves
		return false
	}
	return r.Type() == Resource && (strings.HasPrefix(media, "text/") || isMenu)
}
