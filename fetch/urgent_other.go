//go:build !linux || !(386 || amd64 || arm || arm64 || loong64 || ppc64 || ppc64le || riscv64 || s390x)

package fetch

import "syscall"

// urgent: this system's sockets are not asked.
type urgent struct{ heed func(byte) bool }

// OnUrgent would have heed called with the peer's urgent data.
func (c *Conn) OnUrgent(heed func(octet byte) (drop bool)) bool { return false }

func (u *urgent) read(syscall.Conn, []byte) (int, error) { return 0, syscall.EINVAL }
