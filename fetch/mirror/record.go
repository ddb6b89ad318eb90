package mirror

import (
	"bytes"
	"encoding/json"
	"time"
	"unicode/utf8"

	"example.org/deref/fetch"
)

// A Record is a line of the manifest, about one URI. Of several for one URI, the last counts.
type Record struct {
	URI  string `json:"uri"`            // canonical, without password and fragment; for a Dir the common prefix of its members
	Path string `json:"path,omitempty"` // of the local copy, from the mirror's top, with slashes
	Kind Kind   `json:"kind,omitempty"` // "" if the path was chosen for a document that is not saved yet

	SHA256    string     `json:"sha256,omitempty"` // of the document as the server sent it
	Size      int64      `json:"size,omitempty"`
	Type      string     `json:"type,omitempty"`    // media type
	Charset   string     `json:"charset,omitempty"` // as the server declared it, which may be nowhere in the document
	Validator *validator `json:"validator,omitempty"`
	Listed    *listed    `json:"listed,omitempty"`
	Time      time.Time  `json:"time,omitzero"` // when it was fetched or confirmed unchanged

	Local    string `json:"local,omitempty"`    // SHA-256 of the local copy, if its links were rewritten
	To       string `json:"to,omitempty"`       // of an Alias or Link: the URI that it refers to
	Fragment string `json:"fragment,omitempty"` // of an Alias: the part of the document To
	High     int64  `json:"high,omitempty"`     // of a newsgroup: all articles up to this one were saved
	Seen     int64  `json:"seen,omitempty"`     // of a newsgroup: the last article listed in an unfinished Run
	Index    bool   `json:"index,omitempty"`    // of a Dir: its index.html was generated
	Gone     bool   `json:"gone,omitempty"`     // there is no longer a local copy
}

// Kind is the type of a Record.
type Kind string

const (
	File  Kind = "file"   // a document without links
	Page  Kind = "page"   // a document with links: HTML, SVG, CSS or XML
	Menu  Kind = "menu"   // a gopher menu or a gemtext page
	Dir   Kind = "folder" // a local directory
	Alias Kind = "alias"  // redirects to another URI, which has a Record
	Link  Kind = "link"   // a server's symbolic link, To a document or directory of the mirror
	Group Kind = "group"  // a newsgroup
)

// isDocument reports whether the record is that of a document with a local copy.
func (r *Record) isDocument() bool { return r.Kind == File || r.Kind == Page || r.Kind == Menu }

// isObject reports whether the record is that of a URI on a server, and not of a local directory or a newsgroup.
func (r *Record) isObject() bool { return r.isDocument() || r.Kind == Alias || r.Kind == Link }

// isPage reports whether the record is that of a document with links. Earlier versions recorded style sheets and SVG as files.
func (r *Record) isPage() bool { return r.Kind == Page || r.Kind == File && isPage(r.Type) }

// hasCopy reports whether the record has a local copy, which may date from before the URI became an Alias.
func (r *Record) hasCopy() bool {
	return r.isDocument() || r.isObject() && r.Path != ""
}

// recordJSON is the form of a Record whose path has bytes that are not UTF-8.
type recordJSON struct {
	plainRecord
	Path fetch.Octets `json:"path,omitempty"`
}

type plainRecord Record

// parseRecord parses both forms of a line of the manifest.
func parseRecord(line []byte) (Record, error) {
	var j recordJSON
	err := json.Unmarshal(line, &j)
	r := Record(j.plainRecord)
	r.Path = string(j.Path)
	return r, err
}

// UnmarshalJSON parses a line of the manifest, for programs that read it.
func (r *Record) UnmarshalJSON(b []byte) (err error) {
	*r, err = parseRecord(b)
	return err
}

// line returns the record's line in the manifest.
func (r *Record) line() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	var form any = (*plainRecord)(r)
	if !utf8.ValidString(r.Path) {
		form = recordJSON{plainRecord(*r), fetch.Octets(r.Path)}
	}
	err := enc.Encode(form)
	return b.Bytes(), err
}

// validator is a fetch.Validator in JSON.
type validator struct {
	Tag      string `json:"tag,omitempty"`
	Modified string `json:"modified,omitempty"`
	Size     int64  `json:"size,omitempty"`
}

func validatorOf(v fetch.Validator) *validator {
	if v.Tag == "" && v.Modified == "" {
		return nil // a request could not use it
	}
	return &validator{v.Tag, v.Modified, v.Size}
}

// options returns the value for Options.IfChanged.
func (v *validator) options() fetch.Validator {
	if v == nil {
		return fetch.Validator{}
	}
	return fetch.Validator{Tag: v.Tag, Modified: v.Modified, Size: v.Size}
}

// listed is a document's entry in the directory listing. As long as it stays the same, the document is not requested again.
type listed struct {
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Exact    string    `json:"precision,omitempty"` // of modified: a name of fetch.PrecisionName
	NoZone   bool      `json:"noZone,omitempty"`    // of modified: fetch.Entry.ZoneUnknown
}

// listedOf returns nil if the entry cannot distinguish two versions.
func listedOf(e fetch.Entry) *listed {
	if e.Size < 0 || e.Modified.IsZero() {
		return nil
	}
	return &listed{e.Size, e.Modified.UTC(), fetch.PrecisionName(e.Precision), e.ZoneUnknown}
}

// same reports whether both entries may be of the same version: of times that are not equally exact, the common part is compared. FTP servers
// list the minute of recent files, and only the day of others, so the entry of a file that stays the same changes once.
func (l *listed) same(k *listed) bool {
	if l == nil || k == nil || l.Size != k.Size {
		return false
	}
	if a, b := fetch.PrecisionOf(l.Exact), fetch.PrecisionOf(k.Exact); a > 0 && b > 0 && l.NoZone == k.NoZone {
		unit := max(a, b)
		return l.Modified.Truncate(unit).Equal(k.Modified.Truncate(unit))
	}
	return l.Modified.Equal(k.Modified)
}

// listingSlack is how much later than in its listing a document may have been modified if the listing does not state its precision.
const listingSlack = 36 * time.Hour

// slack returns how much later than e states a document may have been modified: up to the unit of the time, and as much more as the unknown
// zone of the server may be west of UTC.
func slack(precision time.Duration, noZone bool) time.Duration {
	switch {
	case precision == 0:
		return listingSlack
	case noZone:
		return precision + 12*time.Hour
	}
	return precision
}

// isListed reports whether a listing with l shows that the document is still the recorded version. A document that was young when it was
// fetched may have changed within the same second, minute or day, which the listing does not show.
func (r *Record) isListed(l *listed) bool {
	if !l.same(r.Listed) {
		return false
	}
	precision := max(fetch.PrecisionOf(l.Exact), fetch.PrecisionOf(r.Listed.Exact))
	if precision == 0 && l.Modified.Second() != 0 {
		precision = time.Second
	}
	return r.Time.Sub(l.Modified) > slack(precision, l.NoZone)+clockSkew
}

// clockSkew is how much the clock of a server may differ from this one's.
const clockSkew = 5 * time.Minute
