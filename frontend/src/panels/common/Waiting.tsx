import { texts } from "../../texts";
import { Late } from "../../ui/Late";
import styles from "./common.module.css";

export function Waiting({ text = texts.ui.loading }: { text?: string }) {
  return (
    <Late>
      <p className={styles.soft} role="status">
        {text}
      </p>
    </Late>
  );
}
