package mail

import (
	"slices"
	"strconv"
	"strings"

	wire "github.com/emersion/go-imap/v2"

	"example.org/deref/fetch"
)

// A part is a section of a message: RFC 9051 section 6.4.5. from and length are octets, length 0 the whole.
type part struct {
	spec         string
	from, length int64
}

// item is the library's form of a section-spec.
func (x part) item() (*wire.FetchItemBodySection, error) {
	it := &wire.FetchItemBodySection{Peek: true}
	spec := x.spec
	for spec != "" && spec[0] >= '0' && spec[0] <= '9' {
		number, rest, _ := strings.Cut(spec, ".")
		n, err := strconv.ParseInt(number, 10, 32)
		if err != nil || n == 0 {
			return nil, badSection()
		}
		it.Part, spec = append(it.Part, int(n)), rest
	}
	if x.from > 0 || x.length > 0 {
		it.Partial = &wire.SectionPartial{Offset: x.from, Size: x.length}
	}
	word, fields, has := strings.Cut(spec, " ")
	switch word = strings.ToUpper(word); word {
	case "", "HEADER", "TEXT", "MIME":
		if has || strings.HasSuffix(x.spec, ".") || word == "MIME" && len(it.Part) == 0 {
			return nil, badSection()
		}
		it.Specifier = wire.PartSpecifier(word)
		return it, nil
	case "HEADER.FIELDS", "HEADER.FIELDS.NOT":
		names := strings.Fields(strings.TrimSuffix(strings.TrimPrefix(fields, "("), ")"))
		if len(names) == 0 || !strings.HasPrefix(fields, "(") || !strings.HasSuffix(fields, ")") || slices.ContainsFunc(names, func(n string) bool { return !isFieldName(n) }) {
			return nil, badSection()
		}
		it.Specifier = wire.PartSpecifierHeader
		if word == "HEADER.FIELDS" {
			it.HeaderFields = names
		} else {
			it.HeaderFieldsNot = names
		}
		return it, nil
	}
	return nil, badSection()
}

func badSection() error {
	return fetch.Errorf(fetch.ErrRefusedURL, "SECTION is a section-spec (RFC 9051 section 6.4.5)")
}
