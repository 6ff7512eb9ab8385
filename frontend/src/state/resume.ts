/** What the file dialog offers first for a CV. The server tells the kind from the bytes and says what it cannot read. */
export const RESUME_FILES =
  ".pdf,.docx,.md,.markdown,.txt,.json,application/pdf,text/plain,text/markdown,application/json";
