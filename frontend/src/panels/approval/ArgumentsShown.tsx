import { texts } from "../../texts";
import { words } from "../../ui/format";
import { Untrusted } from "../common/Untrusted";
import styles from "./approval.module.css";
import type { Arguments } from "./fields";

/** All of a call's arguments, whole: nothing is folded away from who is to decide on them. */
export function ArgumentsShown({
  tool,
  shown,
  changed = [],
}: {
  tool: string;
  shown: Arguments;
  changed?: readonly string[];
}) {
  const entries = Object.entries(shown);
  if (entries.length === 0) return <p className={styles.soft}>{texts.panels.approval.noArguments}</p>;
  return (
    <dl className={styles.arguments}>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>
            {label(tool, name)}
            {changed.includes(name) && (
              <span className={styles.changed}>{texts.panels.approval.changed}</span>
            )}
          </dt>
          <dd>
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value }: { value: unknown }) {
  if (value === null || value === undefined || value === "")
    return <span className={styles.soft}>{texts.panels.approval.none}</span>;
  if (typeof value === "string") return <Untrusted text={value} />;
  if (typeof value === "boolean") return <>{value ? texts.panels.approval.yes : texts.panels.approval.no}</>;
  if (typeof value === "number") return <>{String(value)}</>;
  if (Array.isArray(value) && value.every((item) => typeof item === "string"))
    return <Listed items={value} />;
  return <Untrusted mono text={JSON.stringify(value, null, 2)} />;
}

function Listed({ items }: { items: readonly string[] }) {
  if (items.length === 0) return <span className={styles.soft}>{texts.panels.approval.none}</span>;
  return (
    <ul className={styles.listed}>
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: shown once, and the same item may come twice
        <li key={at}>
          <Untrusted text={item} />
        </li>
      ))}
    </ul>
  );
}

/** The fields of tools we ship have words; those of others are called as they are. */
export function label(tool: string, name: string): string {
  const known: Record<string, string> = tool === "send_email" ? texts.panels.approval.email : {};
  return Object.hasOwn(known, name) ? (known[name] ?? name) : words(name);
}
