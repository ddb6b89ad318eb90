//go:build linux || darwin || freebsd

package hub

import "golang.org/x/sys/unix"

func freeIn(dir string) (int64, error) {
	var disk unix.Statfs_t
	err := unix.Statfs(dir, &disk)
	return int64(disk.Bavail) * int64(disk.Bsize), err
}
