package z3950

// A field is an element whose value is a number or a text.
type field struct {
	tag   int
	value any // *int, or *string
}

// fields are elements in the order in which they are sent.
type fields []field

// append appends the fields that are present: numbers that are not negative, and texts that are not empty.
func (l fields) append(b []byte) []byte {
	for _, f := range l {
		switch v := f.value.(type) {
		case *int:
			b = appendNumber(b, f.tag, *v)
		case *string:
			b = appendText(b, f.tag, *v)
		}
	}
	return b
}

// parse stores the value of an element. It ignores tags that are not in the list.
func (l fields) parse(tag int, value []byte) (err error) {
	for _, f := range l {
		if f.tag != tag {
			continue
		}
		switch v := f.value.(type) {
		case *int:
			*v, err = number(tag, value)
		case *string:
			*v = string(value)
		}
	}
	return err
}
