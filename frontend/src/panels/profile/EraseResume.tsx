import { useState } from "react";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { Button } from "../../ui/Button";
import { Confirmation } from "../../ui/Confirmation";
import { useDeed } from "../../ui/useDeed";

export function EraseResume({ onErased }: { onErased: () => Promise<void> }) {
  const t = texts.panels.resume;
  const { client, announce } = useSession();
  const [asking, setAsking] = useState(false);
  const erase = useDeed(async () => {
    await client.deleteResume();
    announce(t.erased);
    setAsking(false);
    await onErased();
  });
  return (
    <>
      <div>
        <Button small look="danger" data-testid="erase-resume" onClick={() => setAsking(true)}>
          {t.erase}
        </Button>
      </div>
      <Confirmation
        open={asking}
        title={t.eraseTitle}
        what={t.eraseWhat}
        yes={erase.busy ? t.erasing : t.eraseNow}
        deed={erase}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
