package tn3270

// edit performs a key's function on the screen. It returns false if that is not possible.
func (v view) edit(k key) bool {
	switch k.name {
	case "":
		return v.typeChar(k.char)
	case "tab":
		v.cursor = v.nextInput(v.cursor)
	case "backtab":
		v.cursor = v.previousInput()
	case "newline":
		v.cursor = v.nextInput(v.prev((v.cursor/v.cols + 1) % v.rows * v.cols))
	case "home":
		v.cursor = v.nextInput(len(v.cells) - 1)
	case "end":
		v.fieldEnd()
	case "up":
		v.cursor = (v.cursor + len(v.cells) - v.cols) % len(v.cells)
	case "down":
		v.cursor = (v.cursor + v.cols) % len(v.cells)
	case "left":
		v.cursor = v.prev(v.cursor)
	case "right":
		v.cursor = v.next(v.cursor)
	case "backspace":
		if !v.open(v.prev(v.cursor)) {
			return false
		}
		v.cursor = v.prev(v.cursor)
		return v.deleteChar()
	case "delete":
		return v.deleteChar()
	case "insert":
		v.insert = !v.insert
	case "erase-eof":
		return v.eraseToEnd()
	case "erase-input":
		v.eraseInput(0, 0)
		v.resetModified()
		v.cursor = v.nextInput(len(v.cells) - 1)
	case "reset":
		v.insert = false
	case "redraw":
	default:
		return false
	}
	return true
}

// typeChar writes a character at the cursor and moves on, at the end of a field to the next input field.
func (v view) typeChar(r rune) bool {
	b, ok := v.page.octet(r)
	if !ok || !v.open(v.cursor) {
		return false
	}
	if v.insert && !v.shift() {
		return false
	}
	v.cells[v.cursor].char, v.cells[v.cursor].apl = b, false
	v.touch()
	v.cursor = v.next(v.cursor)
	if v.cells[v.cursor].field {
		if skip := v.cells[v.cursor].attr; skip&protected != 0 && skip&numeric != 0 { // "auto-skip"
			v.cursor = v.nextInput(v.prev(v.cursor))
		} else {
			v.cursor = v.next(v.cursor)
		}
	}
	return true
}

// touch marks the cursor's field as modified.
func (v view) touch() {
	if f, ok := v.fieldAt(v.cursor); ok {
		v.cells[f].attr |= modified
	}
}

// rest returns the positions from the cursor to the end of its field.
func (v view) rest() (list []int) {
	for i, n := v.cursor, 0; n < len(v.cells) && !v.cells[i].field; i, n = v.next(i), n+1 {
		list = append(list, i)
	}
	return list
}

// shift inserts a position at the cursor if the field has room.
func (v view) shift() bool {
	list := v.rest()
	end := -1
	for n, i := range list {
		if v.cells[i].char == 0 {
			end = n
			break
		}
	}
	if end < 0 {
		return false
	}
	for n := end; n > 0; n-- {
		v.cells[list[n]] = v.cells[list[n-1]]
	}
	return true
}

func (v view) deleteChar() bool {
	if !v.open(v.cursor) {
		return false
	}
	list := v.rest()
	for n := 1; n < len(list); n++ {
		v.cells[list[n-1]] = v.cells[list[n]]
	}
	v.cells[list[len(list)-1]] = cell{}
	v.touch()
	return true
}

func (v view) eraseToEnd() bool {
	if !v.open(v.cursor) {
		return false
	}
	for _, i := range v.rest() {
		v.cells[i] = cell{}
	}
	v.touch()
	return true
}

// fieldEnd moves the cursor after the last character of the field.
func (v view) fieldEnd() {
	if !v.open(v.cursor) {
		return
	}
	list := v.rest()
	for n := len(list) - 1; n >= 0; n-- {
		if c := v.cells[list[n]].char; c != 0 && c != 0x40 {
			v.cursor = list[min(n+1, len(list)-1)]
			return
		}
	}
}

// previousInput returns the first position of this field, or of the previous unprotected one.
func (v view) previousInput() int {
	for i, n := v.prev(v.cursor), 0; n < len(v.cells); i, n = v.prev(i), n+1 {
		if p := v.prev(i); v.cells[p].field && v.cells[p].attr&protected == 0 && !v.cells[i].field {
			return i
		}
	}
	return 0
}
