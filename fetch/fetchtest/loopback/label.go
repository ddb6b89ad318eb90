package loopback

import "strings"

// Label is the name of a file as it is shown in a line of a listing: with "?" for each control character, of which some end the line.
func Label(name string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return '?'
		}
		return c
	}, name)
}
