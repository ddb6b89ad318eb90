package markup

// IsMarkup reports whether the content of the current start tag is markup although its name suggests text.
func (t *Tokenizer) IsMarkup() bool { return t.isStart() && t.isMarkup() }
