package loopback

import "strings"

// Label returns a file name for one line of a listing. Each control character, such as LF, becomes "?".
func Label(name string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return '?'
		}
		return c
	}, name)
}
