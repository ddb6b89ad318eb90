package charset

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
)

// A sample is a text that was written in one or more charsets.
type sample struct {
	text string
	in   string // labels, separated by blanks
}

// samples are texts as they stand in old menus, listings, articles and pages: some of one word, some of a paragraph.
func samples() []sample {
	const cyrillic = "koi8-r windows-1251 ibm866 iso-8859-5"
	const cjk = "gb18030"
	return []sample{
		{"Привет, мир!\n", cyrillic},
		{"Архив документов", cyrillic},
		{"0О сервере\t/about.txt\tgopher.example\t70\r\n1Файлы для загрузки\t/files\tgopher.example\t70\r\n0Новости клуба любителей чтения\t/news.txt\tgopher.example\t70\r\n", cyrillic + " x-mac-cyrillic"},
		{"Этот сервер работает круглосуточно. Все вопросы просьба направлять администратору по адресу root@server.example, ответ приходит обычно в течение дня.\n" +
			"Здесь лежат программы для MS-DOS и Windows 3.1, а также тексты книг, которые любезно прислали читатели. Объём архива - сорок мегабайт.\n", "koi8-r windows-1251"},
		{"ПРОЧТИ МЕНЯ\n\nЭтот диск содержит свободные программы. Перед установкой сделайте копию дискеты.\n", cyrillic},
		{"╔══════════════════════╗\n║  ГЛАВНОЕ МЕНЮ BBS    ║\n║  1. Файлы            ║\n║  2. Почта            ║\n╚══════════════════════╝\n", "ibm866"},
		{"Ласкаво просимо! Тут зберігаються тексти українською мовою, їх можна читати безкоштовно.\n", "koi8-u windows-1251"},
		{"日本語のページへようこそ。ここには古い文書があります。\n", "shift_jis euc-jp iso-2022-jp"},
		{"こんにちは", "shift_jis euc-jp iso-2022-jp"},
		{"日本語", "shift_jis euc-jp iso-2022-jp"},
		{"ファイル一覧\n1. ゲーム\n2. ソフトウェア\n3. ニュース\n", "shift_jis euc-jp iso-2022-jp"},
		{"0このサーバについて\t/about.txt\tgopher.example\t70\r\n1プログラム\t/prog\tgopher.example\t70\r\n0お知らせ(必ず読んでください)\t/news.txt\tgopher.example\t70\r\n", "shift_jis euc-jp iso-2022-jp"},
		{"ｶﾀｶﾅ ﾃｽﾄ ｺﾝﾆﾁﾊ ﾌｧｲﾙ", "shift_jis"},
		{"你好，世界", cjk},
		{"欢迎光临", cjk},
		{"欢迎访问我们的服务器。这里有很多中文的文章和程序，大家可以自由下载。如果有什么问题，请给管理员写信。\n", cjk},
		{"[系统] 文件列表\n1. 新闻\n2. 小说\n3. 软件下载\n", cjk},
		{"歡迎光臨", "big5"},
		{"歡迎來到我們的伺服器。這裡有許多中文的文章和程式，大家可以自由下載。如果有什麼問題，請寫信給管理員。\n", "big5"},
		{"[系統] 檔案列表\n1. 新聞\n2. 小說\n3. 軟體下載\n", "big5"},
		{"안녕하세요", "euc-kr"},
		{"한국어 자료실에 오신 것을 환영합니다. 이 서버에는 여러 가지 문서와 프로그램이 있습니다.\n", "euc-kr"},
		{"공지사항\n자료실\n게시판\n", "euc-kr"},
		{"Die Tür ist geöffnet. Viele Grüße aus München, und schöne Weihnachten!\n", "windows-1252"},
		{"Müller", "windows-1252"},
		{"café", "windows-1252"},
		{"L’été dernier, nous avons visité la forêt près de Besançon ; ça n’a pas coûté cher.\n", "windows-1252"},
		{"¿Dónde está la biblioteca? El niño pequeño comió una piña mañana.\n", "windows-1252"},
		{"På øen bor en gammel mand. Han spiser rødgrød med fløde. Også børnene gør det.\n", "windows-1252"},
		{"© 1996 Example Inc. — “All rights reserved”\n", "windows-1252"},
		{"Não há informações disponíveis sobre a conexão com o servidor da região.\n", "windows-1252"},
		{"╔═══════════╗\r\n║  WELCOME  ║\r\n║ to my BBS ║\r\n╚═══════════╝\r\n", "ibm437"},
		{"░▒▓█ FILE_ID.DIZ █▓▒░\r\n ▄▄▄▄  ▄▄▄▄\r\n █  █  █\r\n ▀▀▀▀  ▀▀▀▀\r\n", "ibm437"},
		{"Ελληνικά κείμενα: καλώς ήρθατε στον διακομιστή μας, όπου θα βρείτε πολλά αρχεία.\n", "windows-1253 iso-8859-7"},
		{"Grüße aus Köln, 日本 und Москва: alles in einer Datei.\n", "utf-8"},
		{"naïve café", "utf-8"},
		{"Это текст в новой кодировке.\n", "utf-8 utf-16le utf-16be"},
		{"Plain text in two bytes each, with no mark at its beginning.\r\n", "utf-16le utf-16be"},
		{"日本語のテキスト。文字は二バイトです。\n", "utf-8 utf-16le utf-16be"},
		{"Здравствуйте", cyrillic},
		{"Москва", cyrillic},
		{"Привет", cyrillic},
		{"СОДЕРЖАНИЕ", cyrillic},
		{"Петров Иван Сергеевич", cyrillic},
		{"Re: вопрос о модеме", cyrillic},
		{"Погода на завтра: дождь, ветер северный 5 м/с", cyrillic},
		{"Сдам квартиру, тел. 123-45-67 (спросить Олю)", cyrillic},
		{"東京都の天気予報", "shift_jis euc-jp iso-2022-jp"},
		{"メールマガジン", "shift_jis euc-jp iso-2022-jp"},
		{"株式会社サンプル", "shift_jis euc-jp iso-2022-jp"},
		{"これはテストです。", "shift_jis euc-jp iso-2022-jp"},
		{"第１章　はじめに", "shift_jis euc-jp iso-2022-jp"},
		{"中国", "gb18030"},
		{"北京大学", "gb18030"},
		{"唐诗三百首", "gb18030"},
		{"红楼梦 第一回", "gb18030"},
		{"今天天气很好，我们去公园玩吧。", "gb18030"},
		{"國立臺灣大學", "big5"},
		{"三國演義", "big5"},
		{"今天天氣很好，我們去公園玩吧。", "big5"},
		{"서울", "euc-kr"},
		{"대한민국", "euc-kr"},
		{"오늘은 날씨가 좋습니다.", "euc-kr"},
		{"김철수", "euc-kr"},
		{"Ärger", "windows-1252"},
		{"Größe: 5 MB", "windows-1252"},
		{"Señor Muñoz", "windows-1252"},
		{"Århus", "windows-1252"},
		{"It’s here", "windows-1252"},
		{"50 £ or 70 €", "windows-1252"},
		{"São Paulo, Coração", "windows-1252"},
		{"Îles Åland, Þingvellir", "windows-1252"},
		{"ÜBERSICHT", "windows-1252"},
		{"Temperatur: 20°C", "windows-1252"},
		{"Příliš žluťoučký kůň", "windows-1250 iso-8859-2"},
		{"Καλημέρα", "windows-1253 iso-8859-7"},
		{"مرحبا بالعالم", "windows-1256"},
		{"┌──────┐\r\n│ MENU │\r\n└──────┘\r\n", "ibm437"},
		{"Übersicht der Dateien für Anfänger\r\n", "ibm437"},
		{"Hello", "utf-16le utf-16be"},
		{"Hi\n", "utf-16le utf-16be"},
		{"한국어\n", "utf-16le utf-16be utf-8"},
	}
}

// encodingOf returns the encoding of a label, also for the labels that have none in Lookup.
func encodingOf(t testing.TB, label string) encoding.Encoding {
	t.Helper()
	if label == "utf-8" {
		return encoding.Nop
	}
	e := Lookup(label)
	if e == nil {
		t.Fatalf("no encoding %q", label)
	}
	return e
}

func encoded(t testing.TB, label, text string) string {
	t.Helper()
	e := encodingOf(t, label)
	out, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatalf("%s: %q: %v", label, text, err)
	}
	return strings.TrimPrefix(strings.TrimPrefix(out, "\xfe\xff"), "\xff\xfe")
}
