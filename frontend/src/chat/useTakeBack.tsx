import { type ReactNode, useState } from "react";
import { OnceOpened } from "../shell/OnceOpened";
import { messagesAfter } from "../state/actions";
import { useSession } from "../state/session";
import { texts } from "../texts";
import { inWords } from "../ui/fault";
import { later } from "../ui/later";
import { useDeed } from "../ui/useDeed";

const Confirmation = later(() => import("../ui/Confirmation").then(({ Confirmation }) => Confirmation));

/**
 * What takes an answer back and all that came after it. If something did come after it, `question` asks first; it has
 * to be shown for that.
 */
export function useTakeBack(
  runId: string,
  act: () => Promise<void>,
): { begin: () => void; busy: boolean; question: ReactNode } {
  const { live, announce } = useSession();
  const [after, setAfter] = useState(0);
  const deed = useDeed(async () => {
    setAfter(0);
    await act().catch((error: Error) => announce(inWords(error), "error"));
  });
  const begin = () => {
    const count = messagesAfter(live.state.view, runId);
    if (count > 0) setAfter(count);
    else void deed.run();
  };
  const question = (
    <OnceOpened open={after > 0}>
      <Confirmation
        open={after > 0}
        title={texts.chat.takeBackTitle}
        what={texts.chat.takeBackWhat(after)}
        yes={texts.chat.takeBack}
        deed={deed}
        testId="confirm-take-back"
        onClose={() => setAfter(0)}
      />
    </OnceOpened>
  );
  return { begin, busy: deed.busy, question };
}
