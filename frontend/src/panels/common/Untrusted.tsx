import styles from "./common.module.css";

/**
 * Characters that are not seen, or that change how others are: controls, zero-width ones, and those that turn the
 * direction of writing around. A text with them could read otherwise than it is sent. Line breaks, tabs and the
 * joiners of Persian letters and emoji are what they seem.
 */
const HIDDEN = /((?![\t\n\r\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}])/u;

/** Somebody else's text exactly as it is: line breaks kept, nothing interpreted, what is hidden made visible. */
export function Untrusted({ text, mono = false }: { text: string; mono?: boolean }) {
  return (
    <span className={mono ? styles.exactMono : styles.exact} dir="auto">
      {pieces(text)}
    </span>
  );
}

function pieces(text: string) {
  if (!HIDDEN.test(text)) return text;
  return text.split(HIDDEN).map((piece, at) => {
    if (at % 2 === 0) return piece;
    const code = `U+${(piece.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
      <span key={at} className={styles.hidden}>
        {code}
      </span>
    );
  });
}
