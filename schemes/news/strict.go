package news

// strict makes the session report texts that are not dot-stuffed to the present request.
func (r *run) strict() {
	r.s.unstuffed = nil
	if r.env.Strict() {
		env := r.env
		r.s.unstuffed = func() { env.Deviates("RFC 3977 section 3.1.1", "the text", "a line that begins with one dot") }
	}
}

func (w *lineConn) notStuffed() {
	if w.unstuffed != nil {
		w.unstuffed()
	}
}
