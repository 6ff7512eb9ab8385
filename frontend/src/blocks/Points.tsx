import { Plain } from "./parts";
import styles from "./parts.module.css";

/** Short lines that speak for something, against it, or neither; what they are is said by sign and label. */
export function Points({
  points,
  label,
  mark,
  look,
}: {
  points: readonly string[];
  label: string;
  mark: string;
  look?: "up" | "down";
}) {
  if (points.length === 0) return null;
  return (
    <ul className={styles.points} aria-label={label}>
      {points.map((point, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines never change place, and two may be the same
        <li key={index}>
          <span className={[styles.mark, look && styles[look]].filter(Boolean).join(" ")} aria-hidden="true">
            {mark}
          </span>
          <Plain text={point} />
        </li>
      ))}
    </ul>
  );
}
