package z3950

import "fmt"

// Malformed describes how input violates the protocol.
type Malformed string

func (m Malformed) Error() string { return string(m) }

func malformed(format string, args ...any) error { return Malformed(fmt.Sprintf(format, args...)) }

// TooLong is the length of a frame that exceeds the limit of its Reader.
type TooLong int64

func (n TooLong) Error() string { return fmt.Sprintf("a frame of %d bytes", int64(n)) }
