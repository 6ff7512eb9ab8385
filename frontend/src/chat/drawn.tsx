import type { Citation } from "@signalbox/client";
import type { MarkedToken, Token, Tokens } from "marked";
import { Fragment, type ReactNode } from "react";
import { inert } from "../safe/inert";
import { SafeLink } from "../safe/SafeLink";
import { texts } from "../texts";
import { CitationMark } from "./CitationMark";
import { CodeBlock } from "./CodeBlock";
import { decoded } from "./entities";
import styles from "./Markdown.module.css";

/**
 * Parsed Markdown as elements of this page. Only what is named here is ever made: HTML stays the text that it is, a
 * picture is a link to it, and `[2]` becomes the mark of the second source where there is one.
 */
export function drawn(tokens: readonly Token[] | undefined, citations: readonly Citation[]): ReactNode {
  return tokens?.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a token is its place in the text.
    <Fragment key={at}>{one(token as MarkedToken, citations)}</Fragment>
  ));
}

function one(token: MarkedToken, citations: readonly Citation[]): ReactNode {
  const inner = () => drawn("tokens" in token ? token.tokens : undefined, citations);
  switch (token.type) {
    case "paragraph":
      return <p dir="auto">{inner()}</p>;
    case "heading":
      // The page's own headings are above: an answer's are one level, whatever it calls them.
      return <h3 dir="auto">{inner()}</h3>;
    case "blockquote":
      return <blockquote dir="auto">{inner()}</blockquote>;
    case "list":
      return <List list={token} citations={citations} />;
    case "list_item":
      return inner();
    case "table":
      return <Table table={token} citations={citations} />;
    case "code":
      return <CodeBlock text={token.text} language={token.lang ?? ""} />;
    case "hr":
      return <hr />;
    case "br":
      return <br />;
    case "strong":
      return <strong>{inner()}</strong>;
    case "em":
      return <em>{inner()}</em>;
    case "del":
      return <del>{inner()}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "link":
      return (
        <SafeLink inText href={decoded(token.href)}>
          {inner()}
        </SafeLink>
      );
    case "image":
      return (
        <SafeLink inText href={decoded(token.href)}>
          {shown(token.text) || token.href}
        </SafeLink>
      );
    case "checkbox":
      return <input type="checkbox" checked={token.checked} disabled aria-label={texts.chat.done} />;
    case "text":
      return token.tokens ? inner() : marked(shown(token.text), citations);
    case "html":
      return token.raw;
    case "escape":
      return token.text;
    case "space":
    case "def":
      return null;
    default:
      return (token as Token).raw;
  }
}

/** Some references are known to the parser, others are not; none may bring back what was taken out before. */
function shown(text: string): string {
  return inert(decoded(text));
}

function List({ list, citations }: { list: Tokens.List; citations: readonly Citation[] }) {
  const items = <Items tokens={[list]} citations={citations} />;
  return list.ordered ? <ol start={Number(list.start)}>{items}</ol> : <ul>{items}</ul>;
}

/** The items of lists, for an element around them. What is no list is an item, too: it is never left out. */
export function Items({ tokens, citations }: { tokens: readonly Token[]; citations: readonly Citation[] }) {
  const items = tokens.flatMap((token) => (token.type === "list" ? (token as Tokens.List).items : [token]));
  return items
    .filter(({ type }) => type !== "space")
    .map((item, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place in the list.
      <li key={at} dir="auto" className={"task" in item && item.task ? styles.task : undefined}>
        {drawn(item.type === "list_item" ? item.tokens : [item], citations)}
      </li>
    ));
}

function Table({ table, citations }: { table: Tokens.Table; citations: readonly Citation[] }) {
  return (
    <TableFrame>
      <Rows tokens={[table]} headed citations={citations} />
    </TableFrame>
  );
}

export function TableFrame({ children }: { children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a section would be a landmark, and all of them have one name.
    <div className={styles.table} role="group" tabIndex={0} aria-label={texts.chat.table}>
      <table>{children}</table>
    </div>
  );
}

/** The rows of tables, for a frame around them; `headed`: with the first line, which is said once only. */
export function Rows({
  tokens,
  headed,
  citations,
}: {
  tokens: readonly Token[];
  headed: boolean;
  citations: readonly Citation[];
}) {
  const cells = (row: readonly Tokens.TableCell[], Cell: "th" | "td") =>
    row.map((cell, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its place in the table.
      <Cell key={at} dir="auto" data-align={cell.align ?? undefined}>
        {drawn(cell.tokens, citations)}
      </Cell>
    ));
  const tables = tokens.filter((token): token is Tokens.Table => token.type === "table");
  return tables.map((table, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a table is its place in the text.
    <Fragment key={place}>
      {headed && (
        <thead>
          <tr>{cells(table.header, "th")}</tr>
        </thead>
      )}
      <tbody>
        {table.rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the table.
          <tr key={at}>{cells(row, "td")}</tr>
        ))}
      </tbody>
    </Fragment>
  ));
}

const MARK = /\[(\d{1,3})\]/;

/** Text with the marks of its sources, for as many as there are. */
function marked(text: string, citations: readonly Citation[]): ReactNode {
  if (citations.length === 0 || !MARK.test(text)) return text;
  // Split by a group, every other part is what the group matched.
  return text.split(MARK).map((part, at) => {
    if (at % 2 === 0) return part;
    const citation = citations[Number(part) - 1];
    // biome-ignore lint/suspicious/noArrayIndexKey: a mark is its place in the text.
    return citation ? <CitationMark key={at} number={Number(part)} citation={citation} /> : `[${part}]`;
  });
}
