import type { ProfileFact } from "@signalbox/client";
import { type FormEvent, type KeyboardEvent, useState } from "react";
import { nameOf } from "../../blocks/facts";
import { useSession } from "../../state/session";
import { texts } from "../../texts";
import { Button } from "../../ui/Button";
import { Fault } from "../../ui/Fault";
import styles from "./profile.module.css";
import { useAmend } from "./useAmend";

/** As in the API. */
const LONGEST = 500;

/** A field in place of a fact's value. What the server does not take stays in it, with the reason. */
export function FactEditor({
  fact,
  onChanged,
  onAmended,
  onLeave,
}: {
  fact: ProfileFact;
  onChanged: () => Promise<void>;
  onAmended: (fact: ProfileFact) => void;
  onLeave: () => void;
}) {
  const t = texts.panels.profile;
  const { announce } = useSession();
  const [value, setValue] = useState(fact.value);
  const amend = useAmend(onChanged, onAmended);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const next = value.trim();
    if (next === "" || next === fact.value) return onLeave();
    if (!(await amend.run(fact.fact_id, { value: next }))) return;
    announce(t.corrected, "quiet");
    onLeave();
  };
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    // Escape would close the panel as well.
    event.stopPropagation();
    onLeave();
  };
  return (
    <form className={styles.editor} onSubmit={(event) => void submit(event)}>
      <input
        value={value}
        dir="auto"
        maxLength={LONGEST}
        aria-label={t.newValue(nameOf(fact.key))}
        // Disabled, it would lose the focus for good.
        readOnly={amend.busy}
        // biome-ignore lint/a11y/noAutofocus: the field was asked for.
        autoFocus
        data-testid="fact-value"
        onChange={(event) => setValue(event.target.value)}
        onFocus={(event) => event.target.select()}
        onKeyDown={leave}
      />
      <Button type="submit" small look="primary" disabled={amend.busy} data-testid="save-fact">
        {texts.ui.save}
      </Button>
      <Button small look="quiet" disabled={amend.busy} onClick={onLeave}>
        {texts.ui.cancel}
      </Button>
      {amend.error !== null && <Fault error={amend.error} />}
    </form>
  );
}
