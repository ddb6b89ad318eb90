package frames

// Universal tags of BER.
const (
	Integer     = 0x02
	OctetString = 0x04
	Sequence    = 0x30
)

// maxLength stands for all lengths from there on, which nothing here has, so that a size is an int everywhere.
const maxLength = 1<<31 - 16

// An Element is a BER element with a tag of one byte and a definite length.
type Element struct {
	Tag      byte
	Contents []byte // as far as they are there
	Size     int    // of the whole element; 0 if its length has not arrived
}

// Next splits off the first element of b. ok is false if b does not begin with one. If b ends within the element, rest is empty and Size is 0 or
// larger than b.
func Next(b []byte) (e Element, rest []byte, ok bool) {
	if len(b) == 0 || b[0]&0x1f == 0x1f {
		return Element{}, nil, false
	}
	if e.Tag = b[0]; len(b) < 2 {
		return e, nil, true
	}
	n, at := int(b[1]), 2
	if n >= 0x80 {
		count := n & 0x7f
		if count == 0 || count > 4 {
			return Element{}, nil, false
		}
		if at += count; len(b) < at {
			return e, nil, true
		}
		n = 0
		for _, c := range b[2:at] {
			n = n<<8 | int(c)
		}
		if n < 0 || n > maxLength {
			n = maxLength
		}
	}
	e.Size = at + n
	end := min(len(b), e.Size)
	e.Contents = b[at:end]
	return e, b[end:], true
}

// Int returns the value of an INTEGER or ENUMERATED, 0 if it has no bytes or more than eight.
func (e Element) Int() (n int64) {
	if len(e.Contents) == 0 || len(e.Contents) > 8 {
		return 0
	}
	n = int64(int8(e.Contents[0]))
	for _, c := range e.Contents[1:] {
		n = n<<8 | int64(c)
	}
	return n
}

// A Reader reads elements one after the other. Bad is set when one is missing or only its beginning is there.
type Reader struct {
	Rest []byte
	Bad  bool
}

// Next returns the next element, the zero Element if there is none.
func (r *Reader) Next() Element {
	e, rest, ok := Next(r.Rest)
	r.Bad = r.Bad || !ok || e.Size == 0 || e.Size > len(r.Rest)
	r.Rest = rest
	return e
}

// Take returns the contents of the next element. Bad is set, too, if the element has another tag.
func (r *Reader) Take(tag byte) []byte {
	e := r.Next()
	r.Bad = r.Bad || e.Tag != tag
	return e.Contents
}

// Enter continues with the elements in the next one.
func (r *Reader) Enter() { r.Rest = r.Next().Contents }
