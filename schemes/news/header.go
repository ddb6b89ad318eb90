package news

import (
	"iter"
	"strings"
)

// references yields the message-ids in a field without brackets. It skips everything else.
func references(value string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			_, rest, ok := strings.Cut(value, "<")
			id, after, closed := strings.Cut(rest, ">")
			if !ok || !closed {
				return
			}
			if isID(id) && !yield(id) {
				return
			}
			value = after
		}
	}
}
