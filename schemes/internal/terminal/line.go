package terminal

// A Line is the line that a user types if the host does not echo. It is shown, can be edited, and is sent with Enter.
type Line struct{ text []byte }

// maxLine is the line length of terminal drivers.
const maxLine = 4096

// Type returns the bytes to send and the bytes to show.
func (l *Line) Type(p []byte) (send, show []byte) {
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\r', c == '\n':
			send = append(append(send, l.text...), '\r', '\n')
			show = append(show, '\r', '\n')
			l.text = l.text[:0]
			if c == '\r' && i+1 < len(p) && p[i+1] == '\n' {
				i++
			}
		case c == 0x7f, c == '\b':
			show = append(show, l.rubOut()...)
		case c == 'U'-'@': // Ctrl-U, the whole line
			for len(l.text) > 0 {
				show = append(show, l.rubOut()...)
			}
		case c < ' ' && c != '\t': // Ctrl-C and other control characters go to the host
			send = append(append(send, l.text...), c)
			l.text = l.text[:0]
		case len(l.text) < maxLine:
			l.text = append(l.text, c)
			show = append(show, c)
		}
	}
	return send, show
}

// Rest returns the unfinished line and begins another one, because the host echoes from now on.
func (l *Line) Rest() []byte {
	rest := l.text
	l.text = nil
	return rest
}

// rubOut deletes the last character, all bytes of its UTF-8.
func (l *Line) rubOut() []byte {
	n := len(l.text)
	if n == 0 {
		return nil
	}
	for n--; n > 0 && l.text[n]&0xc0 == 0x80; {
		n--
	}
	l.text = l.text[:n]
	return []byte("\b \b")
}
