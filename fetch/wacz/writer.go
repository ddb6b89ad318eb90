package wacz

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"strings"
	"time"
)

// An Info describes a package. Empty fields are left out.
type Info struct {
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description,omitempty"`
	Software    string    `json:"software,omitempty"`
	Created     time.Time `json:"created"`
	MainPage    string    `json:"mainPageUrl,omitempty"`
}

// shown is what replayweb.page shows. QUIRK: wabac.js 2.27 reads the title only from here, not from where the specification has it (observed).
type shown struct {
	Title       string `json:"title,omitempty"`
	Description string `json:"desc,omitempty"`
}

func (i *Info) shown() *shown {
	if i.Title == "" && i.Description == "" {
		return nil
	}
	return &shown{i.Title, i.Description}
}

// A Writer writes a package.
type Writer struct {
	z         *zip.Writer
	created   time.Time
	resources []resource
	names     map[string]bool
}

// NewWriter returns a Writer to w. created is the time of all its files.
func NewWriter(w io.Writer, created time.Time) *Writer {
	return &Writer{z: zip.NewWriter(w), created: created.UTC().Truncate(time.Second), names: map[string]bool{}}
}

// AddArchive adds an archive. It returns the name by which the index must refer to it, which differs from the given one if another archive has that,
// or if Read would refuse it.
func (w *Writer) AddArchive(name string, r io.ReadSeeker) (string, error) {
	name = strings.ReplaceAll(strings.ToValidUTF8(name, "_"), `\`, "_")
	base, ext, _ := strings.Cut(path.Base(name), ".")
	for n := 2; w.names[archives+name]; n++ {
		name = fmt.Sprintf("%s-%d.%s", base, n, ext)
	}
	return name, w.add(archives+name, r)
}

// add stores a file: head and then r. This is read twice, so that its size and checksum are at its beginning.
func (w *Writer) add(name string, r io.ReadSeeker, head ...byte) error {
	begin, err := r.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	sum, crc := sha256.New(), crc32.NewIEEE()
	n, err := io.Copy(io.MultiWriter(sum, crc), io.MultiReader(bytes.NewReader(head), r))
	if err == nil {
		_, err = r.Seek(begin, io.SeekStart)
	}
	if err != nil {
		return err
	}
	h := &zip.FileHeader{Name: name, Method: zip.Store, CRC32: crc.Sum32(), CompressedSize64: uint64(n), UncompressedSize64: uint64(n)}
	if strings.ContainsFunc(name, func(c rune) bool { return c > 0x7e }) {
		h.Flags = 0x800 // UTF-8 (APPNOTE.TXT section 4.4.4)
	}
	//lint:ignore SA1019 CreateRaw writes only the fields that this sets
	h.SetModTime(w.created)
	to, err := w.z.CreateRaw(h)
	if err != nil {
		return err
	}
	if _, err := io.CopyN(to, io.MultiReader(bytes.NewReader(head), r), n); err != nil {
		return fmt.Errorf("%s has changed meanwhile: %w", name, err)
	}
	w.names[name] = true
	w.resources = append(w.resources, resource{path.Base(name), name, "sha256:" + hex.EncodeToString(sum.Sum(nil)), &n})
	return nil
}

// AddPages adds the list of pages: lines of JSON, without the first, which describes it.
func (w *Writer) AddPages(lines io.ReadSeeker) error {
	head, err := json.Marshal(map[string]any{"format": pagesFormat, "id": "pages", "title": "All Pages", "hasText": false})
	if err != nil {
		return err
	}
	return w.add(pagesName, lines, append(head, '\n')...)
}

// Close writes the description and ends the package.
func (w *Writer) Close(info Info) error {
	info.Created = w.created
	text, err := json.MarshalIndent(struct {
		Profile string `json:"profile"`
		Version string `json:"wacz_version"`
		Info
		Metadata  *shown     `json:"metadata,omitempty"`
		Resources []resource `json:"resources"`
	}{profile, wacz111, info, info.shown(), w.resources}, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	sum := sha256.Sum256(text)
	digest, err := json.MarshalIndent(map[string]string{"path": packageName, "hash": "sha256:" + hex.EncodeToString(sum[:])}, "", "  ")
	if err != nil {
		return err
	}
	if err := w.add(packageName, bytes.NewReader(text)); err != nil {
		return err
	}
	if err := w.add(digestName, bytes.NewReader(append(digest, '\n'))); err != nil {
		return err
	}
	return w.z.Close()
}
