package prospero

import (
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

// A request is a parsed prospero URI.
type request struct {
	Scheme     string                  `json:"scheme"`
	Host       string                  `json:"host"`
	Port       int                     `json:"port"`
	HSOName    fetch.Octets            `json:"hsoname"`
	Version    *fetch.Octets           `json:"version"` // after %00; may be empty
	Attributes []fetch.Octets          `json:"attributes"`
	Fields     map[string]fetch.Octets `json:"fields"` // ;field=value
	Sequence   []fetch.Octets          `json:"sequence"`

	mode uri.Mode
}

func read(u uri.URI, m uri.Mode) (any, error) {
	r, err := parse(u, m)
	if err != nil {
		return nil, err
	}
	line, _, _ := strings.Cut(string(message(r.info(r.attributes(), ""))), "\n")
	r.Sequence = append(r.Sequence, fetch.Octets(m.Text(line)))
	urifield.Map(m.Text, &r.HSOName)
	urifield.MapOpt(m.Text, &r.Version)
	r.Attributes = urifield.MapAll(m.Text, r.Attributes)
	fields := map[string]fetch.Octets{}
	for k, v := range r.Fields {
		fields[m.Text(k)] = fetch.Octets(m.Text(string(v)))
	}
	r.Fields = fields
	return *r, nil
}

// parse splits a URI before it decodes anything. In the drafts only %00 is a separator. RFC 1738 and RFC 4157 use ";". An hsoname cannot
// contain a NUL, so %00 is a separator there, too.
func parse(u uri.URI, m uri.Mode) (*request, error) {
	r := &request{mode: m, Scheme: "prospero", Host: u.Hostname(), Port: u.PortNumber(port), Attributes: []fetch.Octets{}, Fields: map[string]fetch.Octets{}}
	if r.Host == "" {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "host missing in a prospero URI")
	}
	if _, ok := u.Userinfo(); ok {
		return nil, fetch.Errorf(fetch.ErrRefusedURL, "a prospero URI cannot have a user (RFC 1738 section 3.11)")
	}
	path := strings.TrimPrefix(string(u.Path()), "/") // one slash belongs to the URI, a second to the hsoname
	if q, ok := u.Query(); ok {
		path += "?" + string(q)
	}
	if !m.Drafts() {
		name, fields, has := strings.Cut(path, ";")
		if path = name; has {
			if err := r.fields(fields); err != nil {
				return nil, err
			}
		}
	}
	return r, r.name(path)
}

var errVersion = fetch.Errorf(fetch.ErrRefusedURL, "the version of an object must be a number")

// name parses hsoname [ %00 version *( %00 attribute ) ].
func (r *request) name(path string) error {
	list := strings.Split(path, "%00")
	r.HSOName = fetch.Octets(uri.Escaped(list[0]).Decode())
	if r.HSOName == "" {
		return fetch.Errorf(fetch.ErrRefusedURL, "object name missing in a prospero URI")
	}
	if len(list) == 1 {
		return nil
	}
	version := fetch.Octets(uri.Escaped(list[1]).Decode())
	if strings.Trim(string(version), "0123456789") != "" {
		return errVersion
	}
	r.Version = &version
	for _, a := range list[2:] {
		name := uri.Escaped(a).Decode()
		if name == "" || strings.Trim(strings.ToUpper(name), "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_#") != "" {
			return fetch.Errorf(fetch.ErrRefusedURL, "an attribute of an object must be a word")
		}
		r.Attributes = append(r.Attributes, fetch.Octets(name))
	}
	return nil
}

// identified refuses fields that no line of a request holds. RFC 1738 section 3.11: "these fields serve to identify the target", so without one of
// them the server might send another object.
func (r *request) identified() error {
	for name, value := range r.Fields {
		switch {
		case name == fieldVersion && (value == "" || strings.Trim(string(value), "0123456789") != ""):
			return errVersion
		case name != fieldVersion && name != fieldRemote && !(name == fieldMethod && r.direct()):
			return fetch.Errorf(fetch.ErrUnsupported, "prospero cannot request an object by the field %q", name)
		}
	}
	return nil
}

// fields parses RFC 1738's list of ;field=value.
func (r *request) fields(list string) error {
	for f := range strings.SplitSeq(list, ";") {
		name, value, ok := strings.Cut(f, "=")
		key, v := uri.Escaped(name).Decode(), uri.Escaped(value).Decode()
		if !ok || key == "" || strings.Contains(key+v, "\x00") {
			return fetch.Errorf(fetch.ErrRefusedURL, "a semicolon must be followed by field=value (RFC 1738 section 3.11)")
		}
		r.Fields[key] = fetch.Octets(v)
	}
	return nil
}
