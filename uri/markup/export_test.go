package markup

// IsMarkup reports whether the content of the current start tag is markup although its name suggests text. IsForeign reports whether the tag is
// in SVG or MathML.
func (t *Tokenizer) IsMarkup() bool  { return t.isStart() && t.isMarkup() }
func (t *Tokenizer) IsForeign() bool { return t.around.inside() }
