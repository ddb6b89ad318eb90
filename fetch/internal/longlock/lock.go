// Package longlock has a lock that may be held while its holder waits for a network or a disk.
package longlock

// A Lock is a sync.Locker. In a bubble of testing/synctest, to wait for it is to wait: the time that its holder needs passes there, which it does not
// for a sync.Mutex.
type Lock chan struct{}

// New returns a Lock that nobody holds.
func New() Lock { return make(Lock, 1) }

// Lock waits until nobody holds the lock, and takes it.
func (l Lock) Lock() { l <- struct{}{} }

// Unlock gives it back.
func (l Lock) Unlock() { <-l }
