package gopher

import "example.org/deref/fetch"

// A reporter reports what a server does against the specification, as fetch.Env.Deviates.
type reporter func(section, where, format string, args ...any)

// strictly returns the reporter for a response, nil unless deviations are reported.
func strictly(env *fetch.Env) reporter {
	if !env.Strict() {
		return nil
	}
	return env.Deviates
}

// textReporter returns the reporter for the lines of an item. It returns nil for types that are not in RFC 1436, such as HTML: nothing says
// how they end.
func textReporter(env *fetch.Env, item byte) reporter {
	switch item {
	case itemText, itemMenu, itemSearch, itemError, '4', '6':
		return strictly(env)
	}
	return nil
}

// textRule is the section with the grammar of texts and menus: lines with CRLF, doubled dots, and a last line of one dot.
const textRule = "RFC 1436 Appendix"
