import { useState } from "react";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { Button } from "../../ui/Button";
import { download } from "../../ui/download";
import { Fault } from "../../ui/Fault";
import { useDeed } from "../../ui/useDeed";
import { EraseEverything } from "./EraseEverything";
import styles from "./profile.module.css";

/** All that is stored of the user: to take along, and to be rid of. */
export function YourData() {
  const t = texts.panels.privacy;
  const { client, announce } = useSession();
  const [erasing, setErasing] = useState(false);
  const take = useDeed(async () => {
    const all = JSON.stringify(await client.exportAll(), null, 2);
    download(t.fileName(new Date().toISOString().slice(0, 10)), all, "application/json");
    announce(t.exported);
  });
  return (
    <section className={styles.resume} aria-label={t.title}>
      <h3>{t.title}</h3>
      <p className={styles.soft}>{t.lead}</p>
      {take.error !== null && <Fault error={take.error} onRetry={() => void take.run()} />}
      <div className={styles.next}>
        <Button
          small
          disabled={take.busy}
          aria-busy={take.busy}
          data-testid="export-all"
          onClick={() => void take.run()}
        >
          {take.busy ? t.exporting : t.export}
        </Button>
        <Button small look="danger" data-testid="erase-all" onClick={() => setErasing(true)}>
          {t.erase}
        </Button>
      </div>
      <EraseEverything open={erasing} onClose={() => setErasing(false)} />
    </section>
  );
}
