//go:build !(linux && amd64 && !go1.27)

package main

import "os"

// refuseClosed does nothing: the runtime has opened the null device in place of closed streams, and does not tell.
func refuseClosed(_, _ **os.File) {}
