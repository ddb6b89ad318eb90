package flags

// Suggestion returns a hint at the known word that is most similar to word. It returns "" if none is similar.
func Suggestion(word string, known []string) string {
	if near := suggest(word, known); near != "" {
		return near + " is the most similar one"
	}
	return ""
}

// suggest returns the known word with the smallest edit distance to word. It returns "" if too many letters differ.
func suggest(word string, known []string) (best string) {
	least := 2 + len(word)/4
	for _, k := range known {
		if d := distance(word, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance returns the Levenshtein distance: the number of bytes to change, insert or delete.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := left
			if a[i] != b[j] {
				change++
			}
			left = row[j+1]
			row[j+1] = min(change, row[j]+1, left+1)
		}
	}
	return row[len(b)]
}
