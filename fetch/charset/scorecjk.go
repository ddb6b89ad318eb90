package charset

import (
	"encoding/binary"
	"slices"
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
	trail  byte                      // characters whose second byte is smaller are in an extension
	rows   []rows
}

// A rows is the score of the characters of two bytes in a range.
type rows struct {
	first, last uint16
	score       float64
}

// Scores of characters that are not among the common ones.
const (
	kana     = -3.8
	mark     = -3.8  // 、。「」
	first    = -9.2  // in the first level of a standard
	second   = -11.5 // in the second level
	extended = -13.0 // in a later extension
)

func (m pairs) score(p []byte, least float64) (sum float64) {
	d := m.set.NewDecoder()
	halves := 0
	for i := 0; i < len(p) && sum >= least; {
		if p[i] < utf8.RuneSelf {
			i++
			continue
		}
		next := byte(0)
		if i+1 < len(p) {
			next = p[i+1]
		}
		size := m.length(p[i], next)
		if i+size > len(p) { // cut, by the end of the window or of a title
			return sum + invalid
		}
		s, one := m.one(d, p[i:i+size])
		if i > 0 && isLetter(p[i-1]) { // words of ASCII letters are seldom next to it, and a word has no such character within it
			s -= 2
			if i+size < len(p) && isLetter(p[i+size]) {
				s -= 6
			}
		}
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
	case r >= 'ぁ' && r <= 'ヿ' && m.row(p) == kana:
		return kana, false
	case strings.ContainsRune("、。，「」・ー　！？：；（）【】《》“”", r):
		return mark, false
	}
	return m.row(p), false
}

// row returns the score of the first rows that have a character.
func (m pairs) row(p []byte) float64 {
	code := binary.BigEndian.Uint16(p)
	i := slices.IndexFunc(m.rows, func(r rows) bool { return r.first <= code && code <= r.last })
	if i < 0 || p[1] < m.trail {
		return extended
	}
	return m.rows[i].score
}

func two(_, _ byte) int { return 2 }

const commonJapanese = "日本人大一国会年出中月分行上東生事語者同部自方地見間前時後新作的場理社学合業的定用体力文下題法教入発小書手金名水道高表最当内高物何今来化開度気動全長心" +
	"情報電話信機変更必読知次回目女子年私京都使明実不性対政問屋海山川天田木車店主家世界米英第三二五四六七八九十百千万円市町村県区番号年度一覧資料案連絡先公式古文書字説以漢色外国食無料音声画像送受注意" +
	"掲示板写真集図館検索結果利登録予約設面編成削除印刷保存始終了戻履歴記投稿管載紹介研究室講座授試験卒募採概要製品価格販売舗支払配返住所氏郵便映楽曲歌観光旅駅路線刻北西南島口松野原林森井石藤佐橋池谷春夏秋冬朝昼夜花鳥風雪雨空星好愛友達親父母兄弟姉妹犬猫魚肉飯茶酒員仕働休病院医薬康健身頭顔耳足指服着紙筆机椅窓門戸建築工農商経済財治律軍戦争平和史哲宗美術演劇舞台監督選球技勝負点得失例鉄転飛船港阪神横浜福岡札幌仙広"

func shiftJIS() pairs {
	return pairs{set: japanese.ShiftJIS, common: commonJapanese,
		length: func(c, _ byte) int {
			if c >= 0xa1 && c <= 0xdf {
				return 1
			}
			return 2
		},
		rows: []rows{{0x829f, 0x8396, kana}, {0, 0x84ff, -8}, {0x8800, 0x97ff, first}, {0, 0xeaff, second}}}
}

func eucJP() pairs {
	return pairs{set: japanese.EUCJP, common: commonJapanese,
		length: func(c, _ byte) int {
			if c == 0x8f {
				return 3
			}
			return 2
		},
		rows: []rows{{0xa400, 0xa5ff, kana}, {0, 0xa8ff, -8}, {0xb000, 0xcfff, first}, {0xd000, 0xffff, second}}}
}

