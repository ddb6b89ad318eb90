package wire

import "strings"

// Quote writes a token of the request language. It quotes a token that is empty or contains more than letters, digits and -_.:/+#*().
func Quote(token string) string {
	if token != "" && strings.IndexFunc(token, func(c rune) bool { return !plain(c) }) < 0 {
		return token
	}
	return "'" + strings.ReplaceAll(token, "'", "''") + "'"
}

func plain(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_.:/+#*()", c)
}
