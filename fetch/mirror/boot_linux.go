package mirror

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// boot identifies this start of the system: random(4).
func boot() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// syncSystem makes everything durable in the file system of an open directory.
func syncSystem(dir *os.File) error { return unix.Syncfs(int(dir.Fd())) }
