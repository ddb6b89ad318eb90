package batch

// A Journal records which items of a list are done, as a State does in a file.
type Journal interface {
	// Done reports whether the item is done, so that it must be skipped. Items are passed in order.
	Done(it *Item) (bool, error)
	// Note records finished items, and returns how many it has recorded. An error ends the Run. Note is not called concurrently if
	// Options.Commit is set.
	Note(items []Finished) (n int, err error)
}

// Finished is the result of an item.
type Finished struct {
	Item *Item
	Size int64 // bytes
	Err  error
}
