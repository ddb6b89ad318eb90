package cache

import (
	"strconv"
	"strings"
	"time"
)

// directives parses Cache-Control: names in lower case, values without quotes. The first of several counts (RFC 9111 section 4.2.1), except
// that no-cache for the whole response wins over no-cache for some of its fields, whose names are collected. RFC 9111 section 5.2.
func directives(header map[string][]string) map[string]string {
	d := map[string]string{}
	for _, line := range header["Cache-Control"] {
		for _, member := range members(line) {
			name, value, isSet := strings.Cut(member, "=")
			name = strings.ToLower(name)
			if trimmed := strings.TrimRight(name, " \t"); trimmed != name { // no space is allowed there
				if name, value = trimmed, invalid; name == "no-cache" {
					value = ""
				}
			}
			value = unquote(value)
			before, twice := d[name]
			switch {
			case name == "":
			case name == "no-cache" && twice && (before == "" || !isSet || value == ""):
				d[name] = ""
			case name == "no-cache" && twice:
				d[name] = before + "," + value
			case !twice:
				d[name] = value
			}
		}
	}
	if _, any := header["Cache-Control"]; !any && strings.Contains(strings.ToLower(strings.Join(header["Pragma"], ",")), "no-cache") {
		d["no-cache"] = ""
	}
	return d
}

// invalid replaces an invalid value.
const invalid = "?"

// members splits a list of RFC 9110 section 5.6.1 at the commas that are not quoted. After a quote that is never closed every comma splits,
// so that directives after it are not missed.
func members(line string) (list []string) {
	start, quoted := 0, -1
	for i := 0; i < len(line); i++ {
		switch {
		case quoted >= 0 && line[i] == '\\':
			i++
		case line[i] == '"' && quoted >= 0:
			quoted = -1
		case line[i] == '"':
			quoted = i
		case line[i] == ',' && quoted < 0:
			list = append(list, strings.Trim(line[start:i], " \t"))
			start = i + 1
		}
	}
	if quoted >= 0 {
		for part := range strings.SplitSeq(line[start:], ",") {
			list = append(list, strings.Trim(part, " \t"))
		}
		return list
	}
	return append(list, strings.Trim(line[start:], " \t"))
}

// unquote returns the contents of a quoted string. It returns a token unchanged.
func unquote(value string) string {
	if len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return value
	}
	value = value[1 : len(value)-1]
	if !strings.Contains(value, `\`) {
		return value
	}
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] == '\\' && i+1 < len(value) {
			i++
		}
		b.WriteByte(value[i])
	}
	return b.String()
}

// seconds parses a delta-seconds. An invalid one is 0, which is stale (RFC 9111 section 4.2.1). One that is too large becomes the largest
// (section 1.2.2).
func seconds(s string) time.Duration {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0
	}
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		n = 1<<31 - 1
	}
	return time.Duration(n) * time.Second
}
