package charset

// A language is how its texts look beyond ASCII.
type language struct {
	letters string // beyond ASCII, in small case, the most frequent first
	words   string // common words between blanks: a letter is likelier next to the letters that are next to it here
}

// western are the languages of Latin-1 and of the PC.
func western() []language {
	return []language{
		{"üäöß", " für über größe können möglich würde früher münchen köln straße große grüße bücher bücherei tür führt geöffnet gehört hören schön österreich " +
			"öffentlich übung übersicht prüfung verfügbar zurück stück häufig wählen gewähr ändern änderung universität während später nächste anfänger plätze " +
			"länder fußball schließen außer heiß weiß daß muß läßt müssen fünf natürlich günstig löschen schlüssel menü gäste müller ärger geschäft äpfel bär "},
		{"éèàêçôûîâëïùœ", " été déjà après très même être où à là é è année sociétés état système élèves théâtre français reçu ça leçon août côté hôtel bientôt " +
			"île maître dû sûr forêt noël naïve œuvre cœur sœur bibliothèque numéros région qualité actualités général téléphone météo premières préfère différent " +
			"réseau mémoire création problème modèle lumière coûter près tôt plaît âge fenêtre résumé café "},
		{"óíáéñúü", " información españa año español también más está aquí sólo número países política según después inglés niño señor mañana día últimos " +
			"público música catálogo página código teléfono méxico biblioteca informática historia será están región instalación configuración canción león qué " +
			"cómo dónde así través además él ésta índice título vacío pingüino piña dirección atención "},
		{"ãçáéíõêâóàúô", " não são informações ação você também até é à às português página serviço endereço preço coração maçã mãe então disponíveis conexão região país " +
			"saída há já água números público técnico história três câmara ciência experiência índice último útil avó política permissão "},
		{"èàùòéì", " è é perché più già può università così qualità libertà possibilità attività sarà però lunedì né là società novità città attività caffè "},
		{"åäö", " och sök lösning på är för från också här när år några måste sätt väl tillgänglig räksmörgås även över öppen ändra få gå så två åtta å språk människor " +
			"malmö göteborg hämta alla märklig nyhet hyvää päivää tämä ääkkö öljy pääsy tietää mikä sähköposti löytyy täällä myös käyttäjä tämän tähän "},
		{"åøæé", " på å også være før gør søg når året både fløde rød grød øl æble blåbær nordmann århus ære børn højskole københavn år måned språk kjøre " +
			"første største smør bøger øen hjælp læse måske "},
		{"ðáíþöéúæýó", " það er að þú við síða íslands ísland íslenska þýðingar bækur gott góðan daginn höfn má á og í búa reykjavík þing þar já þetta maður guð með verður "},
		{"àèéóòíúïüç", " català és informació ciutat més això també però què així únic països nació història público anàlisi qüestió "},
		{"éëïüè", " één coördinaten geïnteresseerd financiële België categorieën officiële ideeën reünie crème café "},
	}
}

// central are those of Latin-2.
func central() []language {
	return []language{
		{"łąęóśćżźń", " się że być są jest już więc także dzień światło książka książki źródło żeby może możliwość łódź główna wiadomości świat często wybrać " +
			"proszę kraków gdańsk ćwiczenia pięć uniwersytetu łódzkiego wrocław część następnie gdzieś późno również mają będą który którą twój pomóc " +
			"piątek środa świąt został była był polską naszą stronę lat żaden właśnie wyłącznie zażółć gęślą jaźń "},
		{"íáéěřčšžýůúťďňó", " není již také které který všechny přes při před české čeština česká jméno další což bude může můžete žádný žlutý kůň příklad " +
			"soubory stránky zprávy univerzita září říká úvod ústav šest číst knihovny dobrý katalog nejnovější děkujeme překlad těchto být mít " +
			"počítač hledání řádek tisíc síť zeď žádost dveře náš váš něco ještě svět město věc pět dnů studentů "},
		{"áíčéšžýľúťôňäďóĺŕ", " slovenské ľudové ktoré ktorý všetky ďalšie môže môžete žiadny vyhľadávanie dobrý deň čo aké prečo knižnica stránky správy späť " +
			"mäso päť vôľa stĺp vŕba účet šesť večer ďakujeme súbory "},
		{"áéöóőüíúű", " és hogy üdvözöljük magyar könyvtár könyv fájl található időjárás előre első után között több nyelvű szöveg szövegek kérjük válasszon " +
			"köszönjük jó böngészést kívánunk történelem művészet műsor műszaki  árvíztűrő tükörfúrógép című számítógép őszi ünnep útmutató magyarország " +
			"által része működik szerző mérföld kiszolgáló letöltés "},
		{"ăşţîâ", " şi în să românia ştiri lumea din aici găsiţi cărţi informatică matematică bună ţara ţări câte când fără după decât această către oraş " +
			"învăţământ universităţi informaţii ştiinţă legislaţie bucureşti paşi înapoi pagină română sărbătoare întrebări "},
		{"čšžćđ", " što više već još može možete može došli naš vaš poslužitelj žuti šešir čaša čaja čaj šuma mračna kuća noć moguće takođe među riječ " +
			"obvestila študente četrtek šola življenje uporabniški način več tečaj rešitev vključuje iščete članek članci črn češnja prešeren vprašanja  država iščite rođen đak pročitaj "},
	}
}

