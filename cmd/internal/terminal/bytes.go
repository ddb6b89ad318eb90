package terminal

import "fmt"

// FormatBytes formats a number of bytes with a unit.
func FormatBytes(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d bytes", n)
	}
	x, unit := float64(n)/1024, 0
	for x >= 1024 && unit < 3 {
		x, unit = x/1024, unit+1
	}
	return fmt.Sprintf("%.1f %ciB", x, "KMGT"[unit])
}
