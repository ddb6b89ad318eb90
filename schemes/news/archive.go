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
	values := map[string]string{}
	if r.MessageID != nil {
		values["{id}"] = string(*r.MessageID)
	}
	if r.Group != nil {
		values["{group}"] = group
	}
	if r.What == whatNumber {
		values["{number}"] = r.span(settings{})
	}
	path, query, has := strings.Cut(a.URI, "?")
	for _, name := range [...]string{"{id}", "{group}", "{number}"} {
		value, known := values[name]
		if !known && strings.Contains(a.URI, name) {
			return uri.URI{}, false
		}
		path = strings.ReplaceAll(path, name, escape(value))
		query = strings.ReplaceAll(query, name, uri.EscapeBut(value, "-._~"))
	}
	if has {
		path += "?" + query
	}
	u, err := uri.Parse(path)
	return u, err == nil && u.IsAbs()
}
