package mailstore

import (
	"bytes"
	"io"
)

// beginning is what stands before a message that is not the first, and begins it.
const beginning = "\n\nFrom "

// window is how much of a mailbox is looked at at a time.
const window = 64 << 10

// Before returns where the last message of a mailbox begins that begins at an offset or before it; ok is false where none does. The
// mailbox must be one that quotes the lines of its texts, as a Writer's is: in others such a line may be taken for a message.
func Before(mbox io.ReaderAt, at int64) (start int64, ok bool, err error) {
	buf := make([]byte, window+len(beginning))
	for high := at; ; high -= window {
		from := max(0, high-window-int64(len("\n\n")))
		n, err := mbox.ReadAt(buf[:high+int64(len("From "))-from], from)
		if err != nil && err != io.EOF {
			return 0, false, err
		}
		if i := bytes.LastIndex(buf[:n], []byte(beginning)); i >= 0 {
			return from + int64(i+len("\n\n")), true, nil
		}
		if from == 0 {
			return 0, bytes.HasPrefix(buf[:n], []byte("From ")), nil
		}
	}
}
