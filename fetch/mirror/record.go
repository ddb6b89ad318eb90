package mirror

import (
	"bytes"
	"encoding/json"
	"time"
	"unicode/utf8"

	"example.org/deref/fetch"
)

// A Record is a line of the manifest: what is known of one URI. Of several for one URI the last counts.
type Record struct {
	URI  string `json:"uri"`            // canonical, without password and fragment; of a Folder, what is common to all in it
	Path string `json:"path,omitempty"` // of the local copy, from the mirror's top, with slashes
	Kind Kind   `json:"kind,omitempty"` // "" is a path that was chosen for a document that has not come yet

	SHA256    string     `json:"sha256,omitempty"` // of the document as the server sent it
	Size      int64      `json:"size,omitempty"`
	Type      string     `json:"type,omitempty"` // media type
	Validator *validator `json:"validator,omitempty"`
	Listed    *listed    `json:"listed,omitempty"`
	Time      time.Time  `json:"time,omitzero"` // when it came, or the server said that it is still the same

	Local string `json:"local,omitempty"` // SHA-256 of the local copy, where its links were made to lead to other local copies
	To    string `json:"to,omitempty"`    // of an Alias or Link: the URI that it leads to
	High  int64  `json:"high,omitempty"`  // of a newsgroup: the last article up to which all have come
	Seen  int64  `json:"seen,omitempty"`  // of a newsgroup: the last article that was listed in a Run which has not ended
	Index bool   `json:"index,omitempty"` // of a Folder: its index.html is ours
	Gone  bool   `json:"gone,omitempty"`  // there is no local copy any more
}

// Kind is what a Record is about.
type Kind string

const (
	File   Kind = "file"   // a document that leads nowhere
	Page   Kind = "page"   // HTML
	Menu   Kind = "menu"   // a menu of gopher, a page of gemtext
	Folder Kind = "folder" // a local folder
	Alias  Kind = "alias"  // leads to another URI, which has a Record
	Link   Kind = "link"   // a server's symbolic link, To a document or folder of the mirror
	Group  Kind = "group"  // a newsgroup
)

// isDocument reports whether the record has a local copy.
func (r *Record) isDocument() bool { return r.Kind == File || r.Kind == Page || r.Kind == Menu }

// hasCopy reports whether the record has a local copy, be it one of what the URI was before it became an Alias.
func (r *Record) hasCopy() bool {
	return r.isDocument() || (r.Kind == Alias || r.Kind == Link) && r.Path != ""
}

// recordJSON is the form of a Record whose path has octets that are not UTF-8.
type recordJSON struct {
	plainRecord
	Path fetch.Octets `json:"path,omitempty"`
}

type plainRecord Record

// UnmarshalJSON reads both forms of a line of the manifest.
func (r *Record) UnmarshalJSON(b []byte) error {
	var j recordJSON
	err := json.Unmarshal(b, &j)
	*r = Record(j.plainRecord)
	r.Path = string(j.Path)
	return err
}

// line is the record as the manifest has it.
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

// validator is a fetch.Validator.
type validator struct {
	Tag      string `json:"tag,omitempty"`
	Modified string `json:"modified,omitempty"`
	Size     int64  `json:"size,omitempty"`
}

func validatorOf(v fetch.Validator) *validator {
	if v.Tag == "" && v.Modified == "" {
		return nil // nobody can be asked by it
	}
	return &validator{v.Tag, v.Modified, v.Size}
}

// wish is for Options.IfChanged.
func (v *validator) wish() fetch.Validator {
	if v == nil {
		return fetch.Validator{}
	}
	return fetch.Validator{Tag: v.Tag, Modified: v.Modified, Size: v.Size}
}

// listed is what the folder's listing says of a document: as long as that stays, it is not asked for again.
type listed struct {
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
}

// listedOf returns nil for an entry that says too little to tell two states apart.
func listedOf(e fetch.Entry) *listed {
	if e.Size < 0 || e.Modified.IsZero() {
		return nil
	}
	return &listed{e.Size, e.Modified.UTC()}
}

func (l *listed) same(k *listed) bool {
	return l != nil && k != nil && l.Size == k.Size && l.Modified.Equal(k.Modified)
}

// listingSlack is how much later than its listing says a document may have been modified: listings of FTP tell the day alone of what
// is old, and go by a clock that can stand twelve hours west of UTC.
const listingSlack = 36 * time.Hour

// isListed reports whether a listing that says l shows the document still in the state of the record. What was young when it came may
// have changed within the same minute or day, which listings without seconds do not tell.
func (r *Record) isListed(l *listed) bool {
	return l.same(r.Listed) && (l.Modified.Second() != 0 || r.Time.Sub(l.Modified) > listingSlack)
}
