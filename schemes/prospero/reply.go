package prospero

import (
	"cmp"
	"errors"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/prospero/internal/wire"
)

// An attribute is a line ATTRIBUTE precedence nature name [type] value...
type attribute struct {
	name   string
	values []string
}

// parseAttribute drops the type, which is optional if the nature is FIELD.
func parseAttribute(line []string) (a attribute, ok bool) {
	if len(line) < 4 {
		return a, false
	}
	a = attribute{strings.ToUpper(line[3]), line[4:]}
	if len(a.values) > 0 && (a.values[0] == "SEQUENCE" || a.values[0] == "LINK" || a.values[0] == "FILTER") {
		a.values = a.values[1:]
	}
	return a, true
}

// text returns a single value unquoted, and several as on a line.
func (a attribute) text() string {
	if len(a.values) == 1 {
		return a.values[0]
	}
	quoted := make([]string, len(a.values))
	for i, v := range a.values {
		quoted[i] = wire.Quote(v)
	}
	return strings.Join(quoted, " ")
}

// A link is a line LINK L|U target name host-type host hsoname-type hsoname version, with its attributes.
type link struct {
	union        bool
	target, name string
	at           place
	attributes   []attribute
}

// A place is the location of an object on a server.
type place struct{ hostType, host, hsoType, hsoname, version string }

func parseLink(line []string) (l link, ok bool) {
	if len(line) < 8 {
		return l, false
	}
	return link{union: line[1] == "U", target: line[2], name: line[3], at: parsePlace(line[4:])}, true
}

// parsePlace parses host-type host hsoname-type hsoname [version].
func parsePlace(words []string) place {
	p := place{words[0], words[1], words[2], words[3], ""}
	if len(words) > 4 && words[4] != "0" {
		p.version = words[4]
	}
	return p
}

// mostAttributes limits what is stored for one object.
const mostAttributes = 1000

// info is the reply to GET-OBJECT-INFO.
type info struct {
	attributes []attribute
	forwarded  *place
	links      []link
	rest       []string // of UNRESOLVED: components that remain after the links
	warnings   []string
}

func readInfo(s *wire.Scanner) (r info, err error) {
	for {
		line, err := s.Line()
		if err == io.EOF {
			return r, nil
		}
		if refused := failure(line); refused != nil {
			return r, refused
		}
		if err != nil {
			return r, err
		}
		if r.add(line); len(r.attributes)+len(r.links)+len(r.warnings) > mostAttributes {
			return r, fetch.Errorf(fetch.ErrLimit, "more than %d values of attributes", mostAttributes)
		}
	}
}

// add stores the contents of a line. It ignores unknown lines.
func (r *info) add(line []string) {
	switch line[0] {
	case "ATTRIBUTE":
		if a, ok := parseAttribute(line); ok {
			r.attributes = append(r.attributes, a)
		}
	case "LINK":
		if l, ok := parseLink(line); ok {
			r.links = append(r.links, l)
		}
	case "FORWARDED":
		if len(line) >= 5 {
			p := parsePlace(line[1:])
			r.forwarded = &p
		}
	case "UNRESOLVED":
		r.rest = line[1:]
	case "WARNING":
		r.warnings = append(r.warnings, strings.Join(line[1:], " "))
	}
}

// valueOf returns the first value of an attribute.
func valueOf(list []attribute, name string) string {
	for _, a := range list {
		if a.name == name && len(a.values) > 0 {
			return a.values[0]
		}
	}
	return ""
}

// failure returns the error that a line means, nil if it is none.
func failure(line []string) error {
	if len(line) == 0 {
		return nil
	}
	text := strings.Join(line, " ")
	switch line[0] {
	case "ERROR":
		return fetch.Errorf(fetch.ErrProtocol, "the server replied %s", text)
	case "VERSION-NOT-SUPPORTED":
		return fetch.Errorf(fetch.ErrUnsupported, "the server replied %s", text)
	case "FAILURE":
		kind, _ := outcomes.Kind(strings.Join(line[1:min(len(line), 2)], ""))
		return fetch.Errorf(cmp.Or(kind, fetch.ErrProtocol), "the server replied %s", text)
	}
	return nil
}

func isNotFound(err error) bool { return errors.Is(err, fetch.ErrNotFound) }
