package batch

import "context"

// A Log holds the records of a Frontier in the order in which they were appended: by default a file, or what several processes share and append to
// (NewFrontier).
//
// A record is a line of text without its LF, shorter than 1 MiB. It has a position, which is larger than that of each earlier record and
// never changes. Records are neither changed nor removed. A Log is safe for concurrent use, and its errors have a Kind.
type Log interface {
	// Read returns the record at a position.
	Read(at int64) ([]byte, error)
	// Scan returns a reader of all records, from the first.
	Scan() LogReader
	// Close releases the resources of the Log, but not those of its readers. The records remain, unless the Log has no name.
	Close() error
}

// A LogReader returns the records of a Log in order. It is not safe for concurrent use.
type LogReader interface {
	// Next returns the next record and its position. If there is no record yet, it waits until one is appended or ctx ends. The record is
	// valid until the following call.
	Next(ctx context.Context) (record []byte, at int64, err error)
	// Close releases the resources of the reader.
	Close() error
}
