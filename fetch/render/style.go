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
