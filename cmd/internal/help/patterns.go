package help

// patterns is the paragraph about the patterns of deref check and deref mirror.
const patterns = `A PATTERN is re:REGEXP, which is searched for in the URI, or a glob. A glob without a
slash is that of a name: of a document (*.pdf), a host (*.example), or a directory with
its contents (tmp; --include of deref mirror means documents only). One with "://" is
that of the whole URI, in which "*" stands for any characters (http://h/a*). Any other
is that of the path from the top of a mirror, in which "*" ends at a slash and "**" does
not (doc/**/*.tmp). Links have no top: deref check compares it with the whole URI, also
if it has a ":" or "#" but no slash (*/a.html#part, mailto:*).
`