func chinese() pairs {
	const common = "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市" +
		"欢迎光临文件列表新闻小说软件下载系统程序文章服务器自由管理员网络界访问留言帮助目录主页版权所有请题写论坛京华汉语数据资料图书信息" +
		"站首音乐影片游戏免费邮箱登注册户密码搜索联引类古典历史体育财科技旅健康娱聊交友告通招聘议校研究院计算硬操安装指南常解答更返星期今昨晴雨预报城广州深圳香港台湾众党社刊杂志像视频播放曲歌词诗唐宋元清红楼梦演义浒传武侠林河湖岛路街房屋车船飞票价格商店银钱股证券投企单农村厂术设备材源环境保护医药品病脑足眼耳鼻吃喝饭菜茶酒肉鱼鸡牛羊马狗猫鸟花草树木春夏秋冬早晚夜黄蓝绿白黑色左右低短远近快慢轻冷热旧坏"
	return pairs{set: simplifiedchinese.GB18030, common: common,
		length: func(_, d byte) int {
			if d >= '0' && d <= '9' {
				return 4
			}
			return 2
		},
		trail: 0xa1, rows: []rows{{0xb000, 0xd7ff, first}, {0xd800, 0xf7ff, second}, {0, 0xa3ff, -7}, {0, 0xa9ff, strange}}}
}

func big5() pairs {
	const common = "的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她裡後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市" +
		"歡迎光臨檔案列表新聞小說軟體下載系統程式文章伺服器自由管理員網路界訪問留言幫助目錄首頁版權所有請題寫論壇灣台北漢語資料圖書訊息許" +
		"站音樂影片遊戲免費郵箱登註冊戶密碼搜尋聯絡索引類古典歷史育財科技旅健康娛聊交友告通招聘議校研究院計算硬操安裝指南常解答更返星期今昨晴雨預報城央眾黨社刊雜誌像視頻播放曲歌詞詩唐宋元清紅樓夢演義滸傳武俠林河湖島街房屋車船飛票價格商店銀錢股證券投企單農村廠術設備材源環境保護醫藥品病腦足眼耳鼻吃喝飯菜茶酒肉魚雞牛羊馬狗貓鳥花草樹木春夏秋冬早晚夜黃藍綠白黑色左右低短遠近快慢輕冷熱舊壞輸帳號導覽"
	return pairs{set: traditionalchinese.Big5, common: common, length: two,
		rows: []rows{{0xa400, 0xc6ff, first}, {0xc900, 0xf9ff, second}, {0xa100, 0xa3ff, -7}}}
}

func korea() pairs {
	const common = "이다는에의가을를은하고한지도로사어서기인자아리있그나시대일정해라구스부수보들전여과제게주상동안만면요것원문장신조국공우거으오성화니러선용였무소연내중미마생했경학할유개와습합각진입트터적던관비세모간때분려호물방않없행체말회발실재명위계드금야영프드러같료글십환색판템목크램녕알림음북회항심찾삭" +
		"뉴파록감강객갈값걸검겠견결겨곡골곳광교군굴권귀규균극근급깊까께끝난날남낮냐너널네녀년념노논농높누눈느늘능님단달담답당댁더덕데독돌두둘뒤득든등디또락란람랑래략량럼레력련렬령례론루류률르른름린립막망맞매머먼메며몇몰못묘민밀바박반밤배백버번범법벽변별병복본봉불빈빛산살삼새석설섬센속손송숙순술숨숲승식싱쌍쓰씨악앞애약양억언얼엄업역열염엽예옥온올옷완왕외욕운울움웃워월육윤율융응익임잎작잔잠쟁저절점접족존종좋좌죄죽준줄즉즐증직질집짓차착찬참창채책처천철첫청초촉촌총최추축출충취측층치친칠침카코타탁탄태택토통투특팔패편평폐포표품풍피필함핵향허헌험혁현혈형혜혼홍활황획횡효후훈휴흐희히힘"
	return pairs{set: korean.EUCKR, common: common, length: two,
		trail: 0xa1, rows: []rows{{0, 0xa0ff, extended}, {0xb000, 0xc8ff, -10}, {0xca00, 0xfdff, -12}, {0, 0xffff, -8}}}
}
