package fetch

import (
	"iter"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"

	"example.org/deref/fetch/charset"
)

// charsetWord is the word of the setting that chooses the charset of a scheme's texts.
const charsetWord = ".charset"

// CharsetSetting returns the setting SCHEME.charset, for the Settings of a scheme whose protocol does not declare charsets. The Client reads it: it
// is the value of Options.Charset if that is empty, and the words of Options.Search are sent in it.
func CharsetSetting(scheme string) Setting {
	key := scheme + charsetWord
	return Setting{Key: key, Help: "the charset of texts and menus, and of the words of a search: koi8-r, cp437, shift_jis, ...", Valid: func(v string) error {
		if v != "" && !charset.IsKnown(v) {
			return BadSetting(key, "%s: unknown charset %q", key, v)
		}
		return nil
	}}
}

// CharsetKey returns the key of the scheme's CharsetSetting. It returns "" if the scheme has none.
func (s Scheme) CharsetKey() string {
	for i := range s.Settings {
		if key := s.Settings[i].Key; strings.HasSuffix(key, charsetWord) {
			return key
		}
	}
	return ""
}

// chosenCharset returns the charset that o chooses for a request of the scheme. It returns "" for none.
func (s *Scheme) chosenCharset(o *Options) (string, error) {
	if o.Charset == "" {
		return o.Get(s.CharsetKey()), nil
	}
	if !charset.IsKnown(o.Charset) {
		return "", Errorf(ErrUnsupported, "unknown charset %q", o.Charset)
	}
	return o.Charset, nil
}

// withEncodedSearch returns o with the words of the search in the charset of the request, for schemes that have a setting for it. Others send UTF-8.
func (s *Scheme) withEncodedSearch(o *Options, label string) (*Options, error) {
	if len(o.Search) == 0 || s.CharsetKey() == "" {
		return o, nil
	}
	e := charset.Lookup(label)
	if e == nil {
		return o, nil
	}
	if !charset.HasASCII(e) {
		return nil, Errorf(ErrRefusedURL, "words cannot be sent in %s", label)
	}
	c := *o
	c.Search = make([]string, len(o.Search))
	for i, word := range o.Search {
		var err error
		if c.Search[i], err = e.NewEncoder().String(word); err != nil {
			return nil, Errorf(ErrRefusedURL, "%s has no character of the word %q", label, word)
		}
	}
	return &c, nil
}

// Charset returns the charset that the user has chosen for the request (Options.Charset, or the scheme's setting). It returns "" for none.
func (p *Plan) Charset() string { return p.charset }

// Source returns what is known about the charset of d's text.
func (d *Document) Source() charset.Source {
	return charset.Source{Chosen: d.Charset, Type: d.ContentType()}
}

// decodedEntries decodes the titles and attributes of entries in the chosen charset.
func (d *Document) decodedEntries(entries iter.Seq2[Entry, error]) iter.Seq2[Entry, error] {
	if e := charset.Lookup(d.Charset); e == nil || !charset.HasASCII(e) { // in UTF-16 the handler has found no lines
		return entries
	}
	decode := func(s string) string {
		if d.UTF8Entries && utf8.ValidString(s) {
			return s
		}
		return charset.TextIn(s, d.Charset)
	}
	return func(yield func(Entry, error) bool) {
		for e, err := range entries {
			e.Title = decode(e.Title)
			if len(e.Attr) > 0 {
				attr := make(map[string][]string, len(e.Attr))
				for name, values := range e.Attr {
					if name == "octets" { // the bytes of a name
						attr[name] = values
						continue
					}
					for _, v := range values {
						if _, ok := charset.Value(v); ok || e.Kind != KindEntry { // a directory also has photos and certificates
							v = decode(v)
						}
						attr[name] = append(attr[name], v)
					}
				}
				e.Attr = attr
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// encoded returns t with what the host sends decoded, and what the user types encoded, in the chosen charset.
func (p *Plan) encoded(t *Terminal) *Terminal {
	e := charset.Lookup(p.charset)
	if e == nil || t == nil {
		return t
	}
	c := *t
	if t.Out != nil {
		c.Out = transform.NewWriter(t.Out, e.NewDecoder())
	}
	if t.In != nil {
		c.In = NewBody(transform.NewReader(t.In, encoding.ReplaceUnsupported(e.NewEncoder())), t.In.Close)
	}
	return &c
}
