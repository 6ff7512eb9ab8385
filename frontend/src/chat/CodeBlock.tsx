import { texts } from "../texts";
import { CopyButton } from "../ui/CopyButton";
import styles from "./Markdown.module.css";

/** Code as it is, to be scrolled and copied. */
export function CodeBlock({ text, language }: { text: string; language: string }) {
  return (
    <figure className={styles.code}>
      <figcaption className={styles.caption}>
        <span>{language || texts.chat.code}</span>
        <CopyButton text={text} label={texts.chat.copyCode} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className={styles.pre} tabIndex={0} dir="ltr">
        <code>{text}</code>
      </pre>
    </figure>
  );
}
