package lint

import (
	"strings"

	"example.org/deref/fetch"
)

func gopherTable() table {
	const items, menus = "RFC 1436 section 3.8", "RFC 1436 section 2"
	isText := func(e fetch.Entry) bool { return e.Kind == fetch.KindFile && strings.HasPrefix(e.Type, "text/plain") }
	return table{schemes: []string{"gopher", "gophers"}, isFile: isText, checks: []check{
		{name: "the URI", rule: "it is sent", section: menus},
		{name: "the first menu", rule: "the empty selector is the first menu", section: menus, at: atPath("/"), judge: isListing},
		{name: "a text", rule: "an item of the menu exists", section: items, at: atFile, judge: remember},
		{name: "a document that is not a text", rule: "an item of the menu exists", section: items,
			at: entryOf(func(e fetch.Entry) bool { return e.Kind == fetch.KindFile && !isText(e) })},
		{name: "another menu", rule: "an item of the menu exists", section: items, judge: isListing,
			at: entryOf(isKind(fetch.KindMenu))},
		{name: "a search", rule: "words after a TAB are searched", section: "RFC 1436 Appendix", judge: isListing, options: words,
			at: entryOf(isKind(fetch.KindSearch))},
		absent("a missing text", "a selector that does not exist is an item of type 3", items, atPath("/0/"+missing)),
		absent("a missing menu", "a selector that does not exist is an item of type 3", items, atPath("/1/"+missing+"/")),
		{name: "the text again", rule: "the same text is sent", section: items, at: atFile, judge: isSame},
	}}
}

func words(_ *site, o *fetch.Options) { o.Search = []string{"deref", "lint"} }
