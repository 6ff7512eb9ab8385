import { useState } from "react";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { Confirmation } from "../../ui/Confirmation";
import { useDeed } from "../../ui/useDeed";
import { TypedWord } from "../common/TypedWord";
import styles from "./profile.module.css";

/** Says all that goes, asks for the word, and leaves a page on which nothing ever happened. */
export function EraseEverything({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = texts.panels.privacy;
  const { client, startOver } = useSession();
  const [typed, setTyped] = useState(false);
  const erase = useDeed(async () => {
    await client.eraseAll();
    startOver();
  });
  const close = () => {
    setTyped(false);
    onClose();
  };
  return (
    <Confirmation
      open={open}
      title={t.eraseTitle}
      what={t.eraseWhat}
      yes={erase.busy ? t.erasing : t.eraseNow}
      deed={erase}
      allowed={typed}
      onClose={close}
    >
      <ul className={styles.goes}>
        {t.goes.map((what) => (
          <li key={what}>{what}</li>
        ))}
      </ul>
      <p className={styles.soft}>{t.eraseKept}</p>
      <TypedWord label={t.eraseType(t.eraseWord)} word={t.eraseWord} busy={erase.busy} onTyped={setTyped} />
    </Confirmation>
  );
}
