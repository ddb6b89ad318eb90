package help

// patterns is the paragraph about the patterns of deref check and deref mirror.
const patterns = `A PATTERN is re:REGEXP, which is searched for in the URI, or a glob of the whole

  *.pdf, *.example, tmp   name of a document, a host, or a directory with its contents
  http://h/a*             URI; "*" stands for any characters
  doc/**/*.tmp            path from the top of a mirror; "*" ends at a slash, "**" does not
  */a#part, mailto:*      URI in deref check, whose links have no top

Which of them it is depends on a slash, "://", ":" and "#" in it. --include of deref
mirror does not mean directories, only documents.
`
