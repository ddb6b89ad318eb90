package charset

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// A pairs is the model of a set with two bytes for most characters.
type pairs struct {
	set    encoding.Encoding
	common string                    // characters, the most frequent first
	length func(lead, next byte) int // of the character that begins with these bytes
	row    func(lead, trail byte) float64
}

// Scores of characters that are not among the common ones.
const (
	kana     = -3.8
	mark     = -3.8  // 、。「」
	first    = -9.2  // in the first level of a standard
	second   = -11.5 // in the second level
	extended = -13.0 // in a later extension
)

func (m pairs) score(p []byte) (sum float64) {
	d := m.set.NewDecoder()
	halves := 0
	for i := 0; i < len(p); {
		if p[i] < utf8.RuneSelf {
			i++
			continue
		}
		next := byte(0)
		if i+1 < len(p) {
			next = p[i+1]
		}
		size := m.length(p[i], next)
		if i+size > len(p) { // cut by the end of the window, or of a text in another charset
			return sum + invalid/2
		}
		s, one := m.one(d, p[i:i+size])
		if one {
			halves++
			if next < utf8.RuneSelf && (i == 0 || p[i-1] < utf8.RuneSelf) { // alone among other letters
				s = strange
			}
		}
		if sum += s; s == invalid {
			size = 1
		}
		i += size
	}
	if halves > 0 {
		sum -= 8
	}
	return sum
}

// one returns the score of a character, and whether it is a katakana of one byte.
func (m pairs) one(d *encoding.Decoder, p []byte) (score float64, half bool) {
	var dst [2 * utf8.UTFMax]byte
	d.Reset()
	n, _, err := d.Transform(dst[:], p, true)
	r, size := utf8.DecodeRune(dst[:n])
	if err != nil || size != n || r == utf8.RuneError {
		return invalid, false
	}
	switch rank := strings.IndexRune(m.common, r); {
	case len(p) == 1:
		return -4.2, true
	case rank >= 0:
		return -4 - 0.004*float64(rank), false
	case r >= 'ぁ' && r <= 'ヿ' && m.row(p[0], p[1]) == kana:
		return kana, false
	case strings.ContainsRune("、。，「」・ー　！？：；（）【】《》“”", r):
		return mark, false
	}
	return m.row(p[0], p[1]), false
}

func two(_, _ byte) int { return 2 }

const commonJapanese = "日本人大一国会年出中月分行上東生事語者同部自方地見間前時後新作的場理社学合業的定用体力文下題法教入発小書手金名水道高表最当内高物何今来化開度気動全長心" +
	"情報電話信機変更必読知次回目女子年私京都使明実不性対政問屋海山川天田木車店主家世界米英第三二五四六七八九十百千万円市町村県区番号年度一覧資料案連絡先公式古文書字説以漢色外国食無料音声画像送受注意"

func shiftJIS() pairs {
	return pairs{set: japanese.ShiftJIS, common: commonJapanese,
		length: func(c, _ byte) int {
			if c >= 0xa1 && c <= 0xdf {
				return 1
			}
			return 2
		},
		row: func(c, d byte) float64 {
			switch {
			case c == 0x82 && d >= 0x9f || c == 0x83 && d <= 0x96:
				return kana
			case c <= 0x84:
				return -8
			case c >= 0x88 && c <= 0x97:
				return first
			case c <= 0xea:
				return second
			}
			return extended
		}}
}

func eucJP() pairs {
	return pairs{set: japanese.EUCJP, common: commonJapanese,
		length: func(c, _ byte) int {
			if c == 0x8f {
				return 3
			}
			return 2
		},
		row: func(c, _ byte) float64 {
			switch {
			case c == 0xa4 || c == 0xa5:
				return kana
			case c <= 0xa8:
				return -8
			case c >= 0xb0 && c <= 0xcf:
				return first
			case c >= 0xd0:
				return second
			}
			return extended
		}}
}

func chinese() pairs {
	const common = "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市" +
		"欢迎光临文件列表新闻小说软件下载系统程序文章服务器自由管理员网络界访问留言帮助目录主页版权所有请题写论坛京华汉语数据资料图书信息"
	return pairs{set: simplifiedchinese.GB18030, common: common,
		length: func(_, d byte) int {
			if d >= '0' && d <= '9' {
				return 4
			}
			return 2
		},
		row: func(c, d byte) float64 {
			switch {
			case d < 0xa1:
				return extended
			case c >= 0xb0 && c <= 0xd7:
				return first
			case c >= 0xd8 && c <= 0xf7:
				return second
			case c <= 0xa3:
				return -7
			case c <= 0xa9:
				return strange
			}
			return extended
		}}
}

func big5() pairs {
	const common = "的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她裡後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市" +
		"歡迎光臨檔案列表新聞小說軟體下載系統程式文章伺服器自由管理員網路界訪問留言幫助目錄首頁版權所有請題寫論壇灣台北漢語資料圖書訊息許"
	return pairs{set: traditionalchinese.Big5, common: common, length: two,
		row: func(c, _ byte) float64 {
			switch {
			case c >= 0xa4 && c <= 0xc6:
				return first
			case c >= 0xc9 && c <= 0xf9:
				return second
			case c >= 0xa1 && c <= 0xa3:
				return -7
			}
			return extended
		}}
}

func korea() pairs {
	const common = "이다는에의가을를은하고한지도로사어서기인자아리있그나시대일정해라구스부수보들전여과제게주상동안만면요것원문장신조국공우거으오성화니러선용였무소연내중미마생했경학할유개와습합각진입트터적던관비세모간때분려호물방않없행체말회발실재명위계드금야영프드러같료글십환색판템목크램녕알림음북회항심찾삭" +
		"뉴파록"
	return pairs{set: korean.EUCKR, common: common, length: two,
		row: func(c, d byte) float64 {
			switch {
			case d < 0xa1 || c < 0xa1:
				return extended
			case c >= 0xb0 && c <= 0xc8:
				return -7.5
			case c >= 0xca && c <= 0xfd:
				return -12
			}
			return -8
		}}
}
