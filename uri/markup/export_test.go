package markup

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// IsMarkup reports whether the content of the current start tag is markup although its name suggests text.
func (t *Tokenizer) IsMarkup() bool { return t.isStart() && t.isMarkup() }

// Token returns a tag or text as html.Tokenizer.Token does.
func (t *Tokenizer) Token() html.Token {
	k := html.Token{Type: t.kind, DataAtom: atom.Lookup([]byte(t.name)), Data: t.name + string(t.Text())}
	for name, value := range t.Attributes() {
		k.Attr = append(k.Attr, html.Attribute{Key: name, Val: value})
	}
	return k
}
