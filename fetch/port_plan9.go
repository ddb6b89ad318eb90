package fetch

// portTaken reports whether a socket could not be bound because another one has its local port. Plan 9 has no such error.
func portTaken(error) bool { return false }

// portForbidden reports whether this user may not bind the local port. Any error may mean that.
func portForbidden(error) bool { return true }
