import type { Citation } from "@signalbox/client";
import { memo, useMemo, useRef } from "react";
import { inert, line } from "../safe/inert";
import { CodeBlock } from "./CodeBlock";
import { drawn, Items, Rows, TableFrame } from "./drawn";
import { lexed } from "./lexer";
import styles from "./Markdown.module.css";
import { mend } from "./mend";
import { nothingSplit, type Piece, type Split, split } from "./pieces";

const LINE_ENDS = /\r\n?/g;
const LANGUAGE_CHARS = 30;
const noCitations: readonly Citation[] = [];

/**
 * An answer's text. It is drawn piece by piece, and a piece that did not change is not drawn again, so a long answer
 * costs no more per chunk than a short one. HTML in it is text, pictures are links, links are the web's only.
 */
export const Markdown = memo(function Markdown({
  text,
  streaming = false,
  citations = noCitations,
}: {
  text: string;
  streaming?: boolean;
  citations?: readonly Citation[];
}) {
  const before = useRef<Split>(nothingSplit);
  const pieces = useMemo(() => {
    before.current = split(text.includes("\r") ? text.replace(LINE_ENDS, "\n") : text, before.current);
    return before.current.pieces;
  }, [text]);
  const open = streaming ? pieces.at(-1) : undefined;
  return (
    <div className={styles.markdown} data-streaming={streaming || undefined}>
      {blocksOf(pieces).map((parts, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a block is its place; only the last ones ever change.
        <BlockView key={at} parts={parts} open={open} citations={citations} />
      ))}
    </div>
  );
});

/** The pieces by the element they are in: the parts of a list or table have one together, those of a paragraph not. */
function blocksOf(pieces: readonly Piece[]): Piece[][] {
  const blocks: Piece[][] = [];
  for (const piece of pieces) {
    const shares = piece.joined && (piece.kind === "list" || piece.kind === "table");
    if (shares) blocks.at(-1)?.push(piece);
    else blocks.push([piece]);
  }
  return blocks;
}

function BlockView({
  parts,
  open,
  citations,
}: {
  parts: readonly Piece[];
  open: Piece | undefined;
  citations: readonly Citation[];
}) {
  const [first] = parts;
  const content = parts.map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place; only the last ones ever change.
    <PieceView key={at} piece={piece} open={piece === open} citations={citations} />
  ));
  switch (first?.kind) {
    case "list":
      return (
        <div className={styles.piece}>
          {first.from === null ? <ul>{content}</ul> : <ol start={first.from}>{content}</ol>}
        </div>
      );
    case "table":
      return (
        <div className={styles.piece}>
          <TableFrame>{content}</TableFrame>
        </div>
      );
    case "text":
      return <div className={first.joined ? styles.joined : styles.piece}>{content}</div>;
    default:
      return content;
  }
}

const PieceView = memo(function PieceView({
  piece,
  open,
  citations,
}: {
  piece: Piece;
  open: boolean;
  citations: readonly Citation[];
}) {
  const clean = inert(piece.source);
  if (piece.kind === "code")
    return <CodeBlock text={clean} language={line(piece.language, LANGUAGE_CHARS)} />;
  const tokens = lexed(open ? mend(clean) : clean);
  switch (piece.kind) {
    case "list":
      return <Items tokens={tokens} citations={citations} />;
    case "table":
      return <Rows tokens={tokens} headed={!piece.joined} citations={citations} />;
    default:
      return drawn(tokens, citations);
  }
});
