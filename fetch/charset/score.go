package charset

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// A model estimates how likely bytes are in one charset: score is the logarithm of their probability, so the scores of a text are added up. Each
// is negative, so score may stop when the sum is below least.
type model interface {
	score(p []byte, least float64) float64
}

// A candidate is a charset with its model. prior is how much rarer it is than windows-1252.
type candidate struct {
	label string
	model model
	prior float64
}

func (c candidate) isLatin() bool {
	a, is := c.model.(alphabet)
	return is && a.latin
}

// Scores of what does not belong to a text in the model's language.
const (
	invalid   = -20.0
	strange   = -9.0  // a symbol, a rare letter
	hopeless  = -10.5 // on average: the text is like none of the models
	readsWell = -3.3  // on average: a line of a list is in the charset of the others
)

// sampled is how many bytes decide which charsets are possible, and possible how far behind the best they may be.
const (
	sampled  = 256
	possible = 50.0
)

// likeliest returns the charset of p, which is not ASCII, by its letters, and its score. among is the charset of texts next to p, or "".
func likeliest(p []byte, among string) (label string, score float64) {
	isUTF8, isOne := utf8.Valid(p), highBytes(p) == 1
	list := slices.DeleteFunc(candidatesAmong(among), func(c candidate) bool {
		switch {
		case c.label == among:
			return false
		case isUTF8:
			return c.label != UTF8
		}
		return isOne && !c.isLatin() // no word of another script
	})
	if fits := readsWell * float64(highBytes(p)); !isUTF8 && list[0].label == among {
		if score = list[0].model.score(p, fits); score > fits {
			return among, score
		}
	}
	if len(p) > 2*sampled {
		list, _ = likelyAmong(list, p[:sampled], possible)
	}
	if list, score = likelyAmong(list, p, 0); score < hopeless*float64(highBytes(p)) {
		return "windows-1252", score
	}
	return list[0].label, score
}

// likelyAmong returns the candidates whose scores for p are at most slack below the best one, which is the first, and its score.
func likelyAmong(list []candidate, p []byte, slack float64) (likely []candidate, best float64) {
	best = math.Inf(-1)
	scores := make([]float64, len(list))
	for i, c := range list {
		scores[i] = c.model.score(p, best+c.prior-slack) - c.prior
		best = max(best, scores[i])
	}
	for i, c := range slices.Backward(list) { // of equal ones the first is the best
		switch {
		case scores[i] == best:
			likely = slices.Insert(likely, 0, c)
		case scores[i] >= best-slack:
			likely = append(likely, c)
		}
	}
	return likely, best
}

func highBytes(p []byte) (n int) {
	for _, c := range p {
		if c >= utf8.RuneSelf {
			n++
		}
	}
	return n
}

// candidatesAmong returns the candidates for a text among others in a charset, which is the first and far more probable.
func candidatesAmong(label string) []candidate {
	list := candidates()
	if i := slices.IndexFunc(list, func(c candidate) bool { return c.label == label }); i >= 0 && label != UTF8 {
		list[0], list[i] = list[i], list[0]
		list[0].prior = -8
	}
	return list
}

func candidates() []candidate {
	return []candidate{
		latinSet("windows-1252", western(), 0), latinSet("iso-8859-15", western(), 3), latinSet("ibm437", western(), 3.5), latinSet("ibm850", western(), 4),
		latinSet("windows-1250", central(), 2), latinSet("iso-8859-2", central(), 2), latinSet("ibm852", central(), 4.5),
		latinSet("windows-1254", turkish(), 2.5), latinSet("windows-1257", baltic(), 3),
		{UTF8, mixedUTF8{}, 4},
		script("windows-1251", cyrillic(), 2.5), script("koi8-r", cyrillic(), 2.5), script("koi8-u", cyrillic(), 2.8), script("ibm866", cyrillic(), 4.5),
		script("iso-8859-5", cyrillic(), 4), script("x-mac-cyrillic", cyrillic(), 8),
		script("windows-1253", greek(), 2.5), script("iso-8859-7", greek(), 2.7), script("windows-1255", hebrew(), 3.5),
		script("windows-1256", arabic(), 2.5), script("iso-8859-6", arabic(), 3), script("windows-874", thai(), 2.5),
		{"shift_jis", shiftJIS(), 2}, {"euc-jp", eucJP(), 2}, {"gb18030", chinese(), 2},
		{"big5", big5(), 2}, {"euc-kr", korea(), 2},
	}
}

