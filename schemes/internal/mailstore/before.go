package mailstore

import (
	"bytes"
	"io"
)

// beginning precedes every message but the first, and begins it.
const beginning = "\n\n" + mark

// window is how much of a mailbox is read at a time.
const window = 64 << 10

// Before returns the offset of the last message of a mailbox that begins at or before an offset. ok is false if there is none. The
// mailbox must quote lines of its texts as a Writer does: in other mailboxes a line of a text can look like the beginning of a message.
func Before(mbox io.ReaderAt, at int64) (start int64, ok bool, err error) {
	buf := make([]byte, window+len(beginning))
	for high := at; ; high -= window {
		from := max(0, high-window-int64(len("\n\n")))
		n, err := mbox.ReadAt(buf[:high+int64(len(mark))-from], from)
		if err != nil && err != io.EOF {
			return 0, false, err
		}
		if i := bytes.LastIndex(buf[:n], []byte(beginning)); i >= 0 {
			return from + int64(i+len("\n\n")), true, nil
		}
		if from == 0 {
			return 0, bytes.HasPrefix(buf[:n], []byte(mark)), nil
		}
	}
}
