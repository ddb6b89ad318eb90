package ftp

// isReset reports whether err means that the peer has reset the connection. Plan 9 reports it only as text, which differs by driver.
func isReset(error) bool { return false }
