package charset

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// A model estimates how likely bytes are in one charset: score is the logarithm of their probability, so the scores of a text are added up.
type model interface {
	score(p []byte) float64
}

// A candidate is a charset with its model. prior is how much rarer it is than windows-1252.
type candidate struct {
	label string
	model model
	prior float64
}

// Scores of what does not belong to a text in the model's language.
const (
	invalid  = -15.0
	strange  = -9.0  // a symbol, a rare letter
	hopeless = -10.5 // on average: the text is like none of the models
)

// likeliest returns the charset of p by its letters, for bytes that are not UTF-8.
func likeliest(p []byte) string {
	high := 0
	for _, c := range p {
		if c >= utf8.RuneSelf {
			high++
		}
	}
	if high == 1 { // no word of another script, and hardly one of another set of Latin
		return "windows-1252"
	}
	best, label := 0.0, ""
	for _, c := range candidates() {
		if s := c.model.score(p) - c.prior; label == "" || s > best {
			best, label = s, c.label
		}
	}
	if best < float64(high)*hopeless {
		return "windows-1252"
	}
	return label
}

const russianPairs = "ст но то на ен ни ов ра ко ро по пр ре ер ор ка во ал ли ос ло ол ел ит та ве де не ан го ес ть от ии ия ая ый ой их ог ла ва ти ри об од за да до ом ат " +
	"ем ми ет ле те ки ск ам ль ны ны мо се со ди ру ка ик ак ин им ич ае ую"

func candidates() []candidate {
	list := []candidate{
		{"windows-1252", western("windows-1252", "éèàäüöóçíáñßãêâôõåøæúëîïûùòìœðþýÿì"), 0},
		{"windows-1250", western("windows-1250", "łąęóśćżźńáéíčřšžýůěúďťňöüőűäôľĺŕşţăâîđ"), 2.5},
		{"iso-8859-2", western("iso-8859-2", "łąęóśćżźńáéíčřšžýůěúďťňöüőűäôľĺŕşţăâîđ"), 2},
		{"ibm437", western("ibm437", "éäüöàèçåñêâôóíáßëîïûùòúìæ"), 3},
	}
	const russian = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґјў"
	for _, c := range []candidate{{label: "windows-1251", prior: 2.5}, {label: "koi8-r", prior: 2.5}, {label: "koi8-u", prior: 2.8},
		{label: "ibm866", prior: 4.5}, {label: "iso-8859-5", prior: 4}, {label: "x-mac-cyrillic", prior: 5}} {
		c.model = alphabet{set: Lookup(c.label), letters: russian, pairs: russianPairs}
		list = append(list, c)
	}
	const greek, hebrew = "αοιετνσηυρπκμλόςίάέήωδγύχθφβώξζψϊϋΐΰ", "יוהלאמרתבנשעקדחפםצטגסזןכךףץ"
	return append(list,
		candidate{"windows-1253", script("windows-1253", greek), 2.5}, candidate{"iso-8859-7", script("iso-8859-7", greek), 2.7},
		candidate{"windows-1255", script("windows-1255", hebrew), 2.5},
		candidate{"windows-1256", script("windows-1256", "الينمتروبعدسفهكقحجةشصىطخءضذثزغأظؤئإآ"), 2.5},
		candidate{"windows-874", script("windows-874", "านรอกเง่ัมยลวด้ทิสีตะปบคหแจพชขุูใไโ็ืำผณ์ธถภซศษฟญฉฐฝึ"), 2.5},
		candidate{"shift_jis", shiftJIS(), 2}, candidate{"euc-jp", eucJP(), 2}, candidate{"gb18030", chinese(), 2},
		candidate{"big5", big5(), 2}, candidate{"euc-kr", korea(), 2},
	)
}

// An alphabet is the model of a set with one byte per character.
type alphabet struct {
	set     encoding.Encoding
	letters string // beyond ASCII, in small case, the most frequent first
	latin   bool   // its words are of ASCII letters, with few others among them
	pairs   string // the most frequent pairs of letters, separated by blanks
}

func western(label, letters string) alphabet {
	return alphabet{set: Lookup(label), letters: letters, latin: true}
}
func script(label, letters string) alphabet { return alphabet{set: Lookup(label), letters: letters} }

func (a alphabet) score(p []byte) (sum float64) {
	text, err := a.set.NewDecoder().Bytes(p)
	if err != nil {
		return invalid * float64(len(p))
	}
	runes := []rune(string(text))
	for i, r := range runes {
		if r < utf8.RuneSelf {
			continue
		}
		before, after := rune(' '), rune(' ')
		if i > 0 {
			before = runes[i-1]
		}
		if i+1 < len(runes) {
			after = runes[i+1]
		}
		sum += a.one(before, r, after)
		if i > 1 && r == before && r == runes[i-2] && unicode.IsLetter(r) {
			sum -= 3
		}
	}
	return sum
}

// one returns the score of r between two other characters.
func (a alphabet) one(before, r, after rune) float64 {
	switch rank := strings.IndexRune(a.letters, unicode.ToLower(r)); {
	case r == utf8.RuneError, r < 0xa0:
		return invalid
	case isBox(r):
		return line(before, r, after)
	case rank >= 0 && a.latin:
		return latinLetter(before, r, after) - 0.12*float64(utf8.RuneCountInString(a.letters[:rank]))
	case rank >= 0:
		s := scriptLetter(before, r, after) - 0.14*float64(utf8.RuneCountInString(a.letters[:rank]))
		if before >= utf8.RuneSelf && strings.Contains(a.pairs, string([]rune{unicode.ToLower(before), unicode.ToLower(r)})) {
			s += 0.8
		}
		return s
	case strings.ContainsRune("«»“”‘’„–—…©®°·•№§\u00a0¿¡€£´", r):
		if unicode.IsLetter(before) && unicode.IsLetter(after) && r != '’' && r != '·' && r != '\u00a0' {
			return strange
		}
		return -4.5
	}
	return strange
}

// line returns the score of a character to draw with: lines are of equal ones, and words do not contain them.
func line(before, r, after rune) float64 {
	switch {
	case r == before || r == after:
		return -0.9
	case unicode.IsLetter(before) || unicode.IsLetter(after):
		return strange
	case isBox(before) || isBox(after):
		return -5.5
	}
	return -4
}

// latinLetter returns the score of the most frequent letter at this place. Such letters stand alone among those of ASCII.
func latinLetter(before, r, after rune) float64 {
	s := -3.2
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
		s -= 5
	case before >= utf8.RuneSelf && unicode.IsLetter(before):
		s -= 2.5
	case !unicode.IsLetter(before) && !unicode.IsLetter(after):
		s -= 1.5
	}
	return s
}

// scriptLetter returns the score of the most frequent letter at this place. Whole words are of such letters, and a capital begins a word or is
// among capitals.
func scriptLetter(before, r, after rune) float64 {
	s := -2.2
	if isASCIILetter(before) || isASCIILetter(after) {
		s -= 4
	}
	if strings.ContainsRune("ךםןףץς", r) && unicode.IsLetter(after) { // only at the end of a word
		s -= 6
	}
	switch {
	case !unicode.IsUpper(r):
	case unicode.IsLower(before) && before >= utf8.RuneSelf:
		s -= 7
	case unicode.IsUpper(before) && before >= utf8.RuneSelf:
		s -= 0.7
	default:
		s -= 1.5
	}
	return s
}

func isASCIILetter(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }

// isBox reports whether r is a line or block to draw with.
func isBox(r rune) bool { return r >= 0x2500 && r < 0x25a0 }
