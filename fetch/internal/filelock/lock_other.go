//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package filelock

import "os"

func lock(*os.File) (held, sure bool) { return true, false }

func unlock(*os.File) {}
