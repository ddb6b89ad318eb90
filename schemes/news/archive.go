package news

import (
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/lineproto"
	"example.org/deref/uri"
)

// An Archive holds articles that servers no longer have. The drafts do not specify how to find one, so the user configures it.
type Archive struct {
	Groups string // a wildmat; an article without a known group matches "*"
	// URI is the article's URI: {id} is replaced by its message-id, {group} by its group and {number} by its number, escaped for a path
	// segment, or for a query value after the "?". An Archive that needs an unknown value is skipped.
	URI string
}

// parseArchives parses the setting of a request. A wildmat has no "=".
func parseArchives(values []string) (list []Archive, err error) {
	for _, v := range values {
		groups, text, ok := strings.Cut(v, "=")
		u, err := uri.Parse(strings.NewReplacer("{id}", "i", "{group}", "g", "{number}", "1").Replace(text))
		if !ok || groups == "" || err != nil || !u.IsAbs() {
			return nil, fetch.BadSetting("news.archive", "news.archive is not WILDMAT=URI: %q", v)
		}
		list = append(list, Archive{groups, text})
	}
	return list, nil
}

// archiveReferrals returns referrals to the archives that may have an article that the server lacks, or nil.
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

// archiveURI fills in an archive's URI.
func (r *run) archiveURI(a Archive) (uri.URI, bool) {
	group := ""
	if r.Group != nil {
		group = string(*r.Group)
	}
	if !lineproto.MatchWildmat(a.Groups, group) {
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