// mixedUTF8 is the model of UTF-8 with bytes of another charset.
type mixedUTF8 struct{}

func (mixedUTF8) score(p []byte, _ float64) (sum float64) {
	for len(p) > 0 {
		r, size := utf8.DecodeRune(p)
		switch {
		case r < utf8.RuneSelf:
		case size == 1:
			sum -= 16
		case unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
			unicode.Hebrew, unicode.Arabic, unicode.Thai, unicode.Common):
			sum -= 5
		default:
			sum += strange
		}
		p = p[size:]
	}
	return sum
}

// An alphabet is the model of a set with one byte per character, for texts in one of the languages.
type alphabet struct {
	set       encoding.Encoding
	languages []language
	latin     bool // words are of ASCII letters, with few others among them
}

func latinSet(label string, languages []language, prior float64) candidate {
	return candidate{label, alphabet{named(label), languages, true}, prior}
}

func script(label string, languages []language, prior float64) candidate {
	return candidate{label, alphabet{named(label), languages, false}, prior}
}

// score adds what is the same in all languages to what a language makes of the letters.
func (a alphabet) score(p []byte, least float64) float64 {
	text, err := a.set.NewDecoder().Bytes(p)
	if err != nil {
		return invalid * float64(len(p))
	}
	sum, at := 0.0, []int{} // the places of letters
	runes := append([]rune(" "+string(text)), ' ')
	for i, r := range runes {
		switch {
		case sum < least:
			return sum
		case r < utf8.RuneSelf:
			continue
		}
		before, after := runes[i-1], runes[i+1]
		switch {
		case r == utf8.RuneError, r < 0xa0:
			sum += invalid
		case isBox(r):
			sum += line(before, r, after)
		case isPunctuation(before, r, after):
			sum -= 4.5
			if before >= utf8.RuneSelf {
				sum -= 2
			}
		case isWord(r):
			sum += a.place(before, r, after)
			if r == before && r == runes[max(0, i-2)] {
				sum -= 3
			}
			at = append(at, i)
		case isWord(before) && isWord(after):
			sum += strange - 3
		default:
			sum += strange
		}
	}
	letters := make([]letter, len(at))
	for i, at := range at {
		letters[i] = newLetter(runes[at-1], runes[at], runes[at+1])
	}
	best := math.Inf(-1)
	for _, l := range a.languages {
		best = max(best, a.in(l, letters, sum, max(best, least)))
	}
	return best
}

// in returns the sum of the scores of letters in a language and what is the same in all languages.
func (a alphabet) in(l language, letters []letter, sum, least float64) float64 {
	for _, c := range letters {
		if sum < least {
			break
		}
		rank := strings.IndexRune(l.letters, c.r)
		rarer := 0.14 * float64(rank/utf8.RuneLen(c.r))
		switch {
		case rank < 0 && a.latin && strings.ContainsRune("éèàäüöóçíáñßãêâôõåøæúëîïûùòì", c.r): // of another language
			sum -= 5.7
		case rank < 0:
			sum -= 7.5
		case a.latin:
			sum += c.fit(l.words) - rarer
		case c.begins:
			sum -= 0.8 + rarer
		case strings.Contains(l.words, c.left):
			sum -= rarer
		default:
			sum -= 1.2 + rarer
		}
	}
	return sum
}

// A letter is one beyond ASCII, in small case, with the letters next to it. A blank is anything else.
type letter struct {
	r                   rune
	left, right, around string // with the one before it, the one after it, and both
	begins              bool   // a word
}

func newLetter(before, r, after rune) letter {
	small := func(r rune) rune {
		if isWord(r) {
			return unicode.ToLower(r)
		}
		return ' '
	}
	before, r, after = small(before), small(r), small(after)
	around := string([]rune{before, r, after})
	return letter{r: r, left: strings.TrimSuffix(around, string(after)), right: strings.TrimPrefix(around, string(before)), around: around, begins: before == ' '}
}

// fit returns how much rarer a letter is because of the letters next to it.
func (c letter) fit(words string) float64 {
	if strings.Contains(words, c.around) {
		return 0
	}
	s := -1.0
	if !strings.Contains(words, c.left) {
		s -= 2
	}
	if !strings.Contains(words, c.right) {
		s -= 2
	}
	return s
}

