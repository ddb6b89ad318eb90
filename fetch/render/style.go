package render

// Style is the style sheet of the HTML views: system fonts, dark or light like the system, for any width.
const Style Markup = `:root{color-scheme:light dark;--bg:#fff;--fg:#1d2125;--dim:#57606a;--line:#d8dee4;--soft:#f4f6f8;--link:#0a58ca;--seen:#6b3fa0;--mark:#0f6e56;--dir:#c27c0e;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e4e7ea;--dim:#a3adb8;--line:#363e47;--soft:#1e2328;--link:#8ab4f8;--seen:#c9aef7;--mark:#6fcfae;--dir:#e0a94a;--bad:#f2938c}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:64rem;padding:0 1rem 3rem;background:var(--bg);color:var(--fg);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:break-word}
h1,pre,dd,td,th[scope=row]{overflow-wrap:anywhere}
a:link{color:var(--link)}a:visited{color:var(--seen)}a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:2px}
h1{font-size:1.5rem;line-height:1.25;margin:1rem 0 .5rem}nav+main h1{margin-top:.5rem}.s{white-space:nowrap}h2{font-size:1.15rem;margin:1.5rem 0 .5rem}h3{font-size:1rem;margin:1.25rem 0 .5rem}h4{font-size:1rem;color:var(--dim);margin:1rem 0 .5rem}
pre,code,kbd{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}
pre{font-size:.9rem;line-height:1.45;white-space:pre-wrap;margin:.75rem 0}
header{display:flex;gap:.75rem;align-items:center;padding:.75rem 0;border-bottom:1px solid var(--line)}
header>a{font-weight:700;text-decoration:none}header form{display:flex;flex:1;gap:.5rem;align-items:center;margin:0}
input,button{font:inherit;padding:.35rem .65rem;min-height:2.5rem;border:1px solid var(--dim);border-radius:.4rem;background:var(--bg);color:var(--fg)}
input{flex:1;min-width:0;width:100%}button{background:var(--soft);cursor:pointer}
.search{display:flex;gap:.5rem;align-items:end;max-width:36rem;margin:1rem 0}.search label{flex:1;color:var(--dim);font-size:.9rem}.search input{display:block;font-size:1rem}
nav.at{margin-top:.75rem;font-size:.9rem;color:var(--dim)}nav.at a{display:inline-block;padding:.2rem 0}nav.at a[rel=up]{display:inline}
.facts,time,small,caption{color:var(--dim)}.facts{margin:.25rem 0 1rem;font-size:.9rem}.facts a,.pages a{display:inline-block;padding:.15rem 0}
table{border-collapse:collapse;width:100%;margin:.75rem 0}
caption{text-align:left;font-size:.9rem;padding:.25rem 0}
th,td{text-align:left;vertical-align:top;padding:.3rem .9rem .3rem 0;border-bottom:1px solid var(--line);font-weight:normal}
thead th{color:var(--dim);font-size:.9rem;white-space:nowrap}tbody tr:hover{background:var(--soft)}
th:last-child,td:last-child{padding-right:0}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}time{white-space:nowrap;font-variant-numeric:tabular-nums}
.note{border:0;padding-top:.75rem}.note pre{margin:0}
.i{display:inline-block;width:.95em;height:.95em;margin-right:.6em;vertical-align:-.08em;background:var(--dim);clip-path:polygon(10% 0,62% 0,62% 28%,90% 28%,90% 100%,10% 100%)}
.i.dir{background:var(--dir);clip-path:polygon(0 10%,38% 10%,48% 24%,100% 24%,100% 92%,0 92%)}
.i.file{clip-path:polygon(50% 4%,92% 27%,92% 73%,50% 96%,8% 73%,8% 27%)}
.i.image{background:var(--mark);clip-path:polygon(0 8%,100% 8%,100% 92%,78% 72%,62% 84%,34% 44%,0 84%)}
.i.sound{background:var(--mark);clip-path:polygon(35% 0,90% 0,90% 80%,60% 90%,60% 70%,76% 64%,76% 24%,50% 24%,50% 90%,10% 100%,10% 78%,35% 70%)}
.i.film{background:var(--mark);clip-path:polygon(12% 0,100% 50%,12% 100%)}
.i.link{background:var(--link);clip-path:polygon(0 36%,55% 36%,55% 8%,100% 50%,55% 92%,55% 64%,0 64%)}
.i.pack{clip-path:polygon(0 10%,100% 10%,100% 32%,60% 32%,60% 46%,40% 46%,40% 32%,0 32%,0 42%,30% 42%,30% 56%,70% 56%,70% 42%,100% 42%,100% 92%,0 92%)}
.menu{margin:.75rem 0}.l{display:block;padding-left:6ch;text-indent:-6ch}.k{color:var(--mark);font-size:.85em}.bad{color:var(--bad)}.menu+.search,.gem .search{margin:.5rem 0}
.gem{max-width:42rem}.gem p{margin:.75rem 0}.gem pre{margin:0;overflow-x:auto;white-space:pre}figure{margin:.75rem 0;padding:.75rem;background:var(--soft);border-radius:.4rem}figcaption{color:var(--dim);font-size:.85rem;margin-top:.4rem}
blockquote{margin:.75rem 0;padding:.1rem 0 .1rem 1rem;border-left:3px solid var(--line)}
ul{padding-left:1.25rem}ul.plain,ul.links{list-style:none;padding:0}ul.links li{padding:.2rem 0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.5rem 0}dt{color:var(--dim);grid-column:1}dd{margin:0;min-width:0;grid-column:2}
.plain>li{padding:.6rem 0;border-bottom:1px solid var(--line)}
main>.plain:last-child>li:last-child,main>table:last-child>tbody:last-child>tr:last-child>*{border-bottom:0}
.thread,.thread ul{list-style:none;padding:0}.thread ul{margin-left:.4rem;padding-left:.8rem;border-left:2px solid var(--line)}.thread li{margin:.35rem 0}.thread small{display:block}.here>a,.here>small{font-weight:700}
iframe{width:100%;height:75vh;border:1px solid var(--line);border-radius:.4rem;background:#fff}h2+iframe{height:18rem}
img.o{display:block;max-width:100%;height:auto;margin:.75rem 0}audio,video,embed{max-width:100%;width:100%}embed{height:80vh}
.pages{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:1rem 0}
.how{display:grid;gap:0 2rem}.how section{min-width:0}.ends{display:flex;justify-content:space-between;margin:0;padding-left:4.5rem;color:var(--dim);font-size:.85rem}
.talk{list-style:none;margin:0;padding:0}.talk li{padding:.35rem 0}.talk div{display:flex;gap:.5rem;align-items:end}.talk time{flex:0 0 4rem;text-align:right;font-size:.8rem;font-variant-numeric:tabular-nums;padding-bottom:.1rem}
.talk pre{flex:1;min-width:0;margin:0;padding:.3rem .9rem .15rem;font-size:.82rem;position:relative;border:solid var(--dim);border-width:0 2px}.talk .c pre{border-bottom:2px solid var(--link)}.talk .s pre{border-bottom:2px solid var(--mark);background:var(--soft)}.talk .e pre{color:var(--dim)}
.talk .c pre::after,.talk .s pre::after{content:"";position:absolute;z-index:1;bottom:-.36rem;border:.3rem solid transparent}.talk .c pre::after{right:0;border-left:.55rem solid var(--link);border-right:0}.talk .s pre::after{left:0;border-right:.55rem solid var(--mark);border-left:0}
@media(min-width:56rem){.how{grid-template-columns:minmax(0,2fr) minmax(0,3fr)}}
footer{margin-top:2rem;border-top:1px solid var(--line);padding-top:.5rem}
summary{cursor:pointer;padding:.5rem 0}td summary,dd summary{padding:0}
.t{text-decoration:none;padding:0 .4rem}
[role=alert]{border-left:4px solid var(--bad);padding:.5rem 1rem;background:var(--soft)}
@media(max-width:40rem){header{flex-wrap:wrap;gap:.25rem .75rem}header label{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.opt{display:none}th,td{padding-right:.5rem;font-size:.92rem}.menu,main>pre{font-size:.8rem}main{overflow-x:auto;margin:0 -1rem;padding:0 1rem}main>pre{width:max-content;min-width:100%;max-width:86ch}.plain dl,main>dl{display:block}main>dl dd,.plain dd{margin:0 0 .4rem 1rem}}
@media print{body{max-width:none;padding:0}header>a,header label,button,nav,.search,.facts a,.t,footer:not(:has([open])){display:none}header{border:0}header input{border:0;padding:0}main{overflow:visible}}
`
