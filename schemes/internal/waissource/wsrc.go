// Package waissource parses the source files of WAIS (name.src, type WSRC), which describe a database and its location:
//
//	(:source
//	   :version 3
//	   :ip-name "wais.example"
//	   :tcp-port 210
//	   :database-name "demo"
//	   :cost 0.00
//	   :cost-unit :free
//	   :maintainer "keeper@wais.example"
//	   :keyword-list ( tides weather )
//	   :description "A database of tide tables."
//	)
//
// Keywords are case-insensitive. A text is in double quotes, with \" and \\ in it, and may have several lines. Unknown keywords are skipped
// with their values, which may be lists or nested lists (as in saved questions).
package waissource

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"example.org/deref/schemes/internal/urifield"
	"example.org/deref/uri"
)

// A Source describes a database. Texts are as in the file, often in ISO Latin 1.
type Source struct {
	Host, Address  string // ip-name, ip-address
	Port           int    // 210 by default
	Database       string
	Cost, CostUnit string
	Maintainer     string
	Keywords       []string
	Fields         []string // field names of freeWAIS-sf for queries; nil if the file lists none
	Description    string
}

// Limits of a file and of its lists.
const (
	MaxLen     = 64 << 10
	maxNesting = 20
	maxPort    = 65535
	wellKnown  = 210
)

// An Error describes why a text is not a source file.
type Error string

func (e Error) Error() string { return string(e) }

// Parse parses a source file.
func Parse(text string) (*Source, error) {
	if len(text) > MaxLen {
		return nil, Error(fmt.Sprintf("the source file is longer than %d bytes", MaxLen))
	}
	p := &parser{rest: text}
	if t := p.next(); t != (token{kind: open}) {
		return nil, Error("not a source file: it does not begin with a parenthesis")
	}
	if t := p.next(); t.kind != word || !strings.EqualFold(t.text, ":source") {
		return nil, Error("not a source file: it does not begin with (:source")
	}
	s := &Source{Port: wellKnown}
	for {
		switch t := p.next(); {
		case t.kind == closing:
			return s, nil
		case t.kind != word || !strings.HasPrefix(t.text, ":"):
			return nil, Error("keyword missing")
		default:
			v, err := p.value(0)
			if err == nil {
				err = s.set(strings.ToLower(t.text), v)
			}
			if err != nil {
				return nil, err
			}
		}
	}
}

func (s *Source) set(keyword string, v value) error {
	switch keyword {
	case ":ip-name":
		s.Host = v.text
	case ":ip-address":
		s.Address = v.text
	case ":tcp-port":
		n, err := strconv.Atoi(v.text)
		if err != nil || n < 1 || n > maxPort {
			return Error("bad port")
		}
		s.Port = n
	case ":database-name":
		s.Database = v.text
	case ":cost":
		s.Cost = v.text
	case ":cost-unit":
		s.CostUnit = strings.TrimPrefix(v.text, ":")
	case ":maintainer":
		s.Maintainer = v.text
	case ":keyword-list":
		s.Keywords = v.list
	case ":fields":
		for _, f := range v.in {
			s.field(f.list)
		}
	case ":description":
		s.Description = v.text
	}
	return nil
}

// field parses one of ( (:field :name "au" :type ( text ) :description "Author") ... ), as written by waisindex of freeWAIS-sf.
func (s *Source) field(list []string) {
	for i := 1; i+1 < len(list); i++ {
		if strings.EqualFold(list[0], ":field") && strings.EqualFold(list[i], ":name") {
			s.Fields = append(s.Fields, list[i+1])
			return
		}
	}
}

// URL returns the URI of the database, "" if the file lacks the host or has a bad one.
func (s *Source) URL() string {
	host := cmp.Or(s.Host, s.Address)
	if host == "" || s.Database == "" || strings.Trim(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:") != "" {
		return ""
	}
	return "wais://" + urifield.Authority(host, s.Port, wellKnown) + "/" + uri.EscapeBut(s.Database, "-._~")
}

// String writes the file in the layout of waisindex.
func (s *Source) String() string {
	var b strings.Builder
	b.WriteString("(:source\n   :version 3\n")
	fmt.Fprintf(&b, "   :ip-name %s\n", quote(s.Host))
	if s.Address != "" {
		fmt.Fprintf(&b, "   :ip-address %s\n", quote(s.Address))
	}
	fmt.Fprintf(&b, "   :tcp-port %d\n   :database-name %s\n   :cost %s\n   :cost-unit :%s\n   :maintainer %s\n",
		s.Port, quote(s.Database), cmp.Or(s.Cost, "0.00"), cmp.Or(s.CostUnit, "free"), quote(s.Maintainer))
	if len(s.Keywords) > 0 {
		fmt.Fprintf(&b, "   :keyword-list ( %s )\n", strings.Join(s.Keywords, " "))
	}
	if len(s.Fields) > 0 {
		b.WriteString("   :fields (\n")
		for _, name := range s.Fields {
			fmt.Fprintf(&b, "                  (:field\n                   :name %s)\n", quote(name))
		}
		b.WriteString("           )\n")
	}
	fmt.Fprintf(&b, "   :description %s\n)\n", quote(s.Description))
	return b.String()
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
