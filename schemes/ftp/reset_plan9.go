package ftp

// isReset reports whether err means that the peer has reset the connection. Plan 9 has only texts for it, which differ by driver.
func isReset(error) bool { return false }
