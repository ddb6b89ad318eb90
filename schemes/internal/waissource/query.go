package waissource

import (
	"slices"
	"strings"
)

// freeText is a field of every database of freeWAIS-sf: the whole text.
const freeText = "text"

// UnknownField returns the first field in a query that the source file does not list. It returns "" if there is none, or if the
// file lists no fields at all.
func (s *Source) UnknownField(query string) string {
	if len(s.Fields) == 0 {
		return ""
	}
	for _, name := range FieldsOf(query) {
		if !strings.EqualFold(name, freeText) && !slices.ContainsFunc(s.Fields, func(f string) bool { return strings.EqualFold(f, name) }) {
			return name
		}
	}
	return ""
}

// FieldsOf returns the fields in a query, in order. In the language of freeWAIS-sf 2.2 a field precedes "=", "==", "<" or ">". "<*" begins a
// weight, and text in quotation marks is a phrase.
func FieldsOf(query string) (list []string) {
	word := ""
	for query != "" {
		c := query[0]
		switch {
		case c == '"' || c == '\'':
			end := strings.IndexByte(query[1:], c)
			if end < 0 {
				return list
			}
			word, query = "", query[end+1:]
		case strings.IndexByte(" \t\r\n", c) >= 0:
		case c == '(' || c == ')' || strings.HasPrefix(query, "<*"):
			word = ""
		case c == '=' || c == '<' || c == '>':
			if word != "" {
				list = append(list, word)
			}
			word = ""
		default:
			end := strings.IndexAny(query, " \t\r\n()=<>\"'")
			if end < 0 {
				return list
			}
			word, query = query[:end], query[end:]
			continue
		}
		query = query[1:]
	}
	return list
}
