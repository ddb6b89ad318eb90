package render

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// rdapType is the media type of registration data: RFC 9083.
const rdapType = "application/rdap+json"

// maxRDAP bounds a response, which is held in memory. maxWithin bounds the depth of objects within objects.
const (
	maxRDAP   = 8 << 20
	maxWithin = 8
)

// rdap yields the objects of a response: the requested one, or those that a search found. After each come the name servers, entities and networks
// within it. The notices of the registry are last.
func rdap(r io.Reader, base uri.URI) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		o, err := readRDAP(r)
		if err != nil {
			yield(fetch.Entry{}, err)
			return
		}
		if !o.entries(base, 0, func(e fetch.Entry) bool { return yield(e, nil) }) {
			return
		}
		for _, n := range o.objects("notices") {
			if !yield(fetch.Entry{Kind: fetch.KindText, Size: -1, Title: n.notice()}, nil) {
				return
			}
		}
	}
}

func readRDAP(r io.Reader) (o rdapObject, err error) {
	b, err := io.ReadAll(io.LimitReader(r, maxRDAP+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxRDAP {
		return nil, fetch.Errorf(fetch.ErrLimit, "registration data is larger than %d bytes", maxRDAP)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err := dec.Decode(&o); err != nil {
		return nil, fetch.Errorf(fetch.ErrDecode, "invalid registration data (RFC 9083): %v", err)
	}
	return o, nil
}

// An rdapObject is an object of a class of RFC 9083 section 5, or a search result (section 8). Members of a wrong type are ignored.
type rdapObject map[string]any

// objects returns the objects of a member.
func (o rdapObject) objects(name string) (list []rdapObject) {
	values, _ := o[name].([]any)
	for _, v := range values {
		if m, ok := v.(map[string]any); ok {
			list = append(list, m)
		}
	}
	return list
}

func (o rdapObject) text(name string) string {
	s, _ := o[name].(string)
	return s
}

// entries yields o, unless it is a search result, and the objects within it.
func (o rdapObject) entries(base uri.URI, depth int, yield func(fetch.Entry) bool) bool {
	if depth > maxWithin || o.text("objectClassName") != "" && !yield(o.entry(base)) {
		return depth > maxWithin
	}
	for _, name := range []string{"domainSearchResults", "nameserverSearchResults", "entitySearchResults", "nameservers", "entities", "networks", "autnums"} {
		for _, in := range o.objects(name) {
			if !in.entries(base, depth+1, yield) {
				return false
			}
		}
	}
	if n, ok := o["network"].(map[string]any); ok {
		return rdapObject(n).entries(base, depth+1, yield)
	}
	return true
}

func (o rdapObject) entry(base uri.URI) fetch.Entry {
	e := fetch.Entry{Kind: fetch.KindEntry, Type: rdapType, Size: -1, URI: o.self(base), Attr: map[string][]string{}}
	name := o.text("handle")
	for _, better := range []string{"ldhName", "name", "startAddress"} {
		if s := o.text(better); s != "" {
			name = s
			break
		}
	}
	for _, k := range slices.Sorted(maps.Keys(o)) {
		switch k {
		case "objectClassName", "rdapConformance", "lang", "notices", "entities", "nameservers", "network", "networks", "autnums":
		case "events", "remarks", "vcardArray":
		default:
			flatten(e.Attr, k, o[k], 0)
		}
	}
	for _, ev := range o.objects("events") {
		action := strings.ReplaceAll(ev.text("eventAction"), " ", "-")
		e.Attr[action] = append(e.Attr[action], ev.text("eventDate"))
	}
	for _, r := range o.objects("remarks") {
		e.Attr["remark"] = append(e.Attr["remark"], r.notice())
	}
	if called := o.vCard(e.Attr); called != "" {
		name = called
	}
	e.Title = strings.TrimSpace(o.text("objectClassName") + " " + name)
	return e
}

// flatten adds the values of a member, which may be lists and objects, as attributes. Their names are those of the innermost members,
// of which several may be the same.
func flatten(attr map[string][]string, name string, v any, depth int) {
	if depth > maxWithin || name == "links" {
		return
	}
	switch v := v.(type) {
	case string:
		attr[name] = append(attr[name], v)
	case json.Number:
		attr[name] = append(attr[name], v.String())
	case bool:
		attr[name] = append(attr[name], map[bool]string{true: "yes", false: "no"}[v])
	case []any:
		for _, in := range v {
			flatten(attr, name, in, depth+1)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			flatten(attr, k, v[k], depth+1)
		}
	}
}

// vCard adds the properties of an entity (RFC 7095: name, parameters, type, values) and returns its name.
func (o rdapObject) vCard(attr map[string][]string) (name string) {
	card, _ := o["vcardArray"].([]any)
	if len(card) < 2 {
		return ""
	}
	properties, _ := card[1].([]any)
	for _, p := range properties {
		p, _ := p.([]any)
		if len(p) < 4 {
			continue
		}
		kind, _ := p[0].(string)
		params, _ := p[1].(map[string]any)
		values := texts(p[3:])
		if label, ok := params["label"].(string); ok {
			values = []string{label}
		}
		switch {
		case kind == "version", len(values) == 0:
		case kind == "fn":
			name = values[0]
		default:
			attr[kind] = append(attr[kind], strings.Join(values, ", "))
		}
	}
	return name
}

// texts returns the strings that are not empty. Those of a structured value, such as an address, are one level deeper.
func texts(values []any) (list []string) {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			if v = strings.TrimPrefix(v, "tel:"); v != "" {
				list = append(list, v)
			}
		case []any:
			for _, in := range v {
				if s, ok := in.(string); ok && s != "" {
					list = append(list, s)
				}
			}
		}
	}
	return list
}

// notice returns the text of a notice: RFC 9083 section 4.3.
func (o rdapObject) notice() string {
	lines, _ := o["description"].([]any)
	text := strings.Join(texts(lines), " ")
	if title := o.text("title"); title != "" {
		return strings.TrimSuffix(title+": "+text, ": ")
	}
	return text
}

// self returns the URI of o, its link with the relation "self" (RFC 9083 section 4.2).
func (o rdapObject) self(base uri.URI) uri.URI {
	for _, l := range o.objects("links") {
		if l.text("rel") != "self" {
			continue
		}
		if u, err := uri.Parse(l.text("href")); err == nil {
			return base.Resolve(u)
		}
	}
	return uri.URI{}
}
