const ENTITY = /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});/gi;
const known = new Map<string, string>();

/** Text with what HTML calls its character references as the characters they stand for. */
export function decoded(text: string): string {
  return text.includes("&") ? text.replace(ENTITY, character) : text;
}

/** The browser knows all 2,000 names. What matched holds no `<`, so nothing but text can come of it. */
function character(entity: string): string {
  let found = known.get(entity);
  if (found === undefined) {
    found = new DOMParser().parseFromString(entity, "text/html").body.textContent ?? entity;
    known.set(entity, found);
  }
  return found;
}