func turkish() []language {
	return []language{{"ıişğüçö", " türkçe için değil çok güzel kütüphane üniversite hoş geldiniz lütfen seçiniz günün haberleri bu yazılmış aşağı başlık seçip ağaç çiçek kuş " +
		"istanbul sayfası arşiv şiir bilgi işlem öğrenci kişi değişiklik çalışma görüntü sorularınız ışık ilgili olduğu şehir yardım yapılan arasında yanlış "}}
}

func baltic() []language {
	return []language{
		{"ėšųįžąūęč", " lietuvių kalbos žodynas atvykę į mūsų serverį šių metų naujienos pranešimai galite skaityti čia yra būti už iš kitų ąžuolas įvadas " +
			"žmonės vėl kurį ministerijų orų prognozė žinios teisės užduotis nėra kalbą šalis gražu dėl ją pirmą "},
		{"āīēšūņļžģķč", " latviešu valodas vārdnīca rīgas tehniskā universitāte šeit var grāmatas valodā kā arī jaunākās ziņas būt vēl šī tā mācību ģimene ķīmija izglītības " +
			"ļoti cilvēks žurnāls čaks pēc kur jūs "},
		{"õäöüšž", " eesti õpetaja õigus või või tänan või üks ülikool raamatukogu jõgi külas võib sõnastik lühidalt tööd küsimus päev häid "},
	}
}

func cyrillic() []language {
	const russian = " ст но то на ен ни ов ра ко ро по пр ре ер ор ка во ал ли ос ло ол ел ит та ве де не ан го ес ть от ии ия ая ый ой их ог ла ва ти ри об од за да до " +
		"ом ат ем ми ет ле те ки ск ам ль ны мо се со ди ру ик ак ин им ич ае ую " +
		"об бо бе бы вы вс вр вн гр гл ду ев ег ед ей ек жи жа зн зо ив иг ид из ие кв кл кн кр кт лю лы ля мн мы нд нс нт нь оп пе пл пи рв рг рд рн рс рт ры " +
		"ря св сл см сн сп сс сы сь тр ту ты тс ул ум ур ус ут уч фи фо хо хе це ци ча че чи чт ша ше шк ще щи эт эк юд юч яв яз ят яс ут уп " +
		"группа система вопрос книги музыка наука устав академия университет история файл адрес время город человек будет быть чтобы через почта "
	return []language{
		{"оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё", russian},
		{"оанивіерстлкудмпьязбгйчхжшюїєцщфґў", russian + "ів ні ті сі ії лі ні ка їн ьк "},
		{"аоиетнрсвлкдпмзуяъбгчщжцхшйюьф", russian + "ъл ър бъ на та "},
		{"аоиенрсјутдкмвлпзбгцчшжћљњђхџфќѓѕ", russian + "је ја ни на "},
	}
}

func greek() []language {
	return []language{{"αοιετνσηυρπκμλόςίάέήωδγύχθφβώξζψϊϋΐΰ", " και το τα της του των στη για από με που είναι στον ανακοινωσεισ αρχείο ειδήσεις κατάλογος πανεπιστήμιο " +
		"βιβλιοθήκη ερωτήσεις απαντήσεις ελληνικά καλημέρα κείμενα συ ον ου ησ ει ην ισ αν αρ ρα τη τι ικ κα ατ τε λο στ πο "}}
}

func hebrew() []language {
	return []language{{"יוהלאמרתבנשעקדחפםצטגסזןכךףץ", " של את על לא שלום עולם ברוכים הבאים ספריה האוניברסיטה חדשות היום שאלות תשובות קובץ נמצא הוא היא ים ות אל או מה ני לי "}}
}

func arabic() []language {
	return []language{{"الينمتروبعدسفهكقحجةشصىطخءضذثزغأظؤئإآ", " ال في من على الى هذا مكتبة الجامعة مرحبا بكم موقعنا الملف غير موجود اخبار اليوم العالم العربية التي كان ات ية ين لا "}}
}

func thai() []language {
	return []language{{"านรอกเง่ัมยลวด้ทิสีตะปบคหแจพชขุูใไโ็ืำผณ์ธถภซศษฟญฉฐฝึ", " ภาษาไทย ยินดีต้อนรับ ห้อง สมุด มหาวิทยาลัย ข่าว วันนี้ ที่ ไม่ พบ แฟ้ม ข้อมูล และ การ ความ เป็น ของ ได้ ใน มี ว่า จะ ให้ คน นี้ ไป มา กับ หนังสือพิมพ์ สาร บัญชี ประเทศ กรุงเทพ นคร รายการ หน้าแรก ติดต่อ โรงเรียน สำนักงาน "}}
}
