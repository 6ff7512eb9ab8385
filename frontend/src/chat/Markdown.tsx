import type { Citation } from "@signalbox/client";
import { Lexer } from "marked";
import { memo, useMemo, useRef } from "react";
import { CodeBlock } from "./CodeBlock";
import { drawn } from "./drawn";
import styles from "./Markdown.module.css";
import { mend } from "./mend";
import { nothingSplit, type Piece, type Split, split } from "./pieces";
import { withoutOverrides } from "./safety";

const LINE_ENDS = /\r\n?/g;
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
  return (
    <div className={styles.markdown} data-streaming={streaming || undefined}>
      {pieces.map((piece, at) => (
        <PieceView
          // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place; only the last ones ever change.
          key={at}
          piece={piece}
          open={streaming && at === pieces.length - 1}
          citations={citations}
        />
      ))}
    </div>
  );
});

const PieceView = memo(function PieceView({
  piece,
  open,
  citations,
}: {
  piece: Piece;
  open: boolean;
  citations: readonly Citation[];
}) {
  const clean = withoutOverrides(piece.source);
  if (piece.kind === "code") return <CodeBlock text={clean} language={piece.language} />;
  const source = open ? mend(clean) : clean;
  return (
    <div className={piece.joined ? styles.joined : styles.piece}>
      {drawn(new Lexer({ gfm: true }).lex(source), citations)}
    </div>
  );
});
