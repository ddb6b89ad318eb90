package checksum

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// metalink4 is the namespace of Metalink 4 (RFC 5854 section 3).
const metalink4 = "urn:ietf:params:xml:ns:metalink"

type metalink struct {
	XMLName xml.Name       `xml:"urn:ietf:params:xml:ns:metalink metalink"`
	Files   []metalinkFile `xml:"urn:ietf:params:xml:ns:metalink file"`
}

type metalinkFile struct {
	Name   string          `xml:"name,attr"`
	Size   *int64          `xml:"urn:ietf:params:xml:ns:metalink size"`
	Hashes []metalinkHash  `xml:"urn:ietf:params:xml:ns:metalink hash"`
	Pieces *metalinkPieces `xml:"urn:ietf:params:xml:ns:metalink pieces"`
	URLs   []metalinkURL   `xml:"urn:ietf:params:xml:ns:metalink url"`
}

type metalinkHash struct {
	Type string `xml:"type,attr"`
	Hex  string `xml:",chardata"`
}

type metalinkPieces struct {
	Type   string   `xml:"type,attr"`
	Length int64    `xml:"length,attr"`
	Hashes []string `xml:"urn:ietf:params:xml:ns:metalink hash"`
}

type metalinkURL struct {
	Priority int    `xml:"priority,attr"`
	URI      string `xml:",chardata"`
}

// parseMetalink reads a Metalink document of version 4.
func parseMetalink(r io.Reader) ([]File, error) {
	var m metalink
	dec := xml.NewDecoder(r)
	if err := dec.Decode(&m); err != nil {
		if strings.Contains(err.Error(), "expected element") {
			return nil, fmt.Errorf("not a Metalink document of version 4 (RFC 5854), whose namespace is %s", metalink4)
		}
		return nil, fmt.Errorf("not a Metalink document: %w", err)
	}
	var list []File
	for i := range m.Files {
		f := m.Files[i].file()
		if len(f.Digests) > 0 || len(f.Pieces.Sums) > 0 {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("the Metalink document has no file with a digest of a known algorithm")
	}
	return list, nil
}

func (m *metalinkFile) file() File {
	f := File{Name: m.Name, Size: -1}
	if m.Size != nil && *m.Size >= 0 {
		f.Size = *m.Size
	}
	for _, h := range m.Hashes {
		if d, err := ParseHex(Named(h.Type), h.Hex); err == nil {
			f.add([]Digest{d})
		}
	}
	if m.Pieces != nil {
		f.Pieces = m.Pieces.pieces(f.Size)
	}
	// A source without a priority is the last (RFC 5854 section 4.2.16.1): the lowest value is the best, and the largest is 999999.
	slices.SortStableFunc(m.URLs, func(a, b metalinkURL) int {
		return cmp.Compare(cmp.Or(a.Priority, lastPriority), cmp.Or(b.Priority, lastPriority))
	})
	for _, u := range m.URLs {
		if s := strings.TrimSpace(u.URI); s != "" {
			f.Sources = append(f.Sources, s)
		}
	}
	return f
}

const lastPriority = 1 << 20

// pieces returns no pieces if their number does not fit the size, or if one of them cannot be read.
func (m *metalinkPieces) pieces(size int64) (p Pieces) {
	a := Named(m.Type)
	if m.Length <= 0 || size < 0 || int64(len(m.Hashes)) != (size+m.Length-1)/m.Length {
		return Pieces{}
	}
	p = Pieces{Algorithm: a, Length: m.Length}
	for _, h := range m.Hashes {
		d, err := ParseHex(a, h)
		if err != nil {
			return Pieces{}
		}
		p.Sums = append(p.Sums, d.Sum)
	}
	return p
}
