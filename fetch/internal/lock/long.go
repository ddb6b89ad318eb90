package lock

// A Long is a sync.Locker that may be held while its holder waits. In a bubble of testing/synctest, to wait for it is to wait: the time that its holder
// needs passes there, which it does not for a sync.Mutex.
type Long chan struct{}

// NewLong returns a Long that nobody holds.
func NewLong() Long { return make(Long, 1) }

// Lock waits until nobody holds the lock, and takes it.
func (l Long) Lock() { l <- struct{}{} }

// Unlock gives it back.
func (l Long) Unlock() { <-l }
