package scope

import "slices"

// LongestURI is the number of bytes of a URI beyond which it is probably one of an endless number.
const LongestURI = 2048

const (
	maxDirs    = 100
	maxRepeats = 3 // segments that repeat an earlier one
)

// IsTrap reports whether the segments of a path are so many, or repeat so often, that directories seem to contain themselves.
func IsTrap(segments []string) bool {
	if len(segments) > maxDirs {
		return true
	}
	again := 0
	for i, s := range segments {
		if slices.Contains(segments[:i], s) {
			again++
		}
	}
	return again > maxRepeats
}
