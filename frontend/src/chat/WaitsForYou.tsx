import type { RunView } from "@signalbox/client";
import { useSession } from "../state/session";
import { texts } from "../texts";
import { Button } from "../ui/Button";
import { Fault } from "../ui/Fault";
import { StopIcon } from "../ui/icons";
import { useDeed } from "../ui/useDeed";
import { isTouch } from "./keys";
import styles from "./Turn.module.css";

/** An answer that goes on once its user has decided, or ends here, with nothing done of what it asked about. */
export function WaitsForYou({ run }: { run: RunView }) {
  const { actions } = useSession();
  const deed = useDeed(() => actions.stop(run.runId));
  const stop = async () => {
    // The button goes with the answer; a phone's keyboard would cover what is told of its end.
    if ((await deed.run()) && !isTouch()) document.getElementById("composer")?.focus();
  };
  return (
    <>
      <div className={styles.stopped}>
        <p className={styles.note}>{texts.chat.waitsForYou}</p>
        <Button small disabled={deed.busy} onClick={() => void stop()} data-testid="stop-waiting">
          <StopIcon />
          {texts.chat.stop}
        </Button>
      </div>
      {deed.error !== null && <Fault error={deed.error} />}
    </>
  );
}
