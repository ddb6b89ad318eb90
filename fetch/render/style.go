package render

// Style is the style sheet of the HTML views: system fonts, dark or light like the system, for any width.
const Style = `:root{color-scheme:light dark;--line:#8886;--dim:#595959;--link:#0645ad}
@media(prefers-color-scheme:dark){:root{--dim:#b0b0b0;--link:#8ab4f8}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:70rem;padding:0 1rem 3rem;font:1rem/1.5 system-ui,sans-serif;overflow-wrap:break-word}
h1,pre,dd,th[scope=row]{overflow-wrap:anywhere}
a:any-link{color:var(--link)}
h1{font-size:1.35rem}h2{font-size:1.1rem}
pre{font:.9rem/1.4 ui-monospace,monospace;white-space:pre-wrap;margin:.5rem 0}
table{border-collapse:collapse;width:100%}
caption{text-align:left;color:var(--dim)}
th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--line);font-weight:normal}
thead th{color:var(--dim)}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
iframe{width:100%;height:75vh;border:1px solid var(--line)}h2+iframe{height:18rem}
.art{line-height:1.2;white-space:pre;overflow-wrap:normal;overflow-x:auto;padding:.5rem;background:#000;color:#aaa}
.art .f0{color:#000}.art .f1{color:#a00}.art .f2{color:#0a0}.art .f3{color:#a50}.art .f4{color:#00a}.art .f5{color:#a0a}.art .f6{color:#0aa}
.art .f8{color:#555}.art .f9{color:#f55}.art .f10{color:#5f5}.art .f11{color:#ff5}.art .f12{color:#55f}.art .f13{color:#f5f}.art .f14{color:#5ff}.art .f15{color:#fff}
.b1{background:#a00}.b2{background:#0a0}.b3{background:#a50}.b4{background:#00a}.b5{background:#a0a}.b6{background:#0aa}.b7{background:#aaa}
.b8{background:#555}.b9{background:#f55}.b10{background:#5f5}.b11{background:#ff5}.b12{background:#55f}.b13{background:#f5f}.b14{background:#5ff}.b15{background:#fff}
ul{padding-left:1.25rem}ul.plain{list-style:none;padding:0}
.thread li{margin:.25rem 0}.thread small,.plain dl{font-size:.9rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.5rem 0}dt{color:var(--dim)}dd{margin:0;min-width:0}
@media(max-width:40rem){dl{display:block}dd{margin:0 0 .4rem 1rem}th,td{padding-right:.4rem}}
.note{border:0;padding-top:.75rem}.note pre{margin:0}
.facts,time,small{color:var(--dim)}
header{display:flex;gap:.75rem;align-items:center;padding:.75rem 0;border-bottom:1px solid var(--line)}
header form{display:flex;flex:1;gap:.5rem;align-items:center}
.search{display:flex;gap:.5rem;align-items:center;max-width:40rem;margin:1rem 0}
input,button{font:inherit;padding:.35rem .6rem;min-height:2.5rem}
input{flex:1;min-width:0;width:100%}
footer{margin-top:2rem;border-top:1px solid var(--line);padding-top:.5rem}
summary{cursor:pointer;padding:.5rem 0}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
[role=alert]{border-left:4px solid #c5221f;padding:.25rem .75rem}
`
