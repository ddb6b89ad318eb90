package charset

import (
	"slices"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// A table is an ASCII superset of one byte per character: the 128 characters from byte 0x80 on. U+FFFD marks bytes without a character.
type table string

// The sets that x/text does not have. cp1125 is CP866 with the letters of Ukrainian (RST 2018-91), macCE is Apple's set for Central Europe.
const (
	cp737 table = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀" +
		"ωάέήϊίόύϋώΆΈΉΊΌΎΏ±≥≤ΪΫ÷≈°∙·√ⁿ²■\u00a0"
	cp857 table = "ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞşáíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ\ufffdÍÎÏ┘┌█▄¦Ì▀" +
		"ÓßÔÒõÕµ\ufffd×ÚÛÙìÿ¯´\u00ad±\ufffd¾¶§÷¸°¨·¹³²■\u00a0"
	cp1125 table = "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмноп░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀" +
		"рстуфхцчшщъыьэюяЁёҐґЄєІіЇї·√№¤■\u00a0"
	macCE table = "ÄĀāÉĄÖÜáąČäčĆćéŹźĎíďĒēĖóėôöõúĚěü†°Ę£§•¶ß®©™ę¨≠ģĮįĪ≤≥īĶ∂∑łĻļĽľĹĺŅņŃ¬√ńŇ∆«»…\u00a0ňŐÕőŌ–—“”‘’÷◊ōŔŕŘ‹›řŖŗ" +
		"Š‚„šŚśÁŤťÍŽžŪÓÔūŮÚůŰűŲųÝýķŻŁżĢˇ"
)

// NewDecoder implements encoding.Encoding.
func (t table) NewDecoder() *encoding.Decoder {
	list := []rune(string(t))
	return &encoding.Decoder{Transformer: transform.Chain(charmap.ISO8859_1.NewDecoder(), runes.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return list[r-utf8.RuneSelf]
		}
		return r
	}))}
}

// NewEncoder implements encoding.Encoding.
func (t table) NewEncoder() *encoding.Encoder {
	return &encoding.Encoder{Transformer: &tableEncoder{runes: []rune(string(t))}}
}

type tableEncoder struct {
	transform.NopResetter
	runes []rune
}

func (t *tableEncoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		r, size := rune(src[nSrc]), 1
		if r >= utf8.RuneSelf {
			if !atEOF && !utf8.FullRune(src[nSrc:]) {
				return nDst, nSrc, transform.ErrShortSrc
			}
			r, size = utf8.DecodeRune(src[nSrc:])
			i := slices.Index(t.runes, r)
			if i < 0 || r == utf8.RuneError {
				return nDst, nSrc, errNoCharacter
			}
			r = rune(utf8.RuneSelf + i)
		}
		if nDst == len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		dst[nDst] = byte(r)
		nDst++
		nSrc += size
	}
	return nDst, nSrc, nil
}
