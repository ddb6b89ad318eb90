package httpbridge

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"example.org/deref/fetch"
)

// ours starts the entity tags that encode validators of other schemes (a date and a size, the number of a message), which are not entity
// tags themselves (RFC 9110 section 8.8.3). Options decodes them, so that nothing needs to be stored.
const ours = `W/"deref.`

// entityTag returns the entity tag for a validator, or "".
func entityTag(v fetch.Validator) string {
	switch {
	case isEntityTag(v.Tag):
		return v.Tag
	case v.Tag == "" && (v.Modified == "" || v.Size <= 0):
		return ""
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return ours + base64.RawURLEncoding.EncodeToString(b) + `"`
}

// isEntityTag reports whether s is a valid entity tag.
func isEntityTag(s string) bool {
	s = strings.TrimPrefix(s, "W/")
	return len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' && strings.Count(s, `"`) == 2 &&
		!strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

// validator is the inverse of entityTag. A list of tags is passed on unchanged, since HTTP servers understand it.
func validator(tag string) fetch.Validator {
	rest, made := strings.CutPrefix(tag, ours)
	if b, err := base64.RawURLEncoding.DecodeString(strings.TrimSuffix(rest, `"`)); made && err == nil {
		var v fetch.Validator
		if json.Unmarshal(b, &v) == nil && !v.IsZero() && !strings.ContainsAny(v.Tag+v.Modified, "\r\n\x00") {
			return v
		}
	}
	return fetch.Validator{Tag: tag}
}

// ifChanged returns the condition of a request (RFC 9110 sections 13.1.2 and 13.1.3). A tag takes precedence over a date.
func ifChanged(r *http.Request) fetch.Validator {
	if tag := r.Header.Get("If-None-Match"); tag != "" {
		return validator(tag)
	}
	return fetch.Validator{Modified: r.Header.Get("If-Modified-Since")}
}

// ifSame returns the condition of a range request (RFC 9110 section 13.1.5).
func ifSame(r *http.Request) fetch.Validator {
	field := r.Header.Get("If-Range")
	if _, err := http.ParseTime(field); err == nil {
		return fetch.Validator{Modified: field}
	}
	if field == "" {
		return fetch.Validator{}
	}
	return validator(field)
}

// unchanged reports whether d has not changed since the request's validator, in case the scheme has not checked that itself.
func unchanged(r *http.Request, d *fetch.Document) bool {
	want := ifChanged(r)
	if want.Tag != "" || want.Size > 0 {
		return want.Same(d.Validator)
	}
	if want.Modified == "" {
		return false // ParseTime would try all formats
	}
	since, err := http.ParseTime(want.Modified)
	return err == nil && !d.Modified.IsZero() && !d.Modified.Truncate(time.Second).After(since)
}
