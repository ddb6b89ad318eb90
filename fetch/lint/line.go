package lint

import (
	"slices"

	"example.org/deref/fetch"
)

// Protocols of one line: a correct server may answer anything, but it answers.

func fingerTable() table {
	const line = "RFC 1288 section 2.2"
	return table{schemes: []string{"finger"}, checks: []check{
		{name: "the URI", rule: "it is answered by lines that end with CRLF", section: line},
		{name: "the list of users", rule: "the empty query is answered or refused", section: "RFC 1288 section 2.5.1", at: atPath("/"), optional: true},
		{name: "the long form", rule: "/W is a request for the long form, not a name", section: "RFC 1288 section 2.5.4", options: set("finger.long", "yes")},
		{name: "a missing user", rule: "a name that does not exist is answered", section: line, at: atPath("/" + missing), optional: true},
	}}
}

func whoisTable() table {
	const line = "RFC 3912 section 2"
	return table{schemes: []string{"whois"}, checks: []check{
		{name: "the URI", rule: "it is answered, and the connection is closed", section: line},
		{name: "a missing name", rule: "a name that does not exist is answered", section: line, at: atPath("/" + missing + ".invalid"), optional: true},
		{name: "the URI again", rule: "it is answered", section: line},
	}}
}

func dictTable() table {
	const define, match, responses = "RFC 2229 section 3.2.2", "RFC 2229 section 3.3.1", "RFC 2229 section 3.3.2"
	return table{schemes: []string{"dict"}, checks: []check{
		{name: "the URI", rule: "it is answered", section: define},
		{name: "SHOW DB", rule: "the databases are listed, or there are none (554)", section: "RFC 2229 section 3.5.1", at: atPath("/show:db"), optional: true},
		{name: "SHOW STRAT", rule: "exact and prefix are among the strategies", section: match, at: atPath("/show:strat"), judge: hasStrategies},
		{name: "SHOW SERVER", rule: "it is answered", section: "RFC 2229 section 3.5.4", at: atPath("/show:server")},
		{name: "STATUS", rule: "it is answered", section: "RFC 2229 section 3.7", at: atPath("/status")},
		{name: "HELP", rule: "it is answered", section: "RFC 2229 section 3.8", at: atPath("/help")},
		absent("DEFINE of a missing word", "a word without a definition is 552", define, atPath("/d:"+missing)),
		absent("DEFINE in a missing database", "a database that does not exist is 550", define, atPath("/d:a:"+missing)),
		absent("MATCH by a missing strategy", "a strategy that does not exist is 551", responses, atPath("/m:a:*:"+missing)),
		absent("MATCH by exact", "every server knows the strategy", match, atPath("/m:"+missing+":*:exact")),
		{name: "MATCH by prefix", rule: "every server knows the strategy", section: match, at: atPath("/m:a:*:prefix"), optional: true},
	}}
}

func hasStrategies(_ *site, a *answer) string {
	for _, want := range []string{"exact", "prefix"} {
		if !slices.ContainsFunc(a.entries, func(e fetch.Entry) bool { return e.Value("strategy") == want }) {
			return "the strategy " + want + " is missing"
		}
	}
	return ""
}
