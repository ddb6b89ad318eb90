package cache

import (
	"strings"
	"time"
)

// maxHeuristic bounds the freshness of a response without an explicit expiration time. RFC 9111 section 4.2.2.
const maxHeuristic = 24 * time.Hour

// Storable reports whether a response to GET may be stored. RFC 9111 section 3: it must be possible that it is fresh or can be revalidated,
// and its status must be final and describe a document or where it is. Temporary errors are never stored, whatever their freshness: a cache
// has no obligation to store. Neither is a redirect that sets a cookie, because repeating it without the cookie could be a loop.
func Storable(status int, request, header map[string][]string) bool {
	d := directives(header)
	_, no := d["no-store"]
	if _, must := d["must-understand"]; must && isUnderstood(status) {
		no = false // RFC 9111 section 5.2.2.3
	}
	if no || Forbids(request) || !isStorable(status) || status/100 == 3 && has(header, "Set-Cookie") {
		return false
	}
	if strings.Contains(strings.Join(header["Vary"], ","), "*") || needs(header["Connection"]...) {
		return false
	}
	m := Meta{Status: status, Header: header, Received: time.Now()}
	return m.lifetime() > 0 || has(header, "Etag") || has(header, "Last-Modified")
}

// Forbids reports whether a request with the given fields forbids the use of a cache.
func Forbids(request map[string][]string) bool {
	_, no := directives(request)["no-store"]
	return no
}

// OnlyCached reports whether a request with the given fields must not reach the server. RFC 9111 section 5.2.1.7.
func OnlyCached(request map[string][]string) bool {
	_, only := directives(request)["only-if-cached"]
	return only
}

// isStorable reports whether a response with the status may be stored. 206 and 304 refer to another response, 205 is for forms, 305 and 306
// are unused.
func isStorable(status int) bool {
	switch status {
	case 205, 206, 304, 305, 306:
		return false
	}
	return status/100 == 2 || status/100 == 3 || isHeuristic(status)
}

// isUnderstood reports whether the cache implements the caching requirements of the status.
func isUnderstood(status int) bool {
	return isHeuristic(status) || status == 201 || status == 202 || status == 302 || status == 303 || status == 307
}

// isHeuristic reports whether a response with the status may be fresh without an explicit expiration time. RFC 9110 section 15.1.
func isHeuristic(status int) bool {
	switch status {
	case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501:
		return true
	}
	return false
}

func has(header map[string][]string, name string) bool {
	return len(header[name]) > 0 && header[name][0] != ""
}

// Select returns the request's values of the fields that Vary names.
func Select(header map[string][]string, request func(name string) string) map[string]string {
	var v map[string]string
	for _, name := range named(header["Vary"]...) {
		if v == nil {
			v = map[string]string{}
		}
		v[name] = request(name)
	}
	return v
}

// Age returns the age of the response. RFC 9111 section 4.2.3.
func (m *Meta) Age(now time.Time) time.Duration {
	age := time.Duration(0)
	if date, ok := parseDate(m.First("Date"), m.Received); ok {
		age = max(0, m.Received.Sub(date))
	}
	declared, _, _ := strings.Cut(m.First("Age"), ",") // the first of several: RFC 9111 section 5.1
	age = max(age, seconds(strings.Trim(declared, " \t"))+m.Received.Sub(m.Requested))
	return age + max(0, now.Sub(m.Received))
}

// Answers reports whether the response may be used for a request with the given fields without revalidation. RFC 9111 sections 4.2 and
// 5.2.1.
func (m *Meta) Answers(request map[string][]string, now time.Time) bool {
	own, wanted := directives(m.Header), directives(request)
	_, reload := wanted["no-cache"]
	if mustRevalidate(own) || reload {
		return false
	}
	age := m.Age(now)
	if most, ok := wanted["max-age"]; ok && (age > seconds(most) || seconds(most) == 0) {
		return false
	}
	left := m.lifetime() - age - seconds(wanted["min-fresh"])
	_, never := own["must-revalidate"]
	if most, ok := wanted["max-stale"]; ok && !never {
		if most == "" {
			return true
		}
		left += seconds(most)
	}
	return left > 0
}

// mustRevalidate reports whether the response must not be used without revalidation. If that applies only to some fields, those are not
// stored.
func mustRevalidate(d map[string]string) bool {
	fields, ok := d["no-cache"]
	return ok && !isQualified(fields)
}

// lifetime returns how long the response is fresh. RFC 9111 section 4.2.1.
func (m *Meta) lifetime() time.Duration {
	d := directives(m.Header)
	if v, ok := d["max-age"]; ok {
		return seconds(v)
	}
	date, ok := parseDate(m.First("Date"), m.Received)
	if !ok {
		date = m.Received
	}
	if _, ok := m.Header["Expires"]; ok {
		expires, ok := parseDate(m.First("Expires"), m.Received)
		if !ok {
			return 0 // an invalid date, such as "0", is in the past (section 5.3)
		}
		return expires.Sub(date)
	}
	if _, public := d["public"]; !public && !isHeuristic(m.Status) {
		return 0
	}
	if modified, ok := parseDate(m.First("Last-Modified"), m.Received); ok {
		return min(date.Sub(modified)/10, maxHeuristic)
	}
	return 0
}

// ServesErrors reports whether the response may be used, although it is stale, after the server has failed. RFC 5861 section 4.
func (m *Meta) ServesErrors(now time.Time) bool {
	d := directives(m.Header)
	window, ok := d["stale-if-error"]
	_, never := d["must-revalidate"]
	return ok && !never && !mustRevalidate(d) && m.Age(now) < m.lifetime()+seconds(window)
}

// First returns the first value of a field, "" if there is none.
func (m *Meta) First(name string) string {
	if v := m.Header[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}
