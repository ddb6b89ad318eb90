package gemtext

import (
	"io"
	"iter"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gemtext"
	"example.org/deref/uri"
)

// Entries yields the links and the text lines of a document whose URI is base, with the limits of env. prompts allows links that need input.
func Entries(r io.Reader, base uri.URI, env *fetch.Env, prompts bool) iter.Seq2[fetch.Entry, error] {
	lines := gemtext.Lines(r, env.Limits().Line, prompts)
	if env.Strict() {
		lines = strict(lines, env)
	}
	return gemtext.Entries(lines, base)
}

// strict reports links that are not URI references until something is escaped in them.
func strict(lines iter.Seq2[gemtext.Line, error], env *fetch.Env) iter.Seq2[gemtext.Line, error] {
	return func(yield func(gemtext.Line, error) bool) {
		for l, err := range lines {
			if l.Link != "" && uri.Grammar(l.Link) != nil {
				env.Deviates("RFC 3986 Appendix A", "a link of the page", "not a URI reference")
			}
			if !yield(l, err) {
				return
			}
		}
	}
}
