package flags

// Suggestion names the known word that a wrong one was probably meant to be, "" if none is near.
func Suggestion(word string, known []string) string {
	if near := suggest(word, known); near != "" {
		return near + " is the nearest that is known"
	}
	return ""
}

// suggest is the word with the fewest changes between, "" if that is none of the word.
func suggest(word string, known []string) (best string) {
	least := 2 + len(word)/4
	for _, k := range known {
		if d := distance(word, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the octets to be changed, put in or left out: Levenshtein's.
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