// isWord reports whether r is part of words. Vowels of Thai are marks.
func isWord(r rune) bool { return unicode.IsLetter(r) || r >= utf8.RuneSelf && unicode.IsMark(r) }

// place returns the score of the most frequent letter at the place of r.
func (a alphabet) place(before, r, after rune) float64 {
	if a.latin {
		return latinLetter(before, r, after)
	}
	return scriptLetter(before, r, after)
}

// isPunctuation reports whether r is a mark or symbol at a place where texts have it.
func isPunctuation(before, r, after rune) bool {
	word, follows := unicode.IsLetter(before), unicode.IsLetter(after) // a word ends before r, or begins after it
	switch r {
	case '„', '‚', '¿', '¡', '‘':
		return !word
	case '”', '®', '™', 'º', 'ª':
		return !follows
	case '’':
		return word
	case '²', '³':
		return !follows && (word || unicode.IsDigit(before))
	case '“', '«', '»', '…', '°', '·':
		return !word || !follows
	case '–', '—', '•', '½', '¼', '©', '§', '№', '€', '£', '±', '×', '´', '¢', '¥', 'µ':
		return !word && !follows
	case '\u00a0':
		return before != after && !(word && follows)
	}
	return false
}

// line returns the score of a character to draw with. Lines and areas are of equal ones, corners are next to lines, and words do not contain them.
func line(before, r, after rune) float64 {
	isEqual := r == before || r == after
	switch {
	case isEqual && (r == '─' || r == '═'):
		return -0.9
	case unicode.IsLetter(before) || unicode.IsLetter(after):
		if strings.ContainsRune("│║", r) && !(unicode.IsLetter(before) && unicode.IsLetter(after)) {
			return -5.5
		}
		return strange
	case isEqual && r >= '▀':
		return -0.9
	case joins(before, r) || joins(r, after):
		return -2
	case isBox(before) || isBox(after):
		return -5.5
	case r >= '▀' || strings.ContainsRune("─═│║", r):
		return -3.5
	}
	return -7
}

// joins reports whether two characters continue a horizontal line.
func joins(left, right rune) bool {
	return left == '─' && strings.ContainsRune("┐┬┤┼┘┴╖╥╢╫╜╨", right) || right == '─' && strings.ContainsRune("┌┬├┼└┴╓╥╟╫╙╨", left) ||
		left == '═' && strings.ContainsRune("╗╦╣╬╝╩╕╤╡╪╛╧", right) || right == '═' && strings.ContainsRune("╔╦╠╬╚╩╒╤╞╪╘╧", left)
}

// latinLetter returns the score of the most frequent letter at this place. Such letters stand alone among those of ASCII.
func latinLetter(before, r, after rune) float64 {
	s := -2.0
	switch {
	case unicode.IsUpper(r) && unicode.IsLower(before):
		s -= 6
	case unicode.IsUpper(r):
		s -= 1.5
	case unicode.IsUpper(after):
		s -= 5
	}
	switch {
	case before >= utf8.RuneSelf && unicode.IsLetter(before) && after >= utf8.RuneSelf && unicode.IsLetter(after):
		s -= 3
	case !unicode.IsLetter(before) && !unicode.IsLetter(after):
		s -= 1.5
	}
	return s
}

// scriptLetter returns the score of the most frequent letter at this place. Whole words are of such letters, and a capital begins a word or is
// among capitals.
func scriptLetter(before, r, after rune) float64 {
	s := -1.4
	switch {
	case isASCIILetter(before) || isASCIILetter(after):
		s -= 6
	case !isWord(before) && !isWord(after):
		s -= 2
	}
	if strings.ContainsRune("ךםןףץς", r) && unicode.IsLetter(after) { // only at the end of a word
		s -= 6
	}
	switch {
	case !unicode.IsUpper(r):
	case unicode.IsLower(before) && before >= utf8.RuneSelf:
		s -= 7
	case unicode.IsUpper(before) && before >= utf8.RuneSelf:
		s -= 0.6
	default:
		s -= 1.5
	}
	return s
}

func isASCIILetter(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }

// isBox reports whether r is a line or block to draw with.
func isBox(r rune) bool { return r >= 0x2500 && r <= 0x25a0 }
