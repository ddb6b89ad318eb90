package cache

import (
	"net/http"
	"strings"
	"time"
)

// maxHeuristic bounds the freshness of what its server says nothing about. RFC 9111 section 4.2.2.
const maxHeuristic = 24 * time.Hour

// Storable reports whether a response to GET may be stored. RFC 9111 section 3: only what can be fresh or be asked about again, with a final status
// that says what a document is or where. Errors that may be gone at the next try never are, whatever the server says of their freshness: nothing
// obliges a cache to store. Neither is a redirect that sets a cookie, which would lead in circles without it.
func Storable(status int, request, header map[string][]string) bool {
	d := directives(header)
	_, no := d["no-store"]
	if _, must := d["must-understand"]; must && isUnderstood(status) {
		no = false // RFC 9111 section 5.2.2.3
	}
	if no || Forbids(request) || !isStorable(status) || status/100 == 3 && has(header, "Set-Cookie") {
		return false
	}
	for _, line := range header["Vary"] {
		if strings.Contains(line, "*") {
			return false
		}
	}
	for _, line := range header["Connection"] {
		if needs(line) {
			return false
		}
	}
	m := Meta{Status: status, Header: header, Received: time.Now()}
	return m.lifetime() > 0 || has(header, "Etag") || has(header, "Last-Modified")
}

// Forbids reports whether a request with those fields has nothing to do with what is stored.
func Forbids(request map[string][]string) bool {
	_, no := directives(request)["no-store"]
	return no
}

// OnlyCached reports whether a request with those fields must be answered without asking the server. RFC 9111 section 5.2.1.7.
func OnlyCached(request map[string][]string) bool {
	_, only := directives(request)["only-if-cached"]
	return only
}

// isStorable: 206 and 304 are about another response, 205 is for forms, 305 and 306 are not used.
func isStorable(status int) bool {
	switch status {
	case 205, 206, 304, 305, 306:
		return false
	case 404, 405, 410, 414, 501:
		return true
	}
	return status/100 == 2 || status/100 == 3
}

// isUnderstood reports whether status has a meaning, and is storable by it.
func isUnderstood(status int) bool {
	return isHeuristic(status) || status == 201 || status == 202 || status == 302 || status == 303 || status == 307
}

// isHeuristic reports whether a response with that status may be fresh though its server does not say for how long. RFC 9110 section 15.1.
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

// Select picks from the request what Vary names.
func Select(header map[string][]string, request func(name string) string) map[string]string {
	var v map[string]string
	for _, line := range header["Vary"] {
		for name := range strings.SplitSeq(line, ",") {
			if name = http.CanonicalHeaderKey(strings.Trim(name, " \t")); name != "" {
				if v == nil {
					v = map[string]string{}
				}
				v[name] = request(name)
			}
		}
	}
	return v
}

// Age is how old the answer is. RFC 9111 section 4.2.3.
func (m *Meta) Age(now time.Time) time.Duration {
	age := time.Duration(0)
	if date, ok := parseDate(m.First("Date"), m.Received); ok {
		age = max(0, m.Received.Sub(date))
	}
	said, _, _ := strings.Cut(m.First("Age"), ",") // the first of several: RFC 9111 section 5.1
	age = max(age, seconds(strings.Trim(said, " \t"))+m.Received.Sub(m.Requested))
	return age + max(0, now.Sub(m.Received))
}

// Answers reports whether the answer may be used for a request with those fields without asking. RFC 9111 sections 4.2 and 5.2.1.
func (m *Meta) Answers(request map[string][]string, now time.Time) bool {
	own, wish := directives(m.Header), directives(request)
	_, reload := wish["no-cache"]
	if asks(own) || reload {
		return false
	}
	age := m.Age(now)
	if most, ok := wish["max-age"]; ok && (age > seconds(most) || seconds(most) == 0) {
		return false
	}
	left := m.lifetime() - age - seconds(wish["min-fresh"])
	_, never := own["must-revalidate"]
	if most, ok := wish["max-stale"]; ok && !never {
		if most == "" {
			return true
		}
		left += seconds(most)
	}
	return left > 0
}

// asks reports whether the response must not be used without asking. That some of its fields must not is another matter: they are not stored.
func asks(d map[string]string) bool {
	fields, ok := d["no-cache"]
	return ok && !isQualified(fields)
}

// lifetime is for how long the response is fresh. RFC 9111 section 4.2.1.
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
			return 0 // "0" and the like: in the past (section 5.3)
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

// ServesErrors reports whether the answer, though stale, may stand in for a server that fails. RFC 5861 section 4.
func (m *Meta) ServesErrors(now time.Time) bool {
	d := directives(m.Header)
	window, ok := d["stale-if-error"]
	_, never := d["must-revalidate"]
	return ok && !never && !asks(d) && m.Age(now) < m.lifetime()+seconds(window)
}

// First returns the first value of a field, "" if there is none.
func (m *Meta) First(name string) string {
	if v := m.Header[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}
