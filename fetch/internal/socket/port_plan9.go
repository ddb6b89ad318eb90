package socket

// IsPortTaken reports whether a socket could not be bound because another one has its local port. Plan 9 has no such error.
func IsPortTaken(error) bool { return false }

// IsPortForbidden reports whether this user may not bind the local port. Any error may mean that.
func IsPortForbidden(error) bool { return true }
