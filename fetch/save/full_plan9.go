package save

// isFull reports whether err means that the disk has no room. The file servers of Plan 9 have no common error for it.
func isFull(error) bool { return false }
