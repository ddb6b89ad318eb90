package cache

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxHeuristic bounds the freshness of what its server says nothing about. RFC 9111 section 4.2.2.
const maxHeuristic = 24 * time.Hour

// directives reads Cache-Control: names in lower case, values unquoted. RFC 9111 section 5.2.
func directives(header map[string][]string) map[string]string {
	d := map[string]string{}
	for _, line := range header["Cache-Control"] {
		for part := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(strings.Trim(part, " \t"), "=")
			if name = strings.ToLower(name); name != "" {
				if _, twice := d[name]; !twice {
					d[name] = strings.Trim(value, `" `)
				}
			}
		}
	}
	if _, any := header["Cache-Control"]; !any && strings.Contains(strings.ToLower(strings.Join(header["Pragma"], ",")), "no-cache") {
		d["no-cache"] = ""
	}
	return d
}

// seconds reads a delta-seconds; one that cannot be read is 0, which is stale (RFC 9111 section 4.2.1).
func seconds(s string) time.Duration {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		if strings.HasPrefix(err.Error(), "strconv") && strings.Trim(s, "0123456789") == "" && s != "" {
			return (1<<31 - 1) * time.Second // too large to hold (section 1.2.2)
		}
		return 0
	}
	return time.Duration(n) * time.Second
}

// Storable reports whether an answer may be kept. RFC 9111 section 3: only the whole answers of GET are, and only what can be fresh or
// be asked about again.
func Storable(status int, request, header map[string][]string) bool {
	if status != 200 {
		return false
	}
	d := directives(header)
	if _, no := d["no-store"]; no {
		return false
	}
	if _, no := directives(request)["no-store"]; no {
		return false
	}
	for _, line := range header["Vary"] {
		if strings.Contains(line, "*") {
			return false
		}
	}
	m := Meta{Header: header, Received: time.Now()}
	return m.lifetime() > 0 || has(header, "Etag") || has(header, "Last-Modified")
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
	if date, err := http.ParseTime(m.first("Date")); err == nil {
		age = max(0, m.Received.Sub(date))
	}
	age = max(age, seconds(m.first("Age"))+m.Received.Sub(m.Requested))
	return age + max(0, now.Sub(m.Received))
}

// Answers reports whether the answer may be used for a request with those fields without asking. RFC 9111 sections 4.2 and 5.2.1.
func (m *Meta) Answers(request map[string][]string, now time.Time) bool {
	own, wish := directives(m.Header), directives(request)
	_, ask := own["no-cache"]
	_, reload := wish["no-cache"]
	if ask || reload {
		return false
	}
	age := m.Age(now)
	if most, ok := wish["max-age"]; ok && age > seconds(most) {
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

func (m *Meta) lifetime() time.Duration {
	d := directives(m.Header)
	if v, ok := d["max-age"]; ok {
		return seconds(v)
	}
	date, err := http.ParseTime(m.first("Date"))
	if err != nil {
		date = m.Received
	}
	if _, ok := m.Header["Expires"]; ok {
		expires, err := http.ParseTime(m.first("Expires"))
		if err != nil {
			return 0 // "0" and the like: in the past (section 5.3)
		}
		return expires.Sub(date)
	}
	if modified, err := http.ParseTime(m.first("Last-Modified")); err == nil {
		return min(date.Sub(modified)/10, maxHeuristic)
	}
	return 0
}

// ServesErrors reports whether the answer, though stale, may stand in for a server that fails. RFC 5861 section 4.
func (m *Meta) ServesErrors(now time.Time) bool {
	d := directives(m.Header)
	window, ok := d["stale-if-error"]
	_, never := d["must-revalidate"]
	_, ask := d["no-cache"]
	return ok && !never && !ask && m.Age(now) < m.lifetime()+seconds(window)
}

func (m *Meta) first(name string) string {
	if v := m.Header[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}
