package lint

import (
	"strconv"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func newsTable() table {
	const article = "RFC 3977 section 6.2.1"
	last := set("news.last", "20")
	return table{schemes: []string{"news", "nntp", "snews", "nntps"}, isFile: isKind(fetch.KindMessage), checks: []check{
		{name: "the URI", rule: "it is sent", section: article, options: last, learn: learnGroup},
		{name: "the groups", rule: "LIST is answered by a list", section: "RFC 3977 section 7.6.3", at: atName("*"), judge: isListing, learn: learnGroup},
		{name: "a group", rule: "its articles are listed", section: "RFC 3977 section 8.3", at: atGroup, options: last, judge: isListing, learn: learnArticle},
		{name: "an article by its identifier", rule: "it is sent", section: article, at: atFile, judge: remember},
		{name: "the article by its number", rule: "it is the same", section: article, at: atNumber, judge: isSame},
		{name: "the head of the article", rule: "it is sent", section: "RFC 3977 section 6.2.2", at: atFile, options: set("news.command", "head")},
		{name: "the body of the article", rule: "it is sent", section: "RFC 3977 section 6.2.3", at: atFile, options: set("news.command", "body")},
		absent("a missing identifier", "an article that does not exist is 430", article, atName("deref-lint@no-such-name.invalid")),
		absent("a missing number", "a number without an article is 423", article, atMissingNumber),
		absent("a missing group", "a group that does not exist is 411", "RFC 3977 section 6.1.1", atName("deref.lint.no.such.name")),
	}}
}

// atName returns a name on the server by the scheme of news URIs, since those of nntp have numbers only.
func atName(name string) place {
	return func(s *site) (uri.URI, bool) {
		scheme := s.base.Scheme()
		switch scheme {
		case "nntp":
			scheme = "news"
		case "nntps":
			scheme = "snews"
		}
		u, err := s.base.Edit().Scheme(scheme).Path(uri.Escaped("/" + name)).NoQuery().NoFragment().URI()
		return u, err == nil && s.base.Host() != ""
	}
}

func atGroup(s *site) (uri.URI, bool) { return s.group, !s.group.IsZero() }

// learnGroup finds a group with articles, but not a large one.
func learnGroup(s *site, a *answer) {
	if !s.group.IsZero() {
		return
	}
	most := 0
	for _, e := range a.entries {
		if n, err := strconv.Atoi(e.Value("articles")); e.Kind == fetch.KindGroup && err == nil && n > most && n < 1000 {
			s.group, most = e.URI, n
		}
		if e.Kind == fetch.KindMessage {
			s.group = a.uri
			learnArticle(s, a)
			return
		}
	}
}

func learnArticle(s *site, a *answer) {
	for _, e := range a.entries {
		if e.Kind == fetch.KindMessage && s.sameServer(e.URI) && e.Size <= maxBody/2 && s.file.IsZero() {
			s.file, s.entry = e.URI, e
		}
	}
}

// atNumber returns the URI of the article by its number in the group.
func atNumber(s *site) (uri.URI, bool) { return numbered(s, s.entry.Value("number")) }

// atMissingNumber returns the largest number of a group (RFC 3977 section 6), which no article has.
func atMissingNumber(s *site) (uri.URI, bool) { return numbered(s, "2147483647") }

// numbered returns the URI of a number in the group, if both are known.
func numbered(s *site, n string) (uri.URI, bool) {
	u, err := s.group.Edit().Path(uri.Escaped(strings.TrimSuffix(string(s.group.Path()), "/") + "/" + n)).URI()
	return u, err == nil && !s.group.IsZero() && n != ""
}
