package news

import (
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/wildmat"
	"example.org/deref/uri"
)

// An Archive holds articles that servers no longer have: the open problem of the drafts, for which a user may know an answer.
type Archive struct {
	Groups string // a wildmat; an article that is known by its message-id alone is of no group, and matches "*"
	// URI leads to the article: {id} is its message-id, {group} its group and {number} its number, escaped for a segment of a path, or
	// for a value of a query after the "?". One that needs what is not known is passed over.
	URI string
}

// readArchives reads those of one request. A wildmat has no "=".
func parseArchives(values []string) (list []Archive, err error) {
	for _, v := range values {
		groups, text, ok := strings.Cut(v, "=")
		u, err := uri.Parse(strings.NewReplacer("{id}", "i", "{group}", "g", "{number}", "1").Replace(text))
		if !ok || groups == "" || err != nil || !u.IsAbs() {
			return nil, fetch.BadSetting("news.archive", "news.archive is WILDMAT=URI, not %q", v)
		}
		list = append(list, Archive{groups, text})
	}
	return list, nil
}

// archived leads to the archives that may have an article that the server does not have (any more); nil where there is none.
func (r *run) archiveReferrals(a reply) *fetch.Document {
	if a.code != 423 && a.code != 430 {
		return nil
	}
	var list []fetch.Referral
	for _, archive := range slices.Concat(r.settings.archives, r.variant.archives) {
		if u, ok := r.archiveURI(archive); ok {
			list = append(list, fetch.Referral{URI: u, Reason: "archive of " + archive.Groups, Own: true})
		}
	}
	if len(list) == 0 {
		return nil
	}
	d := fetch.NewDocument(nil)
	d.Size, d.Referrals = 0, list
	return d
}

// at fills in an archive's URI.
func (r *run) archiveURI(a Archive) (uri.URI, bool) {
	group := ""
	if r.Group != nil {
		group = string(*r.Group)
	}
	if !wildmat.Match(a.Groups, group) {
		return uri.URI{}, false
	}
	text := a.URI
	for _, v := range []struct {
		name  string
		value func() (string, bool)
	}{
		{"{id}", func() (string, bool) { return known(r.MessageID) }},
		{"{group}", func() (string, bool) { return known(r.Group) }},
		{"{number}", func() (string, bool) { return r.span(settings{}), r.What == whatNumber }},
	} {
		if !strings.Contains(text, v.name) {
			continue
		}
		value, ok := v.value()
		if !ok {
			return uri.URI{}, false
		}
		path, query, has := strings.Cut(text, "?")
		if text = strings.ReplaceAll(path, v.name, escape(value)); has {
			text += "?" + strings.ReplaceAll(query, v.name, uri.EscapeBut(value, "-._~"))
		}
	}
	u, err := uri.Parse(text)
	return u, err == nil && u.IsAbs()
}

func known(s *fetch.Octets) (string, bool) {
	if s == nil {
		return "", false
	}
	return string(*s), true
}
