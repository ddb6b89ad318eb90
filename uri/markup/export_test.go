package markup

// IsMarkup reports whether the content of the start tag at hand is markup though the tokenizer would not see it as such, and IsForeign whether
// the tag is within SVG or MathML.
func (t *Tokenizer) IsMarkup() bool  { return t.isStart() && t.isMarkup() }
func (t *Tokenizer) IsForeign() bool { return t.around.inside() }
